// Joining, as a story: moments one after the other, at each of which something is so and peers are told
// something. The delay is a second. A node waits only where others serve, and leaving never waits.

import { PersistentMap } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import type { Decision, Memory, World } from '../../src/index.ts';
import { sceneWorld, told } from './small-world.ts';
import type { Scene, ServiceSpec } from './small-world.ts';

interface Moment {
  /** Seconds after the start. */
  readonly at: number;
  readonly on?: string;
  readonly scene?: Scene;
  readonly web?: ServiceSpec;
  /** `node answer`: what the health port 30000 says. */
  readonly programmed?: Readonly<Record<string, boolean>>;
  /** Of 203.0.113.1/32; '' for nothing. */
  readonly told: string;
  /** Nodes that wait, each with the second when that ends. */
  readonly joining?: string;
}

interface Story {
  readonly name: string;
  readonly moments: readonly Moment[];
}

const START_MS = 1_000_000;
const PORT = 30_000;
const LOCAL: ServiceSpec = { policy: 'Local', healthCheckNodePort: PORT };
const EVERY_NODE: Scene = { ads: { default: { nextHops: { from: 'AllNodes' } } } };

function worldAt({ at, on = '', scene = {}, web = {}, programmed = {} }: Moment): World {
  const settings = { joinDelayMs: 1000, ...scene.settings };
  const services = { web: { on, ...web }, ...scene.services };
  return {
    ...sceneWorld({ ...scene, settings, services }),
    now: START_MS + at * 1000,
    programmed: PersistentMap.from(
      Object.entries(programmed).map(([node, answer]) => [`${node}|4|${PORT}`, answer] as const),
    ),
  };
}

function second(untilMs: number | undefined): string {
  return untilMs === undefined ? '' : `@${(untilMs - START_MS) / 1000}`;
}

function waits({ joining }: Decision): string {
  return joining.map(({ node, untilMs }) => `${node}${second(untilMs)}`).join(' ');
}

function play(moments: readonly Moment[], check: (moment: Moment, decision: Decision) => void): Memory {
  let memory = emptyMemory();
  for (const moment of moments) {
    const next = decide(worldAt(moment), memory);
    ({ memory } = next);
    check(moment, next.decision);
  }
  return memory;
}

const rack = [{ matchLabels: { rack: '2' }, matchExpressions: [] }];
const racks: NonNullable<Scene['nodes']> = {
  a: { labels: { rack: '1' } },
  b: { labels: { rack: '2' } },
  c: { labels: { rack: '2' } },
};

