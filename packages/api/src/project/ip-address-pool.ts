// IPAddressPool object -> Pool. What the schema cannot say is checked here: ranges that are reversed, or
// that overlap another of the same pool, where a count of free addresses would be wrong.

import { compareRanges, parseRange, rangesOverlap, type AddressRange } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Pool, ServiceAllocation } from '../model/pool.ts';
import { IP_ADDRESS_POOL, type IpAddressPoolSpec } from '../schema/ip-address-pool.ts';
import { projectCustom, type Origin } from './custom-resource.ts';
import { clusterMeta, type Reading } from './reading.ts';
import { toSelectors } from './selector.ts';

export function projectPool(object: unknown, origin: Origin): Projected<Pool> {
  return projectCustom(IP_ADDRESS_POOL, object, origin, build);
}

function build(spec: IpAddressPoolSpec, reading: Reading): Pool {
  const ranges = reading.takeAll('spec.addresses', spec.addresses, (text) => parseRange(text.trim()));
  if (ranges.length === spec.addresses.length) {
    noteOverlaps(ranges, reading);
  }
  return {
    kind: 'IPAddressPool',
    ...clusterMeta(reading.meta),
    ranges,
    autoAssign: spec.autoAssign,
    avoidBuggyIPs: spec.avoidBuggyIPs,
    serviceAllocation: spec.serviceAllocation && allocation(spec.serviceAllocation),
  };
}

function allocation(spec: NonNullable<IpAddressPoolSpec['serviceAllocation']>): ServiceAllocation {
  return {
    priority: spec.priority,
    namespaces: spec.namespaces ?? [],
    namespaceSelectors: toSelectors(spec.namespaceSelectors),
    serviceSelectors: toSelectors(spec.serviceSelectors),
  };
}

/** In address order, a range overlaps an earlier one only if it overlaps the one that reaches furthest. */
function noteOverlaps(ranges: readonly AddressRange[], reading: Reading): void {
  const ordered = ranges
    .map((range, index) => ({ range, index }))
    .sort((a, b) => compareRanges(a.range, b.range));
  let furthest = ordered[0];
  for (const current of ordered.slice(1)) {
    if (furthest !== undefined && rangesOverlap(furthest.range, current.range)) {
      const [earlier, later] = [furthest, current].sort((a, b) => a.index - b.index);
      reading.note(
        `spec.addresses[${later?.index}]`,
        `must not overlap spec.addresses[${earlier?.index}]: ${later?.range.text} and ${earlier?.range.text} have addresses in common`,
      );
    }
    furthest = reachesFurther(current.range, furthest?.range) ? current : furthest;
  }
}

function reachesFurther(a: AddressRange, b: AddressRange | undefined): boolean {
  return b === undefined || a.family !== b.family || a.last.value > b.last.value;
}
