// The tables that are kept for a start without live data say what was announced, path for path, at a rank below
// whatever any replica says that knows; and they are what the next process adopts once it knows.

import type { PathAttributes, RouteTable } from '@herald/net';
import { PersistentMap } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, keptTables } from '../../src/index.ts';
import type { Decided, KeptTables, Tables, World } from '../../src/index.ts';
import { currentRank, rankedMed, rankRule, unconfirmedRank } from '../../src/routes/rank.ts';
import { finished } from '../../src/steps.ts';
import { endpoints, retainedFrom, sceneWorld } from './small-world.ts';
import type { Scene } from './small-world.ts';

/** The highest that the controller's standby-order.ts gives out. */
const LAST_ORDINAL = 190_000_000;

const SERVICES: NonNullable<Scene['services']> = {
  web: { on: 'a b' },
  other: { on: 'b c', ips: '203.0.113.2' },
  six: { on: 'a d', ips: '203.0.113.3 2001:db8::3', ipFamilies: [4, 6] },
};

const PLAIN = { offers: { 4: false, 6: false } } as const;
const SCENES: Readonly<Record<string, Scene>> = {
  'one peer': {},
  'a standby': { leadership: { leading: false }, ordinal: 77 },
  'two peers of which one is told less': {
    peers: { tor: {}, spine: {} },
    ads: { default: {}, quiet: { peers: ['spine'], communities: [] } },
  },
  'a peer with a view of its own': { peers: { tor: {}, plain: PLAIN } },
  'weights and a longer path': { ads: { default: { asPathPrepend: 2, nextHops: { weight: 'Endpoints' } } } },
  'a policy that owns MED': { ads: { default: { med: 5 } } },
  'no ranks': { peers: { tor: { rank: { mode: 'None', base: undefined } } } },
  'ranks in LOCAL_PREF': { peers: { tor: { rank: { mode: 'LocalPref', base: 1000 } } } },
};

function keptOf({ memory }: Decided, ordinal = 0, before?: KeptTables): KeptTables {
  const kept = finished(keptTables(memory, ordinal, before));
  if (kept === undefined) {
    throw new Error('something was decided');
  }
  return kept;
}

type Rankless = Omit<PathAttributes, 'key' | 'med' | 'localPref'>;

function content(table: RouteTable, describeAttributes: (of: PathAttributes) => unknown) {
  const entries = Array.from(table, ([text, { prefix, paths }]) => {
    const told = paths.map(({ pathId, nextHop, attributes }) => [
      pathId,
      nextHop.text,
      describeAttributes(attributes),
    ]);
    return [text, [prefix.text, told]] as const;
  });
  return Object.fromEntries(entries);
}

function contents({ shared, views }: Tables, describeAttributes: (of: PathAttributes) => unknown) {
  const each = Array.from(views, ([name, table]) => [name, content(table, describeAttributes)] as const);
  return { '': content(shared, describeAttributes), ...Object.fromEntries(each) };
}

function rankless({ key: _key, med: _med, localPref: _localPref, ...rest }: PathAttributes): Rankless {
  return rest;
}

function attributesIn({ shared, views }: Tables): readonly PathAttributes[] {
  const all = [shared, ...views.values()].flatMap((table) => [...table.values()]);
  return all.flatMap(({ paths }) => paths.map(({ attributes }) => attributes));
}

