// Objects of ours that cannot be used as they stand: what the source found wrong with one, as its condition Valid.
// Such an object is not in the World, or is there as it last could be used; people see why where they look first.

import type { Fault } from '@herald/api';

import { conditions } from './condition.ts';
import type { WantedCondition } from './wanted-status.ts';

type OwnKind = 'BGPPeer' | 'IPAddressPool' | 'BGPAdvertisement';

/** By name, the first that was found. */
export function faultsOf(kind: OwnKind, faults: readonly Fault[]): ReadonlyMap<string, Fault> {
  const found = new Map<string, Fault>();
  for (const fault of faults) {
    const [subject, name] = fault.object.split(' ');
    if (subject === kind && name !== undefined && !found.has(name)) {
      found.set(name, fault);
    }
  }
  return found;
}

/** undefined when there is nothing to say. */
export function withFault<Status extends { readonly conditions?: readonly WantedCondition[] }>(
  status: Status | undefined,
  fault: Fault | undefined,
): Status | Pick<Status, 'conditions'> | undefined {
  if (fault === undefined) {
    return status;
  }
  const { reason, message } = fault;
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Valid');
  return {
    ...status,
    conditions: conditions([{ type: 'Valid', status: 'False', reason, message }, ...others]),
  };
}
