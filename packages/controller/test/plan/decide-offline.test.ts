import { describe, expect, test } from 'vitest';

import {
  advertisement,
  endpoints,
  MAIL,
  NODES,
  peer,
  planOf,
  pool,
  service,
  SITE,
  siteWith,
  TOR_1,
  TOR_2,
  WEB,
  type Manifest,
} from './scene.ts';

async function addressesOf(manifests: readonly Manifest[], against?: readonly Manifest[]) {
  const { services } = await planOf(manifests, against);
  return Object.fromEntries(services.map(({ name, addresses }) => [name, addresses.join(' ')]));
}

describe('addresses', () => {
  test('are given as by a running Herald, and then announced', async () => {
    const { services, pools } = await planOf(SITE);
    const [idle, mail, web] = services;
    expect([idle?.name, mail?.name, web?.name]).toEqual(['idle', 'mail', 'web']);
    expect(new Set(services.flatMap(({ addresses }) => addresses)).size).toBe(3);
    expect(web?.routes[0]?.prefix).toBe(`${web?.addresses[0]}/32`);
    expect(pools[0]?.ipv4).toEqual({ assigned: 3, available: 13 });
  });

  test('that a Service has already stay', async () => {
    const given = { ...service('web'), status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } } };
    expect(await addressesOf(siteWith([given]))).toMatchObject({ web: '203.0.113.9' });
  });

  test('are kept from the state before', async () => {
    const before = await addressesOf(SITE);
    const after = await addressesOf(siteWith([service('aaa-comes-first')]), SITE);
    expect(after).toMatchObject(before);
  });

  test('are given anew where the pool is gone', async () => {
    const moved = siteWith([pool('other', '198.51.100.0/28')], ['IPAddressPool public']);
    const { changes, services, code } = await planOf(moved, SITE);
    expect(code).toBe(0);
    expect(changes?.addresses.map((change) => change.service)).toEqual([
      'shop/idle',
      'shop/mail',
      'shop/web',
    ]);
    expect(services.every(({ addresses }) => addresses[0]?.startsWith('198.51.100.'))).toBe(true);
  });

  test('run out with a reason', async () => {
    const { services } = await planOf(siteWith([pool('public', '203.0.113.1/32')]));
    expect(services.map(({ reason }) => reason).filter((reason) => reason === 'PoolExhausted')).toHaveLength(
      2,
    );
  });
});

describe('peers', () => {
  test('with a replica selector are planned, and that is said', async () => {
    const selective = peer('tor-2', { ...TOR_2, replicaSelector: { matchLabels: { rack: 'a' } } });
    const { peers, assumptions } = await planOf(siteWith([selective]));
    expect(peers.map(({ prefixes }) => prefixes)).toEqual([2, 2]);
    expect(assumptions.join()).toContain('replicaSelector');
  });

  test('without ADD-PATH get one next hop for each prefix, in a view of their own', async () => {
    const plain = peer('tor-2', { ...TOR_2, addPaths: { mode: 'Disabled' } });
    const { peers, services } = await planOf(siteWith([plain]));
    const web = services.find(({ name }) => name === 'web');
    expect(peers.map(({ instance, paths }) => `${instance} ${paths}`)).toEqual(['shared 3', 'view 2']);
    expect(web?.routes.map(({ peers: told, paths }) => [told, paths.length])).toEqual([
      [['tor-1'], 2],
      [['tor-2'], 1],
    ]);
  });

  test('that an advertisement does not select are told nothing of it, and no internal tag is shown', async () => {
    const manifests = siteWith([advertisement('default', { peers: ['tor-1'] })]);
    const { services, peers } = await planOf(manifests);
    const routes = services.flatMap((each) => each.routes);
    expect(routes.flatMap((route) => route.peers)).toEqual(['tor-1', 'tor-1']);
    expect(routes.flatMap(({ paths }) => paths).flatMap(({ communities }) => communities)).toEqual([]);
    expect(peers.map(({ prefixes }) => prefixes)).toEqual([2, 0]);
  });
});

describe('notes', () => {
  const TWO_LEAVES = [peer('tor-1', TOR_1), peer('tor-2', { ...TOR_2, peerASN: 64602 })];
  const CASES: readonly {
    readonly what: string;
    readonly manifests: readonly Manifest[];
    readonly noted: boolean;
  }[] = [
    {
      what: 'routers of several ASNs, the same next hops, no restriction',
      manifests: siteWith(TWO_LEAVES),
      noted: true,
    },
    { what: 'routers of one ASN', manifests: SITE, noted: false },
    {
      what: 'iBGP routers',
      manifests: siteWith([
        peer('tor-1', { ...TOR_1, peerASN: 64512 }),
        peer('tor-2', { ...TOR_2, peerASN: 64512 }),
      ]),
      noted: false,
    },
    {
      what: 'routers that say their ASN themselves may have different ones',
      manifests: siteWith([
        peer('tor-1', { peerAddress: '192.0.2.1', dynamicASN: 'external' }),
        peer('tor-2', { peerAddress: '192.0.2.2', dynamicASN: 'external' }),
      ]),
      noted: true,
    },
    {
      what: 'one of them is restricted by nextHop.cidrs',
      manifests: siteWith([
        ...TWO_LEAVES.slice(0, 1),
        peer('tor-2', { ...TOR_2, peerASN: 64602, nextHop: { cidrs: ['10.0.0.0/24'] } }),
      ]),
      noted: false,
    },
    {
      what: 'the advertisement selects nodes',
      manifests: siteWith([
        ...TWO_LEAVES,
        advertisement('default', { nodeSelectors: [{ matchLabels: {} }] }),
      ]),
      noted: false,
    },
    {
      what: 'each router gets its own Service',
      manifests: [
        ...siteWith(
          [...TWO_LEAVES, pool('two', '198.51.100.1/32'), endpoints('web', 'worker-1')],
          ['BGPAdvertisement default'],
        ),
        advertisement('one', { peers: ['tor-1'], serviceSelectors: [{ matchLabels: { to: 'one' } }] }),
        advertisement('two', { peers: ['tor-2'], serviceSelectors: [{ matchLabels: { to: 'two' } }] }),
        service('one', {}, { labels: { to: 'one' } }),
        endpoints('one', 'worker-1'),
        service('two', {}, { labels: { to: 'two' } }),
        endpoints('two', 'worker-2'),
      ],
      noted: false,
    },
    {
      what: 'one of them is shut down',
      manifests: siteWith([
        ...TWO_LEAVES.slice(0, 1),
        peer('tor-2', { ...TOR_2, peerASN: 64602, shutdown: true }),
      ]),
      noted: false,
    },
    { what: 'nothing is announced', manifests: [...NODES, ...TWO_LEAVES], noted: false },
  ];

  test.for(CASES)('$what: $noted', async ({ manifests, noted }) => {
    const { notes, verdict } = await planOf(manifests);
    expect(notes.length).toBe(noted ? 1 : 0);
    expect(notes.every((note) => note.includes('next-hop-self'))).toBe(true);
    expect(verdict.peers).toBe(2);
  });

  test('name the routers', async () => {
    const { notes } = await planOf(siteWith(TWO_LEAVES));
    expect(notes[0]).toContain('tor-1 (AS 64601), tor-2 (AS 64602)');
  });
});

test('a Service of another type is not listed', async () => {
  const { services } = await planOf([...SITE, ...WEB.slice(2), ...MAIL.slice(2)]);
  expect(services.map(({ name }) => name)).not.toContain('inner');
});
