import { describe, expect, test } from 'vitest';

import type { PlanChanges } from '../../src/plan/plan-changes.ts';
import {
  advertisement,
  BGP_SECRET,
  endpoints,
  node,
  peer,
  planned,
  planOf,
  pool,
  scene,
  secret,
  service,
  SITE,
  siteWith,
  TOR_1,
  TOR_2,
  type Manifest,
} from './scene.ts';

async function changesOf(
  after: readonly Manifest[],
  before: readonly Manifest[] = SITE,
): Promise<PlanChanges> {
  const { changes } = await planOf(after, before);
  if (changes === null) {
    throw new Error('there is something to compare with');
  }
  return changes;
}

/** As an API server shows the objects: each with a UID and a time of creation of its own. */
function asLive(manifests: readonly Manifest[], series = '4'): Manifest[] {
  return manifests.map((manifest, index) => {
    const uid = `00000000-0000-4000-8000-${series}${String(index).padStart(11, '0')}`;
    const creationTimestamp = `2026-11-01T00:00:${String(index).padStart(2, '0')}Z`;
    return { ...manifest, metadata: { ...manifest.metadata, uid, creationTimestamp } };
  });
}

const NONE: PlanChanges = {
  faultsBefore: 0,
  sessions: [],
  routes: [],
  services: [],
  addresses: [],
  pools: [],
};

test('nothing changed is nothing to show, whatever the order of files', async () => {
  expect(await changesOf(SITE.toReversed())).toEqual(NONE);
});

describe('a dump of a cluster beside manifests that know nothing of UIDs and ages', () => {
  const PLAIN = peer('tor-2', { ...TOR_2, addPaths: { mode: 'Disabled' } });
  const GIVEN = { status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } } };
  const MANIFESTS = siteWith([PLAIN]);
  const DUMP = asLive(siteWith([PLAIN, { ...service('web'), ...GIVEN }]));

  test('shows no change where nothing changes, whichever comes first', async () => {
    expect(await changesOf(MANIFESTS, DUMP)).toEqual(NONE);
    expect(await changesOf(DUMP, asLive(DUMP, '9'))).toEqual(NONE);
  });

  test('a new object is younger than all that are there, and loses', async () => {
    const after = [
      ...MANIFESTS,
      pool('a-pool-that-comes-first-by-name', '203.0.113.0/30'),
      peer('a-peer-that-comes-first-by-name', { ...TOR_2, peerASN: 64700 }),
    ];
    const { faults, changes } = await planOf(after, DUMP);
    expect(faults.map(({ object, reason }) => `${object} ${reason}`)).toEqual([
      'BGPPeer a-peer-that-comes-first-by-name DuplicatePeerAddress',
      'IPAddressPool a-pool-that-comes-first-by-name PoolOverlaps',
    ]);
    expect(changes?.sessions).toEqual([]);
    expect(changes?.addresses).toEqual([]);
  });

  test('a new object that says when it was created is believed', async () => {
    const dated = pool('a-pool-with-a-date', '203.0.113.0/30');
    const metadata = { ...dated.metadata, creationTimestamp: '2026-10-01T00:00:00Z' };
    const { faults } = await planOf([...MANIFESTS, { ...dated, metadata }], DUMP);
    expect(faults.map(({ object }) => object)).toEqual(['IPAddressPool public']);
  });
});

test('without --against there are no changes', async () => {
  expect((await planOf(SITE)).changes).toBeNull();
});

