// What advertisements make of routes at real routers (CASES A7, A8, A9): aggregates, attributes, selection. FRR 10.3
// is an internal peer here; the other two are external.

import type { RouterPath } from '@herald/lab';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { advertisement, pool, type Manifest } from '../support/manifests.ts';
import { HERALD_ASN, ROUTER_NAMES, RoutesLab, eachRouter, type RouterName } from '../support/routes-lab.ts';
import { both, dualStack, on, type Expected } from '../support/service-address.ts';

/** In one /24, and in one /124 of IPv6. */
const WEB = 17;
const API = 18;
/** In that /24, but in the next /124. */
const FAR = 33;

type Spec = Readonly<Record<string, unknown>>;

let lab: RoutesLab;

beforeAll(async () => {
  lab = await RoutesLab.open({
    name: 'policy',
    workers: 4,
    asns: { frr10: HERALD_ASN },
    serves: [WEB, API, FAR],
  });
});

afterAll(() => lab.close());

/** An advertisement of everything that the tests have, and of nothing of the stage's own. */
function announce(name: string, spec: Spec = {}): Manifest {
  return advertisement(name, { ipAddressPools: ['public'], ...spec });
}

const labelled = (labels: Readonly<Record<string, string>>) => [{ matchLabels: labels }];

describe('A7: aggregates', () => {
  const AGGREGATE = { length: 24, lengthV6: 124, unassigned: 'RouterDiscards' };
  const local = { spec: { externalTrafficPolicy: 'Local' } };
  const aggregate = announce('aggregate', { aggregation: AGGREGATE });
  const v4Whole = '203.0.113.0/24';
  const v6Whole = '2001:db8:53::10/124';
  const whole = (workers: readonly number[]): Expected => ({ [v4Whole]: workers, [v6Whole]: workers });

  test('A7: under Cluster one prefix for both Services, by any of their nodes', async () => {
    const objects = [aggregate, ...dualStack('web', WEB, on(0)), ...dualStack('api', API, on(1))];
    await lab.step(objects, whole([0, 1]));
    await lab.answered({ ...both(WEB, [0, 1]), ...both(API, [0, 1]) });
  });

  test('A7: each aggregate only while something inside is announced', async () => {
    const far = dualStack('far', FAR, on(2));
    const farWhole: Expected = { '2001:db8:53::20/124': [2] };
    const web = dualStack('web', WEB, on(0));
    await lab.step([aggregate, ...web, ...far], { [v4Whole]: [0, 2], [v6Whole]: [0], ...farWhole });
    await lab.step([aggregate, ...far], { [v4Whole]: [2], ...farWhole });
    await lab.step([aggregate, ...dualStack('far', FAR, [])], {});
    await lab.step([aggregate, ...web], whole([0]));
  });

  test('A7: under Local with different nodes: nodes that serve both, and the specifics beside it', async () => {
    const objects = [
      aggregate,
      ...dualStack('web', WEB, on(0, 1), local),
      ...dualStack('api', API, on(1, 2), local),
    ];
    const specifics = { ...both(WEB, [0, 1]), ...both(API, [1, 2]) };
    await lab.step(objects, { ...whole([1]), ...specifics });
    await lab.answered(specifics);
  });

  test('A7: under Local with nothing in common: specifics only', async () => {
    const objects = [
      aggregate,
      ...dualStack('web', WEB, on(0, 1), local),
      ...dualStack('api', API, on(2, 3), local),
    ];
    await lab.served(objects, { ...both(WEB, [0, 1]), ...both(API, [2, 3]) });
  });

  test('A7: without the word that the router discards the rest, the object is refused', async () => {
    const unsafe = announce('unsafe', { aggregation: { length: 24 } });
    await lab.step([unsafe, ...dualStack('web', WEB, on(0))], {});
    await lab.says('web', 'NoAdvertisement');
    const status = await lab.herald.get<{ faults: { object: string; reason: string }[] }>('/api/v1/status');
    expect(status.faults).toMatchObject([
      { object: expect.stringContaining('unsafe') as string, reason: 'AggregateUnsafe' },
    ]);
  });
});

interface Attributes {
  readonly communities: readonly string[];
  readonly asPath: readonly number[];
  readonly med: number | undefined;
  readonly localPref: number | undefined;
}

/** FRR writes names, with and without hyphens and capitals; BIRD numbers. */
const WELL_KNOWN = new Map([
  ['gracefulshutdown', '65535:0'],
  ['acceptown', '65535:1'],
  ['nollgr', '65535:7'],
  ['noexport', '65535:65281'],
  ['noadvertise', '65535:65282'],
  ['localas', '65535:65283'],
  ['nopeer', '65535:65284'],
]);

function inNumbers(text: string): string {
  return WELL_KNOWN.get(text.replaceAll('-', '').toLowerCase()) ?? text;
}

function attributes({ communities, asPath, med, localPref }: RouterPath): Attributes {
  const numbers = communities.map(inNumbers).sort();
  return { communities: numbers, asPath, med, localPref };
}

