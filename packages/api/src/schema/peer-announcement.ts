// The fields of a BGPPeer that say what the router is told: families, next hops, limits, rank, and what it
// does when Herald falls silent.

import { Type } from 'typebox';
import { prefixField } from './address-field.ts';
import { choice } from './choice.ts';
import { durationField } from './duration-field.ts';
import { ANNOTATION_FITS_TYPE, LONG_LIVED_NEEDS_RESTART, RANK_BASE_NEEDS_MODE } from './peer-rules.ts';
import { rules } from './rule.ts';
import { selectorField } from './selector-field.ts';

/** The restart time has twelve bits (RFC 4724 section 3). */
const TWELVE_BITS = 4095;
/** The long-lived stale time has three octets (RFC 9494 section 3). */
const THREE_OCTETS = 16777215;

const AddPaths = Type.Object(
  {
    mode: choice(['Auto', 'Disabled'], {
      description: 'Auto sends all next hops of a prefix if the router accepts ADD-PATH (RFC 7911).',
      default: 'Auto',
    }),
    maxPaths: Type.Integer({
      description: 'The most next hops that one prefix is given.',
      format: 'int32',
      minimum: 1,
      maximum: 1024,
      default: 16,
    }),
  },
  { description: 'Several next hops for one prefix.', default: {} },
);

const Rank = Type.Object(
  {
    mode: choice(['MED', 'LocalPref', 'None'], {
      description: 'The attribute by which a newer leader outranks an older one.',
      default: 'MED',
    }),
    base: Type.Optional(
      Type.Integer({
        description:
          'The value that terms are counted from; default 4000000000 with MED, 1000000000 with LocalPref.',
        format: 'int64',
        minimum: 1_000_000_000,
        maximum: 4_000_000_000,
      }),
    ),
  },
  { description: 'How replicas are ranked at this router.', default: {}, ...rules(RANK_BASE_NEEDS_MODE) },
);

const GracefulRestart = Type.Object(
  {
    enabled: Type.Boolean({
      description:
        'Ask the router to keep routes while a session is down (RFC 4724). For single replicas; helps a restart that keeps the address.',
      default: false,
    }),
    restartTime: durationField(
      'How long the router keeps them; the longest of all peers that share a bgpd instance counts.',
      { minSeconds: 1, maxSeconds: TWELVE_BITS },
      '120s',
    ),
    longLivedStaleTime: Type.Optional(
      durationField('How much longer it keeps them as a last resort (RFC 9494).', {
        minSeconds: 1,
        maxSeconds: THREE_OCTETS,
      }),
    ),
  },
  { description: 'Graceful restart; off by default.', default: {}, ...rules(LONG_LIVED_NEEDS_RESTART) },
);

function interval(description: string) {
  return Type.Integer({ description, format: 'int32', minimum: 10, maximum: 60_000, default: 300 });
}

const Bfd = Type.Object(
  {
    receiveInterval: interval('Milliseconds between packets that Herald is ready to receive.'),
    transmitInterval: interval('Milliseconds between packets that Herald wants to send.'),
    detectMultiplier: Type.Integer({
      description: 'How many packets in a row may be lost.',
      format: 'int32',
      minimum: 2,
      maximum: 255,
      default: 3,
    }),
    passive: Type.Boolean({ description: 'Wait for the router to begin.', default: false }),
    minimumTTL: Type.Integer({
      description: 'Packets that arrive with a lower TTL are dropped (multihop).',
      format: 'int32',
      minimum: 1,
      maximum: 254,
      default: 254,
    }),
  },
  { description: 'BFD with the router (RFC 5880). Does not survive masquerading of pod traffic.' },
);

const NextHop = Type.Object(
  {
    type: choice(['InternalIP', 'ExternalIP', 'Annotation'], {
      description: "Which of a node's addresses are next hops for this router.",
      default: 'InternalIP',
    }),
    annotation: Type.Optional(
      Type.String({
        description: 'The node annotation that lists the addresses, separated by commas.',
        minLength: 1,
        maxLength: 317,
      }),
    ),
    cidrs: Type.Optional(
      Type.Array(prefixField(), {
        description: 'Only addresses inside one of these prefixes.',
        maxItems: 64,
        'x-kubernetes-list-type': 'set',
      }),
    ),
  },
  {
    description: 'Which addresses of the nodes this router is given.',
    default: {},
    ...rules(ANNOTATION_FITS_TYPE),
  },
);

export const PEER_ANNOUNCEMENT = {
  addressFamilies: Type.Optional(
    Type.Array(choice(['IPv4', 'IPv6'], { description: 'An address family.' }), {
      description: 'What is announced to the router; default the family of peerAddress.',
      minItems: 1,
      maxItems: 2,
      'x-kubernetes-list-type': 'set',
    }),
  ),
  addPaths: AddPaths,
  maxRoutes: Type.Optional(
    Type.Integer({
      description: 'The most routes, every next hop counted, that this router is sent by one replica.',
      format: 'int64',
      minimum: 1,
      maximum: 10_000_000,
    }),
  ),
  maxNextHopSets: Type.Optional(
    Type.Integer({
      description: 'The most distinct sets of next hops (ECMP groups) that this router is given.',
      format: 'int64',
      minimum: 1,
      maximum: 1_000_000,
    }),
  ),
  rank: Rank,
  gracefulRestart: GracefulRestart,
  bfd: Type.Optional(Bfd),
  replicaSelector: selectorField(
    "Labels of the replica's node: which replicas speak to this router; default all.",
  ),
  nextHop: NextHop,
};
