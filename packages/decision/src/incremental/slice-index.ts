// EndpointSlices by the Service that they belong to. Kept from World to World: the slices that changed
// name the Services that have to be looked at, the one a slice left as well as the one it came to.

import type { EndpointSlice } from '@herald/api';
import type { PersistentMap } from '@herald/net';

/** By Service key; slices sorted by their own key, never empty. */
export type SliceIndex = PersistentMap<readonly EndpointSlice[]>;

export interface SliceChanges {
  readonly index: SliceIndex;
  readonly services: readonly string[];
}

export function indexSlices(
  index: SliceIndex,
  before: PersistentMap<EndpointSlice>,
  after: PersistentMap<EndpointSlice>,
): SliceChanges {
  const touched = new Map<string, EndpointSlice[]>();
  for (const key of after.changedKeys(before)) {
    const left = before.get(key);
    const came = after.get(key);
    if (left) {
      const slices = draft(touched, index, left.serviceKey);
      slices.splice(slices.indexOf(left), 1);
    }
    if (came) {
      draft(touched, index, came.serviceKey).push(came);
    }
  }
  // Slices without the label of a Service are nobody's.
  touched.delete('');
  return { index: applied(index, touched), services: [...touched.keys()] };
}

function draft(
  touched: Map<string, EndpointSlice[]>,
  index: SliceIndex,
  serviceKey: string,
): EndpointSlice[] {
  const slices = touched.get(serviceKey) ?? [...(serviceKey === '' ? [] : (index.get(serviceKey) ?? []))];
  touched.set(serviceKey, slices);
  return slices;
}

function applied(index: SliceIndex, touched: ReadonlyMap<string, EndpointSlice[]>): SliceIndex {
  const entries = [...touched];
  return index.with(
    entries
      .filter(([, slices]) => slices.length > 0)
      .map(([key, slices]) => [key, slices.sort((a, b) => (a.key < b.key ? -1 : 1))] as const),
    entries.filter(([, slices]) => slices.length === 0).map(([key]) => key),
  );
}
