// What `plan` says would end sessions, for every pair of fields and for several peers: the sum of what each
// field says, each word once, in one order, and nothing about peers that have nothing to lose.

import type { PeerSession } from '@herald/decision';
import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { planReset } from '../src/index.ts';
import type { AppliedPlan, ResetField } from '../src/index.ts';
import { peer, plan, view } from './session-plan.ts';

const FIELDS: readonly (readonly [ResetField, Partial<PeerSession>])[] = [
  ['addPath', { addPath: { 4: false, 6: true } }],
  [
    'gracefulRestart',
    { gracefulRestart: { enabled: true, restartTimeSeconds: 1, longLivedStaleTimeSeconds: 1 } },
  ],
  ['holdTime', { holdTimeSeconds: 9 }],
  ['localAs', { localAs: 65100 }],
  ['multiHop', { ebgpMultiHop: 9 }],
  ['password', { password: 'one' }],
  ['port', { port: 1179 }],
  ['remoteAs', { remoteAs: 65009 }],
  ['shutdown', { shutdown: true }],
  ['sourceAddress', { sourceAddress: address('192.0.2.9') }],
];

const fields = (before: AppliedPlan, after: AppliedPlan): string[] =>
  planReset(before, after).map((reason) => `${reason.peer} ${reason.field}`);

const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });
const BEFORE = plan(peer('tor-1'), OTHER);

describe('two fields of one peer', () => {
  const pairs = FIELDS.flatMap(([first, one], index) =>
    FIELDS.slice(index + 1).map(([second, two]) => ({ first, second, change: { ...one, ...two } })),
  );

  it.each(pairs)('$first and $second', ({ first, second, change }) => {
    const after = plan(peer('tor-1', change), OTHER);
    expect(fields(BEFORE, after)).toEqual([`tor-1 ${first}`, `tor-1 ${second}`]);
    const back = fields(after, BEFORE);
    expect(back).toEqual(change.shutdown === true ? [] : [`tor-1 ${first}`, `tor-1 ${second}`]);
  });
});

describe('every field at once', () => {
  it('is said, each once', () => {
    const change: Partial<PeerSession> = Object.assign({}, ...FIELDS.map(([, each]) => each));
    expect(fields(BEFORE, plan(peer('tor-1', change), OTHER))).toEqual(
      FIELDS.map(([field]) => `tor-1 ${field}`),
    );
  });

  it.each<[ResetField, Partial<PeerSession>]>([
    ['address', { address: address('192.0.2.77') }],
    ['instance', { instance: view(7) }],
  ])('says only %s when that changes: the session is another one', (field, change) => {
    const all: Partial<PeerSession> = Object.assign({}, ...FIELDS.map(([, each]) => each), change);
    expect(fields(BEFORE, plan(peer('tor-1', all), OTHER))).toEqual([`tor-1 ${field}`]);
  });
});

describe('a field of each of two peers', () => {
  it.each(FIELDS)('%s', (field, change) => {
    const after = plan(peer('tor-1', change), { ...OTHER, ...change });
    expect(fields(BEFORE, after)).toEqual([`tor-1 ${field}`, `tor-2 ${field}`]);
  });
});

describe('nothing to lose', () => {
  const moved = { port: 1179, password: 'one', holdTimeSeconds: 9 };

  it.each<[string, AppliedPlan, AppliedPlan]>([
    ['a peer that is new', plan(OTHER), plan(peer('tor-1', moved), OTHER)],
    ['a peer that goes', BEFORE, plan(OTHER)],
    [
      'a peer that was shut down',
      plan(peer('tor-1', { shutdown: true }), OTHER),
      plan(peer('tor-1', moved), OTHER),
    ],
    ['a peer that is unresolved', BEFORE, plan({ ...peer('tor-1', moved), unresolved: true }, OTHER)],
    ['peers in another order', BEFORE, plan(OTHER, peer('tor-1'))],
    ['no peer before', plan(), BEFORE],
    ['no peer after', BEFORE, plan()],
    ['the very same', BEFORE, BEFORE],
  ])('%s', (_, before, after) => {
    expect(fields(before, after)).toEqual([]);
  });
});

describe('the sentences', () => {
  it.each(FIELDS)('of %s is about the field and holds no value of it', (field, change) => {
    const [reason] = planReset(BEFORE, plan(peer('tor-1', change), OTHER));
    expect(reason).toMatchObject({ peer: 'tor-1', field });
    expect(reason?.message).toMatch(/^[a-z].*[^.]$/);
    expect(reason?.message).not.toMatch(/\bone\b|1179|65009|65100|192\.0/);
  });

  it('of the process come first, for every peer that has a session', () => {
    const after = {
      ...plan(peer('tor-1', { port: 1179 }), OTHER),
      asn: 65100,
      routerId: address('192.0.2.8'),
    };
    expect(fields(BEFORE, after).filter((said) => /asn|routerId/.test(said))).toEqual([
      'tor-1 asn',
      'tor-1 routerId',
      'tor-2 asn',
      'tor-2 routerId',
    ]);
    expect(fields(BEFORE, after)).toContain('tor-1 port');
  });
});
