// An IPAddressPool with its ranges parsed. Ranges of one pool never overlap each other; overlap with
// another pool takes both pools to see.

import type { AddressRange } from '@herald/net';
import type { LabelSelector } from './label-selector.ts';
import type { Meta } from './meta.ts';

export interface ServiceAllocation {
  /** Lower is tried first; 0 means last, as in MetalLB. */
  readonly priority: number;
  readonly namespaces: readonly string[];
  readonly namespaceSelectors: readonly LabelSelector[];
  readonly serviceSelectors: readonly LabelSelector[];
}

export interface Pool extends Meta {
  readonly kind: 'IPAddressPool';
  readonly ranges: readonly AddressRange[];
  readonly autoAssign: boolean;
  /** Never give out IPv4 addresses that end in .0 or .255. */
  readonly avoidBuggyIPs: boolean;
  readonly serviceAllocation: ServiceAllocation | undefined;
}
