// IPAddressPool: addresses that may be given to Services, and to which Services. Names and meaning are
// MetalLB's. Overlap with another pool takes both to see and becomes a condition.

import { Type } from 'typebox';
import { rangeField } from './range-field.ts';
import { AGE_COLUMN, VALID_COLUMN, type ResourceKind } from './resource-kind.ts';
import { namesField, selectorsField } from './selector-field.ts';
import { ConditionsField, ObservedGenerationField, countField } from './status-field.ts';

const NAMESPACE_LENGTH = 63;

const ServiceAllocation = Type.Object(
  {
    priority: Type.Integer({
      description: 'Pinned pools with a lower number are tried first; 0 is tried last.',
      format: 'int32',
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
    }),
    namespaces: namesField('Namespaces whose Services may use the pool.', 128, NAMESPACE_LENGTH),
    namespaceSelectors: selectorsField('Namespaces, by label, whose Services may use the pool.'),
    serviceSelectors: selectorsField('Services, by label, that may use the pool.'),
  },
  { description: 'Pins the pool to some Services.' },
);

const Spec = Type.Object(
  {
    addresses: Type.Array(rangeField(), {
      description: 'Prefixes, ranges ("first-last") and single addresses, of both families.',
      minItems: 1,
      maxItems: 128,
      'x-kubernetes-list-type': 'set',
    }),
    autoAssign: Type.Boolean({
      description: 'Whether Services that do not ask for the pool may be given its addresses.',
      default: true,
    }),
    avoidBuggyIPs: Type.Boolean({
      description: 'Never give out IPv4 addresses that end in .0 or .255.',
      default: false,
    }),
    serviceAllocation: Type.Optional(ServiceAllocation),
  },
  { description: 'The addresses and who may use them.' },
);

const Status = Type.Object(
  {
    observedGeneration: ObservedGenerationField,
    assignedIPv4: countField('IPv4 addresses in use.'),
    assignedIPv6: countField('IPv6 addresses in use.'),
    availableIPv4: countField('IPv4 addresses that are free.'),
    availableIPv6: countField('IPv6 addresses that are free, at most 2^53 - 1.'),
    conditions: ConditionsField,
  },
  { description: 'Written by the leader.' },
);

export type IpAddressPoolSpec = Type.Static<typeof Spec>;
export type IpAddressPoolStatus = Type.Static<typeof Status>;

export const IP_ADDRESS_POOL = {
  kind: 'IPAddressPool',
  plural: 'ipaddresspools',
  shortNames: ['ippool'],
  scope: 'Cluster',
  description: 'Addresses that Herald may give to Services of type LoadBalancer.',
  spec: Spec,
  status: Status,
  columns: [
    {
      name: 'Addresses',
      type: 'string',
      jsonPath: '.spec.addresses',
      description: 'Prefixes and ranges of the pool.',
    },
    {
      name: 'Auto Assign',
      type: 'boolean',
      jsonPath: '.spec.autoAssign',
      description: 'Whether Services get addresses without asking for the pool.',
    },
    {
      name: 'Assigned IPv4',
      type: 'integer',
      jsonPath: '.status.assignedIPv4',
      description: 'IPv4 addresses in use.',
    },
    {
      name: 'Free IPv4',
      type: 'integer',
      jsonPath: '.status.availableIPv4',
      description: 'IPv4 addresses that are free.',
    },
    {
      name: 'Assigned IPv6',
      type: 'integer',
      jsonPath: '.status.assignedIPv6',
      description: 'IPv6 addresses in use.',
    },
    VALID_COLUMN,
    AGE_COLUMN,
    {
      name: 'Avoid Buggy IPs',
      type: 'boolean',
      jsonPath: '.spec.avoidBuggyIPs',
      description: 'Whether .0 and .255 are left out.',
      wide: true,
    },
  ],
  selectableFields: ['.spec.autoAssign'],
} as const satisfies ResourceKind;
