// HeraldReplica: what one pod says about itself. Written by that pod alone and owned by it, so that it goes
// when the pod goes. It has no spec: nothing is configured by it.

import { Type } from 'typebox';
import { choice } from './choice.ts';
import { AGE_COLUMN, type ResourceKind } from './resource-kind.ts';
import { ConditionsField, countField, textField } from './status-field.ts';

const ADDRESS_LENGTH = 45;

function timeField(description: string) {
  return Type.Optional(Type.String({ description, format: 'date-time', maxLength: 64 }));
}

const FamilyState = Type.Object({
  family: choice(['IPv4', 'IPv6'], { description: 'The address family.' }),
  addPath: Type.Boolean({ description: 'Whether several next hops a prefix were negotiated.' }),
  gracefulRestart: Type.Boolean({ description: 'Whether graceful restart was negotiated.' }),
  pathsDesired: countField('Routes that the router should have from this replica.'),
  pathsAdvertised: countField('Routes that were sent to it.'),
});

const PeerState = Type.Object({
  name: Type.String({ description: 'Name of the BGPPeer.', minLength: 1, maxLength: 253 }),
  address: textField('Address of the router.', ADDRESS_LENGTH),
  state: choice(['Idle', 'Connect', 'Active', 'OpenSent', 'OpenConfirm', 'Established'], {
    description: 'State of the session (RFC 4271 section 8.2.2).',
  }),
  since: timeField('Since when the session is established or down.'),
  localAddress: textField("This replica's end of the session.", ADDRESS_LENGTH),
  authenticated: Type.Optional(choice(['MD5', 'No'], { description: 'How the router knows who speaks.' })),
  fenced: Type.Optional(
    choice(['Yes', 'No', 'Unknown'], { description: 'Whether the router prefers a newer leader by rank.' }),
  ),
  families: Type.Optional(
    Type.Array(FamilyState, {
      description: 'What was negotiated for each address family.',
      maxItems: 2,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['family'],
    }),
  ),
  reason: textField('Why the peer is not served as configured, one word.', 64),
  lastError: textField('What ended the last session.', 512),
  flaps: countField('How often the session was lost.'),
});

const Status = Type.Object(
  {
    role: Type.Optional(
      choice(['Leader', 'Standby'], { description: 'Whether this replica gives out addresses.' }),
    ),
    term: countField('The latest leadership that the replica knows.'),
    node: textField('The node that the pod runs on.', 253),
    ordinal: countField('Its place in the order of replicas that do not lead; the lowest stands in first.'),
    version: textField('Version of Herald.', 64),
    sessions: textField('Established sessions of those that should be, as in 3/3.', 16),
    prefixes: countField('Prefixes in the table.'),
    routes: countField('Routes in the table, every next hop counted.'),
    nextHopSets: countField(
      'Sets of next hops that differ: the ECMP groups that a router needs for the table.',
    ),
    exchange: textField('Where other replicas ask it how it is, past the API server.', 128),
    lastContact: timeField('When the API server last answered.'),
    peers: Type.Optional(
      Type.Array(PeerState, {
        description: 'The sessions of this replica.',
        maxItems: 256,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
    ),
    conditions: ConditionsField,
  },
  { description: 'Written by the replica itself.' },
);

export type HeraldReplicaStatus = Type.Static<typeof Status>;

export const HERALD_REPLICA = {
  kind: 'HeraldReplica',
  plural: 'heraldreplicas',
  shortNames: ['herald'],
  scope: 'Namespaced',
  description: 'What one replica of Herald is doing.',
  spec: undefined,
  status: Status,
  columns: [
    { name: 'Role', type: 'string', jsonPath: '.status.role', description: 'Leader or Standby.' },
    {
      name: 'Term',
      type: 'integer',
      jsonPath: '.status.term',
      description: 'The latest leadership that it knows.',
    },
    {
      name: 'Sessions',
      type: 'string',
      jsonPath: '.status.sessions',
      description: 'Established sessions of those wanted.',
    },
    { name: 'Routes', type: 'integer', jsonPath: '.status.routes', description: 'Routes in the table.' },
    AGE_COLUMN,
    {
      name: 'Node',
      type: 'string',
      jsonPath: '.status.node',
      description: 'Where the pod runs.',
      wide: true,
    },
  ],
  selectableFields: [],
} as const satisfies ResourceKind;
