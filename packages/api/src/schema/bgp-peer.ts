// BGPPeer: one router that Herald speaks to, how the session is made, and what this router may be told.
// Fields with a default are always present after validation, and so are not optional in the type.

import { Type } from 'typebox';
import { PEER_ANNOUNCEMENT } from './peer-announcement.ts';
import { PEER_RULES } from './peer-rules.ts';
import { PEER_SESSION } from './peer-session.ts';
import { AGE_COLUMN, type ResourceKind } from './resource-kind.ts';
import { rules } from './rule.ts';
import { ConditionsField, ObservedGenerationField, countField, textField } from './status-field.ts';

const Spec = Type.Object(
  { ...PEER_SESSION, ...PEER_ANNOUNCEMENT },
  { description: 'The router and what it is told.', ...rules(...PEER_RULES) },
);

const Status = Type.Object(
  {
    observedGeneration: ObservedGenerationField,
    sessions: textField('Replicas with an established session of those that should have one, as in 3/3.', 16),
    addPath: textField('Whether the router accepts several next hops: Yes, No, Partly or Unknown.', 16),
    paths: countField('Routes that the leader has sent, every next hop counted.'),
    conditions: ConditionsField,
  },
  { description: 'Written by the leader.' },
);

export type BgpPeerSpec = Type.Static<typeof Spec>;
export type BgpPeerStatus = Type.Static<typeof Status>;

export const BGP_PEER = {
  kind: 'BGPPeer',
  plural: 'bgppeers',
  shortNames: ['bgpp'],
  scope: 'Cluster',
  description: 'A router that Herald announces addresses to.',
  spec: Spec,
  status: Status,
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.peerAddress', description: 'Address of the router.' },
    { name: 'ASN', type: 'string', jsonPath: '.spec.peerASN', description: 'AS number of the router.' },
    {
      name: 'Sessions',
      type: 'string',
      jsonPath: '.status.sessions',
      description: 'Established sessions of those wanted.',
    },
    {
      name: 'AddPath',
      type: 'string',
      jsonPath: '.status.addPath',
      description: 'Whether the router accepts several next hops.',
    },
    { name: 'Paths', type: 'integer', jsonPath: '.status.paths', description: 'Routes sent by the leader.' },
    AGE_COLUMN,
  ],
  selectableFields: ['.spec.peerAddress', '.spec.peerASN'],
} as const satisfies ResourceKind;