/** The attributes of the Service's paths of both families, which must all have the same. */
async function seen(name: RouterName, number: number): Promise<Attributes> {
  const [paths4, paths6] = await Promise.all([lab.router(name).table(4), lab.router(name).table(6)]);
  const prefixes = Object.keys(both(number, []));
  const paths = [...paths4, ...paths6].filter(({ prefix }) => prefixes.includes(prefix)).map(attributes);
  const [first, ...others] = paths;
  if (first === undefined) {
    throw new Error(`${name} has no path for ${prefixes.join(' and ')}`);
  }
  others.forEach((other) => expect(other).toEqual(first));
  return first;
}

describe('A8: attributes', () => {
  const web = dualStack('web', WEB, on(0, 1));
  const routes = both(WEB, [0, 1]);
  const INTERNAL: readonly RouterName[] = ['frr10'];
  const EXTERNAL: readonly RouterName[] = ['frr8', 'bird'];

  async function announced(...advertisements: readonly Manifest[]): Promise<Record<RouterName, Attributes>> {
    await lab.served([...advertisements, ...web], routes);
    return await eachRouter((name) => seen(name, WEB));
  }

  test('A8: none: no community, own AS, the rank as MED', async () => {
    const found = await announced(announce('a'));
    for (const name of ROUTER_NAMES) {
      expect(found[name].communities).toEqual([]);
      expect(found[name].med).toBeLessThan(4_000_000_000);
      expect(found[name].med).toBeGreaterThan(3_000_000_000);
    }
    EXTERNAL.forEach((name) => expect(found[name].asPath).toEqual([HERALD_ASN]));
    INTERNAL.forEach((name) => expect(found[name].asPath).toEqual([]));
  });

  test('A8: communities, standard, large and well-known, and no tag of ours', async () => {
    const communities = ['65000:100', 'large:65000:1:2', 'no-export'];
    const found = await announced(announce('a', { communities }));
    for (const name of ROUTER_NAMES) {
      expect(found[name].communities, name).toEqual(['65000:100', '65000:1:2', '65535:65281']);
    }
  });

  test('A8: well-known communities are for the router, not for our own bgpd', async () => {
    const communities = ['no-advertise', 'local-as', 'no-peer', 'graceful-shutdown', 'no-llgr', 'accept-own'];
    const found = await announced(announce('a', { communities }));
    const numbers = ['65535:0', '65535:1', '65535:65282', '65535:65283', '65535:65284', '65535:7'];
    ROUTER_NAMES.forEach((name) => expect(found[name].communities, name).toEqual(numbers));
  });

  test('A8: localPref, for internal peers only', async () => {
    const found = await announced(announce('a', { localPref: 250 }));
    INTERNAL.forEach((name) => expect(found[name].localPref).toBe(250));
    EXTERNAL.forEach((name) => expect(found[name].localPref).not.toBe(250));
  });

  test('A8: MED', async () => {
    const found = await announced(announce('a', { med: 77 }));
    ROUTER_NAMES.forEach((name) => expect(found[name].med, name).toBe(77));
  });

  test.each([1, 2, 5, 16])('A8: prepending %i times', async (asPathPrepend) => {
    const found = await announced(announce('a', { asPathPrepend }));
    const path = Array.from({ length: asPathPrepend + 1 }, () => HERALD_ASN);
    EXTERNAL.forEach((name) => expect(found[name].asPath).toEqual(path));
    // Its own AS number would make an internal peer refuse the path as a loop (RFC 4271 section 9.1.2).
    INTERNAL.forEach((name) => expect(found[name].asPath).toEqual([]));
  });

  test('A8: overlapping advertisements unite their communities; what only one says holds', async () => {
    const found = await announced(
      announce('a', { communities: ['65000:1', '65000:2'], med: 5 }),
      announce('b', { communities: ['65000:2', 'large:65000:3:3'] }),
    );
    for (const name of ROUTER_NAMES) {
      expect(found[name].communities, name).toEqual(['65000:1', '65000:2', '65000:3:3']);
      expect(found[name].med).toBe(5);
    }
  });

  test('A8: for one peer only', async () => {
    const found = await announced(
      announce('a'),
      announce('b', { communities: ['65000:9'], peers: ['bird'] }),
    );
    expect(found.bird.communities).toEqual(['65000:9']);
    expect(found.frr8.communities).toEqual([]);
    expect(found.frr10.communities).toEqual([]);
  });

  test('A8: an edited community replaces the old one on the same path', async () => {
    await announced(announce('a', { communities: ['65000:1'] }));
    const edited = await announced(announce('a', { communities: ['65000:2'] }));
    ROUTER_NAMES.forEach((name) => expect(edited[name].communities).toEqual(['65000:2']));
  });

  test('A8: a contradiction is a reason, never a guess, and only for the peers that it is about', async () => {
    const contradicting = [announce('a', { med: 1 }), announce('b', { med: 2 })];
    await lab.step([...contradicting, ...web], {});
    await lab.says('web', 'AdvertisementConflict');
    const forOne = [announce('a', { med: 1 }), announce('b', { med: 2, peers: ['bird'] })];
    await lab.stepOf([...forOne, ...web], (name) => (name === 'bird' ? {} : routes));
    const service = await lab.herald.get<{ service: { reason: string; remarks: string[] } }>(
      '/api/v1/services/default/web',
    );
    expect(service.service).toMatchObject({ reason: 'Advertised', remarks: ['AdvertisementConflict'] });
    await lab.served([announce('a', { med: 1 }), ...web], routes);
  });
});

