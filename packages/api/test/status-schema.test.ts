// The status of each kind as Herald writes it against the CRD: what is written is accepted, and what would
// be wrong is not stored.

import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  RESOURCE_KINDS,
  customResourceDefinition,
  type BgpAdvertisementStatus,
  type BgpPeerStatus,
  type Condition,
  type HeraldReplicaStatus,
  type IpAddressPoolStatus,
} from '../src/index.ts';
import { withValue } from './cases/shape.ts';

interface Version {
  readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly status: object } } };
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

function schemaOf(kind: string): object {
  const found = RESOURCE_KINDS.find((candidate) => candidate.kind === kind);
  const versions = (found && customResourceDefinition(found).spec['versions']) as readonly [Version];
  return versions[0].schema.openAPIV3Schema.properties.status;
}

/** Where the value does not fit, as the validator names it. */
function misfits(kind: string, status: unknown): string[] {
  ajv.validate(schemaOf(kind), status);
  return [...new Set((ajv.errors ?? []).map(({ instancePath }) => instancePath))].sort();
}

const CONDITION: Condition = {
  type: 'Valid',
  status: 'True',
  observedGeneration: 3,
  lastTransitionTime: '2026-03-01T10:00:00Z',
  reason: 'Valid',
  message: '',
};

const PEER: BgpPeerStatus = { observedGeneration: 3, conditions: [CONDITION] };
const POOL: IpAddressPoolStatus = { observedGeneration: 3, conditions: [CONDITION] };
const ADVERTISEMENT: BgpAdvertisementStatus = { observedGeneration: 3, conditions: [CONDITION] };
const REPLICA: HeraldReplicaStatus = {
  role: 'Leader',
  term: 7,
  node: 'cp-1',
  version: '0.1.0',
  sessions: '2/3',
  prefixes: 10,
  routes: 40,
  nextHopSets: 2,
  lastContact: '2026-03-01T10:00:00Z',
  peers: [
    {
      name: 'tor-1',
      address: '192.0.2.1',
      state: 'Established',
      since: '2026-03-01T10:00:00Z',
      localAddress: '192.0.2.9',
      authenticated: 'MD5',
      fenced: 'Unknown',
      families: [
        { family: 'IPv4', addPath: true, gracefulRestart: false, pathsDesired: 40, pathsAdvertised: 40 },
        { family: 'IPv6', addPath: false, gracefulRestart: false },
      ],
      reason: 'NoAddPath',
      lastError: '',
      flaps: 0,
    },
    { name: 'tor-2', state: 'Idle' },
  ],
  conditions: [CONDITION],
};

const many = (length: number): Condition[] => Array.from({ length }, () => CONDITION);
const peers = (length: number): object[] =>
  Array.from({ length }, (_, index) => ({ name: `tor-${index}`, state: 'Idle' }));

describe('a status that Herald writes', () => {
  it.each<[string, unknown]>([
    ['BGPPeer', PEER],
    ['IPAddressPool', POOL],
    ['BGPAdvertisement', ADVERTISEMENT],
    ['HeraldReplica', REPLICA],
    ['BGPPeer', {}],
    ['IPAddressPool', {}],
    ['BGPAdvertisement', {}],
    ['HeraldReplica', {}],
  ])('fits %s', (kind, status) => {
    expect(misfits(kind, status)).toEqual([]);
  });
});

describe.each(['BGPPeer', 'IPAddressPool', 'BGPAdvertisement', 'HeraldReplica'])(
  'a condition of %s',
  (kind) => {
    it.each<[string, readonly unknown[]]>([
      ['type', [undefined, 7, null, '', 't'.repeat(317)]],
      ['status', [undefined, true, 'true', 'Maybe', '']],
      ['observedGeneration', ['3', -1, 1.5, null]],
      ['lastTransitionTime', [undefined, 7, null, 't'.repeat(65)]],
      ['reason', [undefined, 7, '', 'r'.repeat(65)]],
      ['message', [undefined, 7, null, 'm'.repeat(1025)]],
    ])('has a %s that is well formed', (field, values) => {
      for (const value of values) {
        const place = value === undefined ? '/conditions/0' : `/conditions/0/${field}`;
        expect(misfits(kind, { conditions: [withValue(CONDITION, field, value)] })).toEqual([place]);
      }
    });

    it.each(['m'.repeat(1024), 'ü', ''])('may have the message %j', (message) => {
      expect(misfits(kind, { conditions: [{ ...CONDITION, message }] })).toEqual([]);
    });

    it('is one of at most eight', () => {
      expect(misfits(kind, { conditions: many(8) })).toEqual([]);
      expect(misfits(kind, { conditions: many(9) })).toEqual(['/conditions']);
    });
  },
);

describe('the status of a replica', () => {
  it.each<[string, readonly unknown[], string]>([
    ['role', ['leader', '', 7, null], '/role'],
    ['term', [-1, 1.5, '7', null], '/term'],
    ['term', [Number.MAX_SAFE_INTEGER + 1], '/term'],
    ['node', [7, 'n'.repeat(254)], '/node'],
    ['version', [7, 'v'.repeat(65)], '/version'],
    ['sessions', [3, '1'.repeat(17)], '/sessions'],
    ['prefixes', [-1, '1'], '/prefixes'],
    ['routes', [-1, '1'], '/routes'],
    ['nextHopSets', [-1, '1'], '/nextHopSets'],
    ['lastContact', [0, 't'.repeat(65)], '/lastContact'],
    ['peers', [null, {}, 'x'], '/peers'],
    ['peers 0 name', ['', 7, 'n'.repeat(254)], '/peers/0/name'],
    ['peers 0 name', [undefined], '/peers/0'],
    ['peers 0 state', ['established', '', 6], '/peers/0/state'],
    ['peers 0 state', [undefined], '/peers/0'],
    ['peers 0 address', ['a'.repeat(46), 7], '/peers/0/address'],
    ['peers 0 localAddress', ['a'.repeat(46), 7], '/peers/0/localAddress'],
    ['peers 0 authenticated', ['md5', true], '/peers/0/authenticated'],
    ['peers 0 fenced', ['yes', true], '/peers/0/fenced'],
    ['peers 0 lastError', ['e'.repeat(513), null], '/peers/0/lastError'],
    ['peers 0 reason', ['r'.repeat(65), 7], '/peers/0/reason'],
    ['peers 0 flaps', [-1, '0'], '/peers/0/flaps'],
    ['peers 0 families', ['x', {}], '/peers/0/families'],
    ['peers 0 families 0 family', ['ipv4', 4], '/peers/0/families/0/family'],
    ['peers 0 families 0 addPath', ['yes', 1], '/peers/0/families/0/addPath'],
    ['peers 0 families 0 pathsDesired', [-1, '40'], '/peers/0/families/0/pathsDesired'],
    ['peers 0 families 1 gracefulRestart', [undefined], '/peers/0/families/1'],
  ])('has no %s of %j', (place, values, misfit) => {
    for (const value of values) {
      expect(misfits('HeraldReplica', withValue(REPLICA, place, value))).toEqual([misfit]);
    }
  });

  it('has room for as many sessions as there may be peers', () => {
    expect(misfits('HeraldReplica', { peers: peers(256) })).toEqual([]);
    expect(misfits('HeraldReplica', { peers: peers(257) })).toEqual(['/peers']);
  });
});