describe('a kept table', () => {
  test.each(Object.entries(SCENES))('says what was announced, but for the rank: %s', (_name, scene) => {
    const decided = decide(sceneWorld({ services: SERVICES, ...scene }), emptyMemory());
    const { tables } = keptOf(decided);
    expect(contents(tables, rankless)).toEqual(contents(decided.decision.tables, rankless));
    expect(attributesIn(tables).length).toBeGreaterThan(0);
  });

  test.each([
    ['one peer', 4_290_000_043, 100],
    ['a standby', 4_290_000_043, 100],
    ['a policy that owns MED', 5, 100],
    ['no ranks', 0, 100],
    ['ranks in LOCAL_PREF', 0, 0],
  ])('%s: MED %d, LOCAL_PREF %d', (name, med, localPref) => {
    const decided = decide(sceneWorld({ services: SERVICES, ...SCENES[name] }), emptyMemory());
    const found = attributesIn(keptOf(decided, 42).tables);
    expect(new Set(found.map((of) => `${of.med} ${of.localPref}`))).toEqual(new Set([`${med} ${localPref}`]));
  });

  test('ranks below every replica that knows, whoever they are, and two of them differ', () => {
    const ordinals = fc.integer({ min: 0, max: LAST_ORDINAL });
    const rule = rankRule({ mode: 'MED', base: undefined });
    fc.assert(
      fc.property(ordinals, ordinals, fc.boolean(), fc.nat(2_000_000_000), (ours, theirs, leading, term) => {
        const live = currentRank({ leading, term }, { name: 'x', labels: {}, ordinal: theirs });
        expect(rankedMed(rule, unconfirmedRank(ours))).toBeGreaterThan(rankedMed(rule, live));
        const isClose = ours !== theirs && Math.abs(ours - theirs) < 4_900_000;
        expect(!isClose || unconfirmedRank(ours) !== unconfirmedRank(theirs)).toBe(true);
      }),
      { examples: [[0, LAST_ORDINAL, false, 0]] },
    );
  });

  test('of a replica that stands by is empty', () => {
    const replicas = { leader: 'herald-9', others: new Map([['herald-9', { node: 'a', ordinal: 9 }]]) };
    const scene = { services: SERVICES, leadership: { leading: false }, replicas };
    const decided = decide(sceneWorld({ ...scene, settings: { standbyMode: 'Warm' } }), emptyMemory());
    expect(keptOf(decided).tables).toEqual({ shared: PersistentMap.empty(), views: new Map() });
  });

  test('is none before anything was decided', () => {
    expect(finished(keptTables(emptyMemory(), 0, undefined))).toBeUndefined();
  });
});

const PLACES = ['', 'a', 'b', 'a b', 'a b c', 'b:off c', 'd'];
const CHANGES = fc.array(
  fc.record({ service: fc.constantFrom('web', 'other'), on: fc.constantFrom(...PLACES), kept: fc.boolean() }),
  { maxLength: 12 },
);

function moved(world: World, service: string, on: string): World {
  const slice = world.endpointSlices.get(`default/${service}-0`);
  if (slice === undefined) {
    throw new Error(`no slice of ${service}`);
  }
  const next = { ...slice, endpoints: endpoints(on) };
  return { ...world, endpointSlices: world.endpointSlices.set(slice.key, next) };
}

test('kept step by step, however often, it is what it would be made at once', () => {
  fc.assert(
    fc.property(CHANGES, fc.boolean(), (changes, isPlain) => {
      const peers = { tor: {}, ...(isPlain ? { plain: PLAIN } : {}) };
      let world = sceneWorld({ services: SERVICES, peers });
      let decided = decide(world, emptyMemory());
      let kept = keptOf(decided);
      for (const { service, on, kept: isKept } of changes) {
        world = moved(world, service, on);
        decided = decide(world, decided.memory);
        kept = isKept ? keptOf(decided, 0, kept) : kept;
      }
      const all = contents(keptOf(decided, 0, kept).tables, ({ key }) => key);
      expect(all).toEqual(contents(keptOf(decided).tables, ({ key }) => key));
    }),
  );
});

test('what was announced from it is adopted by who knows, and only what changed gets a rank of now', () => {
  const world = sceneWorld({ services: SERVICES });
  const { decision, memory } = decide(world, emptyMemory());
  const { tables } = keptOf({ decision, memory }, 42);
  const retained = retainedFrom({ ...decision, tables });
  const same = decide({ ...world, retained }, emptyMemory()).decision;
  expect(contents(same.tables, ({ key }) => key)).toEqual(contents(tables, ({ key }) => key));
  const later = decide({ ...moved(world, 'other', 'c'), retained }, emptyMemory()).decision;
  const meds = Object.fromEntries(
    [...later.tables.shared].map(([text, { paths }]) => [
      text,
      paths.map(({ attributes }) => attributes.med),
    ]),
  );
  expect(meds['203.0.113.1/32']).toEqual([4_290_000_043, 4_290_000_043]);
  expect(meds['203.0.113.2/32']).toEqual([3_999_999_000]);
});