describe('sessions', () => {
  const CASES: readonly {
    readonly what: string;
    readonly after: readonly Manifest[];
    readonly before?: readonly Manifest[];
    readonly sessions: readonly string[];
  }[] = [
    {
      what: 'a new peer',
      after: siteWith([peer('tor-3', { peerAddress: '192.0.2.3', peerASN: 64601 })]),
      sessions: ['tor-3 added'],
    },
    { what: 'a peer that goes', after: siteWith([], ['BGPPeer tor-2']), sessions: ['tor-2 removed'] },
    {
      what: 'another hold time',
      after: siteWith([peer('tor-2', { ...TOR_2, holdTime: '30s' })]),
      sessions: ['tor-2 reset holdTime'],
    },
    {
      what: 'another password',
      after: siteWith([secret('bgp', { 'tor-1': 'rotated' })]),
      sessions: ['tor-1 reset password'],
    },
    {
      what: 'another address and another hold time',
      after: siteWith([peer('tor-2', { ...TOR_2, peerAddress: '192.0.2.99', holdTime: '30s' })]),
      sessions: ['tor-2 reset address'],
    },
    {
      what: 'two fields',
      after: siteWith([peer('tor-2', { ...TOR_2, holdTime: '30s', peerASN: 64700 })]),
      sessions: ['tor-2 reset remoteAs', 'tor-2 reset holdTime'],
    },
    {
      what: 'a peer that is shut down',
      after: siteWith([peer('tor-2', { ...TOR_2, shutdown: true })]),
      sessions: ['tor-2 reset shutdown'],
    },
    {
      what: 'a peer that was shut down',
      before: siteWith([peer('tor-2', { ...TOR_2, shutdown: true })]),
      after: SITE,
      sessions: ['tor-2 added'],
    },
    {
      what: 'a peer that loses ADD-PATH',
      after: siteWith([peer('tor-2', { ...TOR_2, addPaths: { mode: 'Disabled' } })]),
      sessions: ['tor-2 reset instance'],
    },
    {
      what: 'a Secret that goes: the session is left as it runs',
      after: siteWith([], ['Secret bgp']),
      sessions: [],
    },
    {
      what: 'a Secret that comes',
      before: siteWith([], ['Secret bgp']),
      after: siteWith([BGP_SECRET]),
      sessions: ['tor-1 added'],
    },
    { what: 'policy alone', after: siteWith([advertisement('default', { med: 5 })]), sessions: [] },
    {
      what: 'what needs no reset',
      after: siteWith([peer('tor-2', { ...TOR_2, connectTime: '20s', maxRoutes: 1000 })]),
      sessions: [],
    },
  ];

  test.for(CASES)('$what: $sessions', async ({ after, before, sessions }) => {
    const changes = await changesOf(after, before);
    const texts = changes.sessions.map(({ peer: name, change, field }) =>
      `${name} ${change} ${field}`.trimEnd(),
    );
    expect(texts.toSorted()).toEqual(sessions.toSorted());
    expect(changes.sessions.every(({ message }) => message.length > 10)).toBe(true);
  });
});

describe('routes', () => {
  const CASES: readonly {
    readonly what: string;
    readonly after: readonly Manifest[];
    readonly before?: readonly Manifest[];
    readonly routes: readonly string[];
  }[] = [
    {
      what: 'an endpoint that goes takes its next hop along',
      after: siteWith([endpoints('web', 'worker-1')]),
      routes: ['changed web to tor-1,tor-2: + - 10.0.0.12'],
    },
    {
      what: 'a node that comes',
      after: siteWith([node('worker-3', '10.0.0.13'), endpoints('web', 'worker-1', 'worker-2', 'worker-3')]),
      routes: ['changed web to tor-1,tor-2: + 10.0.0.13 -'],
    },
    {
      what: 'the last endpoint',
      after: siteWith([], ['EndpointSlice mail-1']),
      routes: ['removed mail to tor-1,tor-2: + - 10.0.0.12'],
    },
    {
      what: 'the first endpoint',
      before: siteWith([], ['EndpointSlice mail-1']),
      after: SITE,
      routes: ['added mail to tor-1,tor-2: + 10.0.0.12 -'],
    },
    {
      what: 'a peer that goes takes its routes only',
      after: siteWith([], ['BGPPeer tor-2']),
      routes: ['removed mail to tor-2: + - 10.0.0.12', 'removed web to tor-2: + - 10.0.0.11,10.0.0.12'],
    },
    {
      what: 'a community',
      after: siteWith([advertisement('default', { communities: ['65000:200'] })]),
      routes: [
        'changed mail to tor-1,tor-2: + - communities 65000:100 > 65000:200 on 10.0.0.12',
        'changed web to tor-1,tor-2: + - communities 65000:100 > 65000:200 on 10.0.0.11,10.0.0.12',
      ],
    },
    {
      what: 'a MED of the policy',
      after: siteWith([advertisement('default', { communities: ['65000:100'], med: 5 })]),
      routes: [
        'changed mail to tor-1,tor-2: + - med 4000000000 > 5 on 10.0.0.12',
        'changed web to tor-1,tor-2: + - med 4000000000 > 5 on 10.0.0.11,10.0.0.12',
      ],
    },
    {
      what: 'ADD-PATH that goes, for that peer only',
      after: siteWith([
        peer('tor-2', { ...TOR_2, addPaths: { mode: 'Disabled' } }),
        endpoints('web', 'worker-1'),
      ]),
      routes: ['changed web to tor-1,tor-2: + - 10.0.0.12'],
    },
  ];

  test.for(CASES)('$what', async ({ after, before, routes }) => {
    const { services } = await planOf(after, before);
    const names = new Map(
      services.flatMap(({ name, addresses }) => addresses.map((text) => [`${text}/32`, name])),
    );
    const changes = await changesOf(after, before);
    const texts = changes.routes.map(
      ({ change, prefix, peers, addedNextHops, removedNextHops, attributes }) => {
        const sides = `+ ${addedNextHops.join()} - ${removedNextHops.join()}`;
        const fields = attributes.map(
          ({ field, before: was, after: is, nextHops }) => `${field} ${was} > ${is} on ${nextHops.join()}`,
        );
        return `${change} ${names.get(prefix)} to ${peers.join()}: ${[sides, ...fields].join(' ')}`
          .replaceAll(/ +/g, ' ')
          .trim();
      },
    );
    expect(texts.toSorted()).toEqual(routes);
  });
});

