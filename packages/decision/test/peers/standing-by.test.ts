// Who speaks to whom where standbys are not hot, as each replica sees it for itself.

import { PersistentMap } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory } from '../../src/index.ts';
import type { Decision, World } from '../../src/index.ts';
import { node, pathsTo, peer, sceneWorld, tagsOf } from '../routes/small-world.ts';
import type { PeerSpec } from '../routes/small-world.ts';

type Mode = 'Hot' | 'Warm' | 'Cold';

/** Replicas r1, r2, r3 on control-plane nodes of racks 1, 1 and 2, with ordinals in that order. */
const RACKS: Readonly<Record<string, string>> = { r1: '1', r2: '1', r3: '2' };
const OTHERS = new Map(
  Object.keys(RACKS).map((name, index) => [name, { node: `on-${name}`, ordinal: index + 1 }]),
);
const rack = (value: string): PeerSpec => ({
  replicaSelector: { matchLabels: { rack: value }, matchExpressions: [] },
});
const PEERS: Readonly<Record<string, PeerSpec>> = { any: {}, one: rack('1'), two: rack('2') };

interface Situation {
  readonly mode: Mode;
  /** '' for nobody known. */
  readonly leader: string;
  readonly notReady?: string;
}

function worldOf(name: string, { mode, leader, notReady }: Situation): World {
  const scene = sceneWorld({
    services: { web: { on: 'a b' } },
    peers: PEERS,
    settings: { standbyMode: mode },
    leadership: { leading: name === leader, term: 9 },
    replicas: { leader, others: OTHERS },
  });
  const control = Object.keys(RACKS).map((each) => {
    const ready = each === notReady ? ('Unknown' as const) : ('True' as const);
    return [
      `on-${each}`,
      node('z', { name: `on-${each}`, ips: '', labels: { rack: RACKS[each] ?? '' }, ready }),
    ] as const;
  });
  return {
    ...scene,
    nodes: scene.nodes.with(control),
    replica: { name, labels: { rack: RACKS[name] ?? '' }, ordinal: OTHERS.get(name)?.ordinal ?? 0 },
  };
}

const decided = (name: string, situation: Situation): Decision =>
  decide(worldOf(name, situation), emptyMemory()).decision;

/** Of each replica: the peers that it tells routes. */
function speakers(situation: Situation): Record<string, string> {
  return Object.fromEntries(
    Object.keys(RACKS).map((name) => {
      const decision = decided(name, situation);
      const told = Object.keys(PEERS).filter((each) => Object.keys(pathsTo(decision, each)).length > 0);
      return [name, told.join(' ')];
    }),
  );
}

const sessions = ({ sessions: { peers } }: Decision) => peers.map(({ name }) => name).join(' ');

describe('who tells routes', () => {
  test.each<readonly [string, Situation, Record<string, string>]>([
    [
      'Hot: everybody whom the peer selects',
      { mode: 'Hot', leader: 'r1' },
      { r1: 'any one', r2: 'any one', r3: 'any two' },
    ],
    [
      'the leader, and a stand-in where it is not selected',
      { mode: 'Warm', leader: 'r1' },
      { r1: 'any one', r2: '', r3: 'two' },
    ],
    [
      'the best-ranked of several stand-ins',
      { mode: 'Warm', leader: 'r3' },
      { r1: 'one', r2: '', r3: 'any two' },
    ],
    [
      'the next one, when its node is not Ready',
      { mode: 'Warm', leader: 'r3', notReady: 'r1' },
      { r1: 'one', r2: 'one', r3: 'any two' },
    ],
    ['the same in Cold', { mode: 'Cold', leader: 'r1' }, { r1: 'any one', r2: '', r3: 'two' }],
    [
      'while nobody leads, the best-ranked',
      { mode: 'Warm', leader: '' },
      { r1: 'any one', r2: '', r3: 'two' },
    ],
    [
      'a leader that says nothing of itself leads all the same',
      { mode: 'Warm', leader: 'r9' },
      { r1: 'one', r2: '', r3: 'two' },
    ],
  ])('%s', (_name, situation, expected) => {
    expect(speakers(situation)).toEqual(expected);
  });

  test('every router is told by somebody, whoever leads and whichever node is lost', () => {
    for (const mode of ['Warm', 'Cold'] as const) {
      for (const leader of ['', 'r1', 'r2', 'r3']) {
        for (const notReady of ['', 'r1', 'r2', 'r3'].filter((name) => name !== leader)) {
          const told = Object.entries(speakers({ mode, leader, notReady }));
          const alive = told.filter(([name]) => name !== notReady).map(([, peers]) => peers);
          const reachable = notReady === 'r3' ? ['any', 'one'] : ['any', 'one', 'two'];
          expect(alive.join(' ').split(' ')).toEqual(expect.arrayContaining(reachable));
        }
      }
    }
  });

  test('a leader that has just restarted and finds its own name in the Lease goes on speaking', () => {
    const world = worldOf('r2', { mode: 'Warm', leader: 'r2' });
    const restarted = { ...world, leadership: { leading: false, term: 9 } };
    expect(Object.keys(pathsTo(decide(restarted, emptyMemory()).decision, 'any'))).toHaveLength(2);
  });
});

describe('standing by', () => {
  test.each<readonly [Mode, string, string]>([
    ['Hot', 'any one', 'Accepted'],
    ['Warm', 'any one', 'StandingBy'],
    ['Cold', '', 'StandingBy'],
  ])('%s: sessions with [%s], and the verdict is %s', (mode, held, reason) => {
    const decision = decided('r2', { mode, leader: 'r1' });
    expect(sessions(decision)).toBe(held);
    expect(decision.peers.get('any')).toMatchObject({ accepted: true, reason });
    expect(decision.peers.get('two')).toMatchObject({ reason: 'ReplicaNotSelected' });
  });

  test('for one peer while speaking to another: no path is for everybody, and none for that one', () => {
    const decision = decided('r1', { mode: 'Warm', leader: 'r3' });
    const number = (name: string) => decision.sessions.peers.find((each) => each.name === name)?.number;
    expect(sessions(decision)).toBe('any one');
    const tags = [...decision.tables.shared.values()].flatMap(({ paths }) =>
      paths.flatMap(({ attributes }) => tagsOf(attributes.largeCommunities)),
    );
    expect(new Set(tags)).toEqual(new Set([number('one')]));
  });

  test('a take-over in Warm tells all, in the new term', () => {
    const { memory } = decide(worldOf('r2', { mode: 'Warm', leader: 'r1' }), emptyMemory());
    const { decision } = decide(worldOf('r2', { mode: 'Warm', leader: 'r2' }), memory);
    const meds = Object.values(pathsTo(decision, 'any')).map(({ attributes }) => attributes.med);
    expect(meds).toEqual([4_000_000_000 - 9, 4_000_000_000 - 9]);
  });

  test('a peer that is shut down, or whose password is gone, says that first', () => {
    const world = worldOf('r2', { mode: 'Cold', leader: 'r1' });
    const peers = PersistentMap.from([
      ['any', peer('any', { shutdown: true }, 0)],
      ['one', peer('one', { passwordSecret: { name: 'gone', key: 'x' } }, 1)],
    ]);
    const { decision } = decide({ ...world, peers }, emptyMemory());
    expect(decision.peers.get('any')?.reason).toBe('PeerShutdown');
    expect(decision.peers.get('one')?.reason).toBe('SecretMissing');
  });
});