describe('A9: selection', () => {
  /** Beyond the pools of the stage. */
  const GOLD = 250;
  const goldAddresses = ['203.0.113.250', '2001:db8:53::fa'];
  const gold: Manifest = {
    ...pool('gold', goldAddresses),
    metadata: { name: 'gold', labels: { tier: 'gold' } },
  };
  const services = [
    ...dualStack('web', WEB, on(0, 1), { labels: { app: 'web' } }),
    ...dualStack('api', API, on(1, 2), { labels: { app: 'api' } }),
    ...dualStack('rich', GOLD, on(2, 3), { labels: { app: 'rich' } }),
  ];
  const web = both(WEB, [0, 1]);
  const api = both(API, [1, 2]);
  const rich = both(GOLD, [2, 3]);
  /** All pools but the stage's own. */
  const everything = { ipAddressPools: ['public', 'gold'] };

  const rows: [title: string, spec: Spec, expected: Expected][] = [
    ['by pool', { ipAddressPools: ['gold'] }, rich],
    ['by pool label', { ipAddressPoolSelectors: labelled({ tier: 'gold' }) }, rich],
    ['by service label', { ...everything, serviceSelectors: labelled({ app: 'api' }) }, api],
    [
      'by one of several service labels',
      { ...everything, serviceSelectors: [...labelled({ app: 'api' }), ...labelled({ app: 'rich' })] },
      { ...api, ...rich },
    ],
    ['nothing that exists', { ...everything, serviceSelectors: labelled({ app: 'none' }) }, {}],
    ['everything', everything, { ...web, ...api, ...rich }],
  ];
  test.each(rows)('A9: %s', async (_, spec, expected) => {
    await lab.step([gold, advertisement('a', spec), ...services], expected);
  });

  describe('A9: peers', () => {
    afterEach(() => lab.writePeers());

    const peerRows: [title: string, spec: Spec][] = [
      ['by name', { ...everything, peers: ['frr8'] }],
      ['by label', { ...everything, peerSelectors: labelled({ rack: 'one' }) }],
    ];
    test.each(peerRows)('A9: peers %s', async (_, spec) => {
      lab.writePeers({ frr8: { labels: { rack: 'one' } }, bird: { labels: { rack: 'two' } } });
      await lab.stepOf([gold, advertisement('a', spec), ...services], (name) =>
        name === 'frr8' ? { ...web, ...api, ...rich } : {},
      );
      await lab.answeredBehind('frr8', web);
    });
  });

  test('A9: node labels, and a node that is relabelled', async () => {
    const objects = [
      gold,
      advertisement('a', { ...everything, nodeSelectors: labelled({ edge: 'yes' }) }),
      ...services,
    ];
    const edge = { labels: { edge: 'yes' } };
    [0, 1, 2].forEach((index) => lab.writeNode(index, edge));
    const others = { ...web, ...both(GOLD, [2]) };
    await lab.step(objects, { ...others, ...api });
    lab.writeNode(1);
    await lab.step(objects, { ...both(WEB, [0]), ...both(API, [2]), ...both(GOLD, [2]) });
    await lab.answered({ ...both(WEB, [0]), ...both(API, [2]) });
    lab.writeNode(1, edge);
    await lab.step(objects, { ...others, ...api });
    [0, 1, 2].forEach((index) => lab.writeNode(index));
  });

  test('A9: a selector changed to match nothing takes only its own routes', async () => {
    const first = advertisement('a', { ...everything, serviceSelectors: labelled({ app: 'web' }) });
    const second = (app: string) =>
      advertisement('b', { ...everything, serviceSelectors: labelled({ app }) });
    await lab.step([gold, first, second('api'), ...services], { ...web, ...api });
    await lab.untouched(Object.keys(web), () => lab.step([gold, first, second('none'), ...services], web));
    await lab.says('api', 'NoAdvertisement');
    await lab.answered(web);
  });
});

test('A12: no session was touched by any of this', async () => {
  expect(await lab.connectionsDropped()).toEqual({ frr8: 0, frr10: 0, bird: 0 });
});

test('A8: the same at a router that takes one path only', async () => {
  lab.writePeers({ bird: { spec: { addPaths: { mode: 'Disabled' } } } });
  const policy = announce('a', { communities: ['no-export', 'large:65000:1:2'], asPathPrepend: 2 });
  const objects = [policy, ...dualStack('web', WEB, on(0, 1))];
  await lab.settled(objects, (routes, name) =>
    Object.keys(both(WEB, [])).every((prefix) => routes[prefix]?.length === (name === 'bird' ? 1 : 2)),
  );
  expect(await seen('bird', WEB)).toMatchObject({
    communities: ['65000:1:2', '65535:65281'],
    asPath: [HERALD_ASN, HERALD_ASN, HERALD_ASN],
  });
});