const stories: Story[] = [
  {
    name: 'the first decision of a process makes nobody wait',
    moments: [{ at: 0, on: 'a b c', told: 'a b c', joining: '' }],
  },
  {
    name: 'a node joins others a second after it was first seen to serve',
    moments: [
      { at: 0, on: 'a b', told: 'a b' },
      { at: 1, on: 'a b c', told: 'a b', joining: 'c@2' },
      { at: 1.9, on: 'a b c', told: 'a b', joining: 'c@2' },
      { at: 2, on: 'a b c', told: 'a b c', joining: '' },
    ],
  },
  {
    name: 'each node waits for itself',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      { at: 1, on: 'a b', told: 'a', joining: 'b@2' },
      { at: 1.5, on: 'a b c', told: 'a', joining: 'b@2 c@2.5' },
      { at: 2, on: 'a b c', told: 'a b', joining: 'c@2.5' },
      { at: 2.5, on: 'a b c', told: 'a b c' },
    ],
  },
  {
    name: 'leaving is immediate, also while another one waits',
    moments: [
      { at: 0, on: 'a b', told: 'a b' },
      { at: 1, on: 'a c', told: 'a', joining: 'c@2' },
      { at: 1.1, on: 'c', told: 'c', joining: 'c@2' },
    ],
  },
  {
    name: 'all that served leave: of those that wait the first to come goes at once, the others wait on',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      { at: 1, on: 'a b', told: 'a' },
      { at: 1.3, on: 'a b c', told: 'a' },
      { at: 1.4, on: 'b c', told: 'b', joining: 'b@2 c@2.3' },
      { at: 2.3, on: 'b c', told: 'b c', joining: '' },
    ],
  },
  {
    name: 'all are replaced at once: nobody is there to wait for',
    moments: [
      { at: 0, on: 'a b', told: 'a b' },
      { at: 1, on: 'c d', told: 'c d' },
    ],
  },
  {
    name: 'an endpoint replaced by another on the same node is no join, nor is one more',
    moments: [
      { at: 0, on: 'a b', told: 'a b' },
      { at: 1, on: 'b b a', told: 'a b', joining: '' },
    ],
  },
  {
    name: 'a node that left and comes back waits again',
    moments: [
      { at: 0, on: 'a b', told: 'a b' },
      { at: 1, on: 'a', told: 'a' },
      { at: 1.1, on: 'a b', told: 'a', joining: 'b@2.1' },
    ],
  },
  {
    name: 'one that left while it waited starts anew',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      { at: 1, on: 'a b', told: 'a', joining: 'b@2' },
      { at: 1.5, on: 'a', told: 'a', joining: '' },
      { at: 1.8, on: 'a b', told: 'a', joining: 'b@2.8' },
      { at: 2, on: 'a b', told: 'a' },
    ],
  },
  {
    name: 'a node that becomes Ready again joins the endpoints it has',
    moments: [
      { at: 0, on: 'a b', scene: { nodes: { a: {}, b: { ready: 'False' } } }, told: 'a' },
      { at: 1, on: 'a b', scene: { nodes: { a: {}, b: {} } }, told: 'a', joining: 'b@2' },
      { at: 2, on: 'a b', scene: { nodes: { a: {}, b: {} } }, told: 'a b' },
    ],
  },
  {
    name: 'a new Service is served at once by all that are there, the next one waits',
    moments: [
      { at: 0, on: '', told: '' },
      { at: 1, on: 'a b', told: 'a b', joining: '' },
      { at: 1.1, on: 'a b c', told: 'a b', joining: 'c@2.1' },
    ],
  },
  {
    name: 'new nodes that are the first of a Service: those that came first, then the others',
    moments: [
      { at: 0, on: '', scene: { nodes: { z: {} } }, told: '' },
      { at: 1, on: '', scene: { nodes: { z: {}, a: {} } }, told: '' },
      { at: 1.5, on: 'a b', scene: { nodes: { z: {}, a: {}, b: {} } }, told: 'a', joining: 'a@2 b@2.5' },
      { at: 2.5, on: 'a b', scene: { nodes: { z: {}, a: {}, b: {} } }, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'no delay: nobody waits',
    moments: [
      { at: 0, on: 'a', scene: { settings: { joinDelayMs: 0 } }, told: 'a' },
      { at: 1, on: 'a b', scene: { settings: { joinDelayMs: 0 } }, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'a delay that is made shorter ends waits',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      { at: 1, on: 'a b', told: 'a', joining: 'b@2' },
      { at: 1.2, on: 'a b', scene: { settings: { joinDelayMs: 100 } }, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'a clock that is set back holds nobody',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      { at: 100, on: 'a b', told: 'a', joining: 'b@101' },
      { at: 1, on: 'a b', told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: the health port decides, not the time',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a b', web: LOCAL, told: 'a', joining: 'b@11' },
      { at: 1.1, on: 'a b', web: LOCAL, programmed: { b: true }, told: 'a b', joining: '' },
      { at: 1.2, on: 'a b', web: LOCAL, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: a port that says no holds for as long as others serve',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a b', web: LOCAL, programmed: { b: false }, told: 'a', joining: 'b' },
      { at: 900, on: 'a b', web: LOCAL, programmed: { b: false }, told: 'a', joining: 'b' },
      { at: 901, on: 'b', web: LOCAL, programmed: { b: false }, told: 'b', joining: 'b' },
    ],
  },
  {
    name: 'policy Local: a node whose endpoints terminate stays until another one is programmed',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a:out b', web: LOCAL, programmed: { b: false }, told: 'a', joining: 'b' },
      { at: 1.2, on: 'a:out b', web: LOCAL, programmed: { b: true }, told: 'b', joining: '' },
    ],
  },
  {
    name: 'policy Local: a node whose endpoints terminate goes at once where another one serves',
    moments: [
      { at: 0, on: 'a b', web: LOCAL, told: 'a b' },
      { at: 1, on: 'a:out b c', web: LOCAL, programmed: { c: false }, told: 'b', joining: 'c' },
      { at: 2, on: 'a:out b:out c', web: LOCAL, programmed: { c: false }, told: 'a b', joining: 'c' },
      { at: 3, on: 'a:out b:out c', web: LOCAL, programmed: { c: true }, told: 'c', joining: '' },
      { at: 4, on: 'a:out b:out c:off', web: LOCAL, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: of a node that only has terminating endpoints the health port tells nothing: the delay',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a b', web: LOCAL, programmed: { b: false }, told: 'a', joining: 'b' },
      { at: 1.5, on: 'a:out b:out', web: LOCAL, programmed: { b: false }, told: 'a', joining: 'b@2' },
      { at: 2, on: 'a:out b:out', web: LOCAL, programmed: { b: false }, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: a pod that ends and the next one on the same node',
    moments: [
      { at: 0, on: 'a b', web: LOCAL, told: 'a b' },
      { at: 1, on: 'a:out a b', web: LOCAL, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: a port that says nothing holds for ten seconds',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a b', web: LOCAL, told: 'a', joining: 'b@11' },
      { at: 11, on: 'a b', web: LOCAL, told: 'a b', joining: '' },
    ],
  },
  {
    name: 'policy Local: the second of two that wait answers first, and nobody leaves for it',
    moments: [
      { at: 0, on: 'a', web: LOCAL, told: 'a' },
      { at: 1, on: 'a b', web: LOCAL, told: 'a' },
      { at: 1.1, on: 'b', web: LOCAL, told: 'b' },
      { at: 1.2, on: 'b c', web: LOCAL, told: 'b' },
      { at: 1.3, on: 'b c', web: LOCAL, programmed: { c: true }, told: 'b c', joining: 'b@11' },
    ],
  },
  {
    name: 'policy Local without a health port: the delay',
    moments: [
      { at: 0, on: 'a', web: { policy: 'Local' }, told: 'a' },
      { at: 1, on: 'a b', web: { policy: 'Local' }, told: 'a', joining: 'b@2' },
    ],
  },
  {
    name: 'policy Cluster does not ask the health port',
    moments: [
      { at: 0, on: 'a', told: 'a' },
      {
        at: 1,
        on: 'a b',
        web: { healthCheckNodePort: PORT },
        programmed: { b: true },
        told: 'a',
        joining: 'b@2',
      },
    ],
  },
  {
    name: 'AllNodes: a node joins as a node, with or without endpoints',
    moments: [
      { at: 0, on: 'a', scene: { ...EVERY_NODE, nodes: { a: {}, b: {} } }, told: 'a b' },
      { at: 1, on: 'a', scene: { ...EVERY_NODE, nodes: { a: {}, b: {}, c: {} } }, told: 'a b' },
      { at: 1.5, on: 'b c', scene: { ...EVERY_NODE, nodes: { a: {}, b: {}, c: {} } }, told: 'a b' },
      { at: 2, on: 'b c', scene: { ...EVERY_NODE, nodes: { a: {}, b: {}, c: {} } }, told: 'a b c' },
      { at: 3, on: 'a b c', scene: { ...EVERY_NODE, nodes: { a: {}, b: {}, c: {} } }, told: 'a b c' },
    ],
  },
  {
    name: 'AllNodes: the only node left waits for nobody',
    moments: [
      { at: 0, on: 'a', scene: { ...EVERY_NODE, nodes: { a: {} } }, told: 'a' },
      { at: 1, on: 'a', scene: { ...EVERY_NODE, nodes: { b: {} } }, told: 'b' },
    ],
  },
  {
    name: 'two advertisements: a node that is there for one of them does not join for the other',
    moments: [
      {
        at: 0,
        on: 'a',
        scene: { ads: { all: { nextHops: { from: 'AllNodes' } }, own: {} } },
        told: 'a b c d',
      },
      {
        at: 1,
        on: 'a b',
        scene: { ads: { all: { nextHops: { from: 'AllNodes' } }, own: {} } },
        told: 'a b c d',
      },
    ],
  },
  {
    name: 'a shared address: a node of one Service does not join for the other, a new one does',
    moments: [
      { at: 0, on: 'a', scene: { services: shared('b') }, web: key(80), told: 'a b' },
      { at: 1, on: 'a b', scene: { services: shared('b') }, web: key(80), told: 'a b' },
      { at: 2, on: 'a c', scene: { services: shared('b') }, web: key(80), told: 'a b' },
      { at: 3, on: 'a c', scene: { services: shared('b') }, web: key(80), told: 'a b c' },
    ],
  },
  {
    name: 'a node that only waiting ones could serve for one peer is announced to that peer',
    moments: [
      { at: 0, on: 'a', scene: { ads: { rack: { nodeSelectors: rack } }, nodes: racks }, told: '' },
      { at: 1, on: 'a b', scene: { ads: { rack: { nodeSelectors: rack } }, nodes: racks }, told: 'b' },
      { at: 1.5, on: 'a b c', scene: { ads: { rack: { nodeSelectors: rack } }, nodes: racks }, told: 'b' },
      { at: 2.5, on: 'a b c', scene: { ads: { rack: { nodeSelectors: rack } }, nodes: racks }, told: 'b c' },
    ],
  },
];

function threeServices(on: string): Scene {
  return { services: { api: { on, ips: '203.0.113.9' }, zoo: { on, ips: '203.0.113.8' } } };
}

function key(port: number): ServiceSpec {
  return { ports: [{ protocol: 'TCP', port }], annotations: { 'heraldbgp.io/allow-shared-ip': 'k' } };
}

function shared(on: string): Readonly<Record<string, ServiceSpec>> {
  return { other: { on, ...key(81) } };
}

describe('a story', () => {
  test.each(stories)('$name', ({ moments }) => {
    play(moments, (moment, decision) => {
      expect([moment.at, told(decision)['203.0.113.1/32'] ?? '']).toEqual([moment.at, moment.told]);
      if (moment.joining !== undefined) {
        expect([moment.at, waits(decision)]).toEqual([moment.at, moment.joining]);
      }
    });
  });

  test.each(stories)('taken from the same memory without what only saves work: $name', ({ moments }) => {
    let memory = emptyMemory();
    for (const moment of moments) {
      const scratch = decide(worldAt(moment), { ...memory, routes: undefined }).decision;
      const next = decide(worldAt(moment), memory);
      ({ memory } = next);
      expect(told(scratch)).toEqual(told(next.decision));
      expect([scratch.joining, scratch.wakeAtMs]).toEqual([next.decision.joining, next.decision.wakeAtMs]);
    }
  });

  test.each(stories)(
    'decided again at the moment asked for, nobody waits a tick longer: $name',
    ({ moments }) => {
      play(moments, ({ at }, { wakeAtMs, joining }) => {
        const until = joining.flatMap(({ untilMs }) => untilMs ?? []);
        expect(Math.min(Infinity, ...until)).toBeGreaterThanOrEqual(wakeAtMs ?? Infinity);
        expect(wakeAtMs ?? Infinity).toBeGreaterThan(START_MS + at * 1000);
      });
    },
  );
});

describe('who waits', () => {
  const before: Moment = { at: 0, on: 'a', web: LOCAL, told: 'a' };
  const after: Moment = { at: 1, on: 'a b', web: LOCAL, told: 'a' };

  test('is named with where to ask', () => {
    play([before, after], ({ at }, { joining, wakeAtMs }) => {
      expect(joining.map((each) => ({ ...each, address: each.address.text }))).toEqual(
        at === 0
          ? []
          : [
              {
                serviceKey: 'default/web',
                node: 'b',
                address: '10.0.0.2',
                port: PORT,
                probe: `b|4|${PORT}`,
                untilMs: START_MS + 11_000,
              },
            ],
      );
      expect(wakeAtMs).toBe(at === 0 ? undefined : START_MS + 11_000);
    });
  });

  test('is named once for each family, and only if it has an address to ask', () => {
    const both: ServiceSpec = { ...LOCAL, ips: '203.0.113.1 2001:db8::1' };
    const nodes = { a: {}, b: {}, c: { ips: '' } };
    play(
      [
        { ...before, web: both, scene: { nodes } },
        { ...after, on: 'a b c', web: both, scene: { nodes } },
      ],
      ({ at }, decision) => expect(waits(decision)).toBe(at === 0 ? '' : 'b@11 b@11'),
    );
  });

  test('joins in the family that its kube-proxy is programmed for', () => {
    const both: ServiceSpec = { ...LOCAL, ips: '203.0.113.1 2001:db8::1' };
    const nodes = { a: {}, b: { ips: '10.0.0.2 fd00::2' } };
    const memory = play(
      [
        { ...before, web: both, scene: { nodes } },
        { ...after, web: both, scene: { nodes } },
      ],
      ({ at }, { joining }) => {
        const asked = joining.map(({ address, probe }) => `${address.text} ${probe}`);
        const expected = [`10.0.0.2 b|4|${PORT}`, `fd00::2 b|6|${PORT}`];
        expect([at, asked]).toEqual([at, at === 0 ? [] : expected]);
      },
    );
    const half = worldAt({ ...after, at: 1.2, web: both, scene: { nodes }, programmed: { b: true } });
    const { decision } = decide(half, memory);
    expect(told(decision)).toMatchObject({ '203.0.113.1/32': 'a b', '2001:db8::1/128': 'a' });
    expect(waits(decision)).toBe('b@11');
  });

  test('is sorted by Service, then as its nodes are', () => {
    const memory = play(
      [
        { at: 0, on: 'a', scene: threeServices('a'), told: '' },
        { at: 1, on: 'a c b', scene: threeServices('a'), told: '' },
      ],
      () => undefined,
    );
    const { decision } = decide(
      worldAt({ at: 1.5, on: 'a c b', scene: threeServices('a d'), told: '' }),
      memory,
    );
    expect(decision.joining.map(({ serviceKey, node }) => `${serviceKey} ${node}`)).toEqual([
      'default/api d',
      'default/web b',
      'default/web c',
      'default/zoo d',
    ]);
  });

  test('is the same list as long as nobody comes or goes', () => {
    const memory = play([before, after], () => undefined);
    const world = worldAt({ ...after, at: 1.2 });
    const one = decide(world, memory);
    const two = decide({ ...world, now: world.now + 100 }, one.memory);
    expect(two.decision.joining).toBe(one.decision.joining);
    expect(two.decision.joining).toHaveLength(1);
  });

  test('is left out with that reason, and so is a new node that any could stand in for', () => {
    const memory = play([before], () => undefined);
    const peers = explain(worldAt(after), memory, 'default/web')?.prefixes[0]?.peers ?? [];
    expect(peers[0]?.leftOut).toContainEqual({ node: 'b', reason: 'JoinPending' });
    const few = { ...EVERY_NODE, nodes: { a: {} } };
    const first = play([{ at: 0, on: 'a', scene: few, told: 'a' }], () => undefined);
    const world = worldAt({ at: 1, on: 'a', scene: { ...few, nodes: { a: {}, b: {} } }, told: 'a' });
    const [peer] = explain(world, first, 'default/web')?.prefixes[0]?.peers ?? [];
    expect(peer?.leftOut).toEqual([{ node: 'b', reason: 'JoinPending' }]);
  });
});
