// BGPAdvertisement: which Services are announced to which peers from which nodes, and with what. Without
// one that matches, nothing is announced. Selecting nothing in a field means everything of that kind.

import { Type } from 'typebox';
import { choice } from './choice.ts';
import { communityField } from './community-field.ts';
import { AGE_COLUMN, VALID_COLUMN, type ResourceKind } from './resource-kind.ts';
import { rules, type Rule } from './rule.ts';
import { namesField, selectorsField } from './selector-field.ts';
import { ConditionsField, ObservedGenerationField, countField } from './status-field.ts';

const FOUR_OCTETS = 4294967295;

interface AggregationText {
  readonly length?: number;
  readonly lengthV6?: number;
  readonly unassigned?: string;
}

const AGGREGATE_NEEDS_DISCARD: Rule<AggregationText> = {
  must:
    'must be RouterDiscards when length is below 32 or lengthV6 below 128: ' +
    'packets for addresses that nobody has would loop unless the router drops them',
  cel:
    'has(self.unassigned) || ((!has(self.length) || self.length == 32) && ' +
    '(!has(self.lengthV6) || self.lengthV6 == 128))',
  field: 'unassigned',
  reason: 'AggregateUnsafe',
  holds: ({ length = 32, lengthV6 = 128, unassigned }) =>
    unassigned !== undefined || (length === 32 && lengthV6 === 128),
};

const Aggregation = Type.Object(
  {
    length: Type.Optional(
      Type.Integer({
        description: 'Length of the IPv4 prefix that is announced; default 32.',
        format: 'int32',
        minimum: 1,
        maximum: 32,
      }),
    ),
    lengthV6: Type.Optional(
      Type.Integer({
        description: 'Length of the IPv6 prefix that is announced; default 128.',
        format: 'int32',
        minimum: 1,
        maximum: 128,
      }),
    ),
    unassigned: Type.Optional(
      choice(['RouterDiscards'], {
        description: 'Your word that the router has a discard route for addresses that nobody has.',
      }),
    ),
  },
  { description: 'Announce shorter prefixes.', default: {}, ...rules(AGGREGATE_NEEDS_DISCARD) },
);

const NextHops = Type.Object(
  {
    from: choice(['EndpointNodes', 'AllNodes'], {
      description: 'Nodes with endpoints, or all nodes (external traffic policy Cluster only).',
      default: 'EndpointNodes',
    }),
    max: Type.Optional(
      Type.Integer({
        description: 'The most next hops of one prefix.',
        format: 'int32',
        minimum: 1,
        maximum: 1024,
      }),
    ),
    weight: choice(['Equal', 'Endpoints'], {
      description: 'Equal shares, or in proportion to the ready endpoints on each node (link bandwidth).',
      default: 'Equal',
    }),
  },
  { description: 'Which nodes are next hops.', default: {} },
);

const selection = {
  ipAddressPools: namesField('Pools whose addresses are announced, by name.', 128),
  ipAddressPoolSelectors: selectorsField('Pools whose addresses are announced, by label.'),
  serviceSelectors: selectorsField('Services that are announced, by label.'),
  peers: namesField('Peers that are told, by name.', 256),
  peerSelectors: selectorsField('Peers that are told, by label.'),
  nodeSelectors: selectorsField('Nodes that may be next hops, by label.'),
};

const attributes = {
  aggregation: Aggregation,
  localPref: Type.Optional(
    Type.Integer({
      description: 'LOCAL_PREF; internal peers only.',
      format: 'int64',
      minimum: 0,
      maximum: FOUR_OCTETS,
    }),
  ),
  med: Type.Optional(
    Type.Integer({
      description: 'MULTI_EXIT_DISC. Takes the place of the rank, so such routes are not fenced.',
      format: 'int64',
      minimum: 0,
      maximum: FOUR_OCTETS,
    }),
  ),
  asPathPrepend: Type.Integer({
    description: "How often Herald's AS number is put in front of the path once more.",
    format: 'int32',
    minimum: 0,
    maximum: 16,
    default: 0,
  }),
  communities: Type.Optional(
    Type.Array(communityField(), {
      description: 'Standard ("65000:100") and large ("large:65000:1:2") communities and well-known names.',
      maxItems: 64,
      'x-kubernetes-list-type': 'set',
    }),
  ),
  nextHops: NextHops,
};

const Spec = Type.Object(
  { ...selection, ...attributes },
  { description: 'What is announced, to whom and how.', default: {} },
);

const Status = Type.Object(
  {
    observedGeneration: ObservedGenerationField,
    services: countField('Services that it matches.'),
    prefixes: countField('Prefixes that are announced by it.'),
    conditions: ConditionsField,
  },
  { description: 'Written by the leader.' },
);

export type BgpAdvertisementSpec = Type.Static<typeof Spec>;
export type BgpAdvertisementStatus = Type.Static<typeof Status>;

export const BGP_ADVERTISEMENT = {
  kind: 'BGPAdvertisement',
  plural: 'bgpadvertisements',
  shortNames: ['bgpadv'],
  scope: 'Cluster',
  description: 'Announces Services to peers; nothing is announced without one.',
  spec: Spec,
  status: Status,
  columns: [
    {
      name: 'Pools',
      type: 'string',
      jsonPath: '.spec.ipAddressPools',
      description: 'Pools selected by name.',
    },
    { name: 'Peers', type: 'string', jsonPath: '.spec.peers', description: 'Peers selected by name.' },
    {
      name: 'Services',
      type: 'integer',
      jsonPath: '.status.services',
      description: 'Services that it matches.',
    },
    {
      name: 'Prefixes',
      type: 'integer',
      jsonPath: '.status.prefixes',
      description: 'Prefixes that are announced by it.',
    },
    VALID_COLUMN,
    AGE_COLUMN,
    {
      name: 'Communities',
      type: 'string',
      jsonPath: '.spec.communities',
      description: 'Communities that it adds.',
      wide: true,
    },
  ],
  selectableFields: [],
} as const satisfies ResourceKind;