describe('verdicts, addresses, pools', () => {
  test('a Service that comes, one that goes, one that is announced no more', async () => {
    const after = siteWith(
      [service('new'), endpoints('new', 'worker-1')],
      ['Service idle', 'EndpointSlice mail-1'],
    );
    const { services } = await changesOf(after);
    expect(services.map(({ service: key, before, after: is }) => `${key} ${before} ${is}`)).toEqual([
      'shop/idle NoUsableEndpoint Absent',
      'shop/mail Advertised NoUsableEndpoint',
      'shop/new Absent Advertised',
    ]);
  });

  test('a Service that stops being a LoadBalancer is said, one that never was is not', async () => {
    const after = siteWith([service('mail', { type: 'ClusterIP' }), service('other', { type: 'NodePort' })]);
    const { services, addresses } = await changesOf(after);
    expect(services.map(({ service: key, after: is }) => `${key} ${is}`)).toEqual([
      'shop/mail NotLoadBalancer',
    ]);
    expect(addresses.map(({ service: key, after: is }) => `${key} ${is.join()}`)).toEqual(['shop/mail ']);
  });

  test.for([
    {
      what: 'a pool that comes',
      after: siteWith([pool('second', '198.51.100.0/24')]),
      pools: ['added second:  > 198.51.100.0/24 Accepted'],
    },
    {
      what: 'a pool that goes',
      after: siteWith([], ['IPAddressPool public']),
      pools: ['removed public: 203.0.113.0/28 >  Absent'],
    },
    {
      what: 'a pool that grows',
      after: siteWith([pool('public', '203.0.113.0/27')]),
      pools: ['changed public: 203.0.113.0/28 > 203.0.113.0/27 Accepted'],
    },
    {
      what: 'a pool that loses to another',
      after: siteWith([pool('older-by-name', '203.0.113.0/30')]),
      pools: [
        'added older-by-name:  > 203.0.113.0/30 Accepted',
        'changed public: 203.0.113.0/28 > 203.0.113.0/28 PoolOverlaps',
      ],
    },
  ])('$what', async ({ after, pools }) => {
    const changes = await changesOf(after);
    const texts = changes.pools.map(
      ({ change, pool: name, before, after: is, reason }) =>
        `${change} ${name}: ${before.join()} > ${is.join()} ${reason}`,
    );
    expect(texts).toEqual(pools);
  });

  test('faults of the state before are counted apart and do not fail the plan', async () => {
    const before = siteWith([peer('tor-1', { ...TOR_1, peerAddress: 'nonsense' })]);
    const { code, changes, verdict } = await planOf(SITE, before);
    expect({ code, faults: verdict.faults, before: changes?.faultsBefore }).toEqual({
      code: 0,
      faults: 0,
      before: 1,
    });
  });
});

test('the text says what would happen, sessions first', async () => {
  await using place = await scene();
  const against = await place.folder('before', SITE);
  const after = siteWith(
    [
      peer('tor-2', { ...TOR_2, holdTime: '30s' }),
      peer('tor-3', { peerAddress: '192.0.2.3', peerASN: 64601 }),
      pool('public', '203.0.113.0/27'),
      advertisement('default', { communities: ['65000:200'], asPathPrepend: 2 }),
      service('new'),
      endpoints('new', 'worker-1'),
    ],
    ['BGPPeer tor-1', 'EndpointSlice mail-1'],
  );
  const { output } = await planned(await place.folder('after', after), { against });
  await expect(output).toMatchFileSnapshot('../golden/plan/against.txt');
});
