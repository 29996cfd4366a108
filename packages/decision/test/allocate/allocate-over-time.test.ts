// What happens to addresses when Services and pools change: nothing that worked is lost, nothing is given
// twice, and a restart or a change of leader moves no address.

import { describe, expect, test } from 'vitest';
import { address } from '@herald/net';
import { SimulatedCluster, label, marks, service } from './simulated-cluster.ts';
import type { PoolSpec, ServiceSpec } from './simulated-cluster.ts';

const V4: PoolSpec = { ranges: ['192.0.2.1-192.0.2.3'] };
const DUAL: PoolSpec = { ranges: ['192.0.2.1-192.0.2.3', '2001:db8::1-2001:db8::3'] };
const shares = (key: string, ports: string[], spec: ServiceSpec = {}): ServiceSpec => ({
  ...spec,
  ports,
  annotations: { 'heraldbgp.io/allow-shared-ip': key },
});
const ips = (value: string): ServiceSpec => ({ annotations: { 'heraldbgp.io/load-balancer-ips': value } });
const inPool = (value: string): ServiceSpec => ({ annotations: { 'heraldbgp.io/address-pool': value } });

interface Story {
  name: string;
  pools: Record<string, PoolSpec>;
  services: Record<string, ServiceSpec>;
  change: (cluster: SimulatedCluster) => void;
  shown: Record<string, string>;
}

const stories: Story[] = [
  {
    name: 'a pool that shrinks moves only what fell out of it',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.pools({ a: { ranges: ['192.0.2.2-192.0.2.3'] } }),
    shown: { x: '192.0.2.3', y: '192.0.2.2' },
  },
  {
    name: 'a pool that is deleted: addresses come from the other one, as far as it goes',
    pools: { a: V4, b: { ranges: ['198.51.100.1'] } },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.pools({ a: undefined }),
    shown: { x: '198.51.100.1', y: 'PoolExhausted' },
  },
  {
    name: 'the last pool deleted',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.pools({ a: undefined }),
    shown: { x: 'NoPool' },
  },
  {
    name: 'a pool that is renamed keeps every address',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.pools({ a: undefined, renamed: V4 }),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a pool edited into an older one keeps what is in use',
    pools: { old: { ranges: ['192.0.2.1'], age: 1 }, late: { ranges: ['192.0.2.8-192.0.2.9'], age: 2 } },
    services: { x: inPool('late') },
    change: (cluster) =>
      cluster
        .pools({ late: { ranges: ['192.0.2.1', '192.0.2.8-192.0.2.9'], age: 2 } })
        .put(service('y', inPool('late'))),
    shown: { x: '192.0.2.8', y: 'PoolOverlaps' },
  },
  {
    name: 'a pool that grows serves who waits',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: { x: { age: 1 }, y: { age: 2 } },
    change: (cluster) => cluster.pools({ a: V4 }),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a freed address goes to the oldest that waits',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: { x: { age: 1 }, y: { age: 3 }, z: { age: 2 } },
    change: (cluster) => cluster.remove('x'),
    shown: { z: '192.0.2.1', y: 'PoolExhausted' },
  },
  {
    name: 'a Service recreated under its name is another Service',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.put(service('x', { uid: 'second' })),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'an address that is asked for later',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', ips('192.0.2.3')),
    shown: { x: '192.0.2.3' },
  },
  {
    name: 'asking for what another one has loses nothing',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.edit('y', ips('192.0.2.1')),
    shown: { x: '192.0.2.1', y: '192.0.2.2 AddressInUse' },
  },
  {
    name: 'and is fulfilled once it is free',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) => {
      cluster.edit('y', ips('192.0.2.1')).settle();
      cluster.remove('x');
    },
    shown: { y: '192.0.2.1' },
  },
  {
    name: 'of two addresses that are asked for the one that can be had is given, the other family keeps its own',
    pools: { a: DUAL },
    services: {
      x: { families: [4, 6], stack: 'RequireDualStack', age: 1 },
      y: { families: [6], age: 2 },
    },
    change: (cluster) =>
      cluster.edit('x', {
        families: [4, 6],
        stack: 'RequireDualStack',
        age: 1,
        ...ips('192.0.2.3,2001:db8::2'),
      }),
    shown: { x: '192.0.2.3,2001:db8::1 AddressInUse', y: '2001:db8::2' },
  },
  {
    name: 'a request that cannot be read loses nothing',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', ips('nonsense')),
    shown: { x: '192.0.2.1 RequestInvalid' },
  },
  {
    name: 'another pool that is asked for later, and one that does not exist',
    pools: { a: V4, b: { ranges: ['198.51.100.1'] } },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.edit('x', inPool('b')).edit('y', inPool('ghost')),
    shown: { x: '198.51.100.1', y: '192.0.2.2 PoolUnknown' },
  },
  {
    name: 'a pin added later does not take addresses away',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.pools({ a: { ...V4, pin: { namespaces: ['other'] } } }),
    shown: { x: '192.0.2.1' },
  },
  {
    name: 'a namespace that gets the label of a pin',
    pools: { a: { ...V4, pin: { namespaceSelectors: [label('team', 'blue')] } } },
    services: { x: {} },
    change: (cluster) => cluster.namespaces({ default: { team: 'blue' } }),
    shown: { x: '192.0.2.1' },
  },
  {
    name: 'a sharing key changed alone keeps the address',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1']) },
    change: (cluster) => cluster.edit('x', shares('other', ['TCP/1'])),
    shown: { x: '192.0.2.1' },
  },
  {
    name: 'changed in company, the younger moves, whoever was edited',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1'], { age: 1 }), y: shares('k', ['TCP/2'], { age: 2 }) },
    change: (cluster) => cluster.edit('x', shares('other', ['TCP/1'], { age: 1 })),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a sharing key given up by the younger: it moves',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1'], { age: 1 }), y: shares('k', ['TCP/2'], { age: 2 }) },
    change: (cluster) => cluster.edit('y', { ports: ['TCP/2'], age: 2 }),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a policy changed in company',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1'], { age: 1 }), y: shares('k', ['TCP/2'], { age: 2 }) },
    change: (cluster) => cluster.edit('y', shares('k', ['TCP/2'], { age: 2, policy: 'Local' })),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'and changed back: it stays where it went',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1'], { age: 1 }), y: shares('k', ['TCP/2'], { age: 2 }) },
    change: (cluster) => {
      cluster.edit('y', shares('k', ['TCP/2'], { age: 2, policy: 'Local' })).settle();
      cluster.edit('y', shares('k', ['TCP/2'], { age: 2 }));
    },
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a pod selector changed in company under policy Local',
    pools: { a: V4 },
    services: {
      x: shares('k', ['TCP/1'], { age: 1, policy: 'Local', selector: 'app=x' }),
      y: shares('k', ['TCP/2'], { age: 2, policy: 'Local', selector: 'app=x' }),
    },
    change: (cluster) =>
      cluster.edit('y', shares('k', ['TCP/2'], { age: 2, policy: 'Local', selector: 'app=y' })),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a port added that clashes in company',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1'], { age: 1 }), y: shares('k', ['TCP/2'], { age: 2 }) },
    change: (cluster) => cluster.edit('x', shares('k', ['TCP/1', 'TCP/2'], { age: 1 })),
    shown: { x: '192.0.2.1', y: '192.0.2.2' },
  },
  {
    name: 'a port given up lets who waits share the address',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: {
      x: shares('k', ['TCP/1', 'TCP/2'], { age: 1 }),
      y: shares('k', ['TCP/2'], { age: 2 }),
    },
    change: (cluster) => cluster.edit('x', shares('k', ['TCP/1'], { age: 1 })),
    shown: { x: '192.0.2.1', y: '192.0.2.1' },
  },
  {
    name: 'one of two that share is deleted',
    pools: { a: V4 },
    services: { x: shares('k', ['TCP/1']), y: shares('k', ['TCP/2']) },
    change: (cluster) => cluster.remove('x').put(service('z', { ports: ['TCP/1'] })),
    shown: { y: '192.0.2.1', z: '192.0.2.2' },
  },
  {
    name: 'a family added later',
    pools: { a: DUAL },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', { families: [4, 6], stack: 'RequireDualStack' }),
    shown: { x: '192.0.2.1,2001:db8::1' },
  },
  {
    name: 'a family added later that no pool has: what works stays, and Require says so',
    pools: { a: V4 },
    services: { x: {}, y: {} },
    change: (cluster) =>
      cluster
        .edit('x', { families: [4, 6], stack: 'RequireDualStack' })
        .edit('y', { families: [4, 6], stack: 'PreferDualStack' }),
    shown: { x: '192.0.2.1 NoAddressOfServiceFamily', y: '192.0.2.2' },
  },
  {
    name: 'a family added later comes from another pool when its own has none',
    pools: { a: V4, b: { ranges: ['2001:db8::1'] } },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', { families: [4, 6], stack: 'PreferDualStack' }),
    shown: { x: '192.0.2.1,2001:db8::1' },
  },
  {
    name: 'a family given up is free for others',
    pools: { a: { ranges: ['192.0.2.1-192.0.2.2', '2001:db8::1'] } },
    services: { x: { families: [4, 6], stack: 'RequireDualStack' } },
    change: (cluster) => cluster.edit('x', {}).put(service('y', { families: [6] })),
    shown: { x: '192.0.2.1', y: '2001:db8::1' },
  },
  {
    name: 'a type changed away gives the address back',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.edit('x', { type: 'ClusterIP' }),
    shown: { x: '', y: '192.0.2.1' },
  },
  {
    name: 'a Service on its way out keeps its address until it is gone',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.edit('x', { deleting: true }),
    shown: { x: '192.0.2.1', y: 'PoolExhausted' },
  },
  {
    name: 'a class changed away: nothing is taken, nobody else gets it',
    pools: { a: { ranges: ['192.0.2.1'] } },
    services: { x: {}, y: {} },
    change: (cluster) => cluster.edit('x', { class: 'other' }),
    shown: { x: '192.0.2.1', y: 'PoolExhausted' },
  },
  {
    name: 'avoidBuggyIPs and autoAssign changed later take nothing away',
    pools: { a: { ranges: ['192.0.2.0/31'] } },
    services: { x: {} },
    change: (cluster) =>
      cluster
        .pools({ a: { ranges: ['192.0.2.0/31'], avoidBuggyIPs: true, autoAssign: false } })
        .put(service('y')),
    shown: { x: '192.0.2.0', y: 'NoPool' },
  },
  {
    name: 'a pool turned single-stack: Require keeps what still works, and says so',
    pools: { a: DUAL },
    services: { x: { families: [4, 6], stack: 'RequireDualStack' } },
    change: (cluster) => cluster.pools({ a: V4 }),
    shown: { x: '192.0.2.1 NoAddressOfServiceFamily' },
  },
  {
    name: 'a pool turned single-stack: Prefer keeps the other family',
    pools: { a: DUAL },
    services: { x: { families: [4, 6], stack: 'PreferDualStack' } },
    change: (cluster) => cluster.pools({ a: { ranges: ['2001:db8::1-2001:db8::3'] } }),
    shown: { x: '2001:db8::1' },
  },
  {
    name: 'Prefer gets its second family when there is room',
    pools: { a: { ranges: ['192.0.2.1-192.0.2.2', '2001:db8::1'] } },
    services: {
      x: { age: 1, families: [6] },
      y: { age: 2, families: [4, 6], stack: 'PreferDualStack' },
    },
    change: (cluster) => cluster.remove('x'),
    shown: { y: '192.0.2.1,2001:db8::1' },
  },
  {
    name: 'somebody else overwrites the address: hands off',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', { has: ['203.0.113.9'] }),
    shown: { x: '203.0.113.9 AddressNotOurs' },
  },
  {
    name: 'somebody else replaces the address by a host: hands off, and the address is free',
    pools: { a: V4 },
    services: { x: {} },
    change: (cluster) => cluster.edit('x', { has: [], host: true }).put(service('y', { age: 9 })),
    shown: { x: 'AddressNotOurs', y: '192.0.2.1' },
  },
  {
    name: 'the same address for two Services by a delayed write of an older term: that one keeps it',
    pools: { a: V4 },
    services: { x: { age: 1 } },
    change: (cluster) =>
      cluster.put(service('late', { age: 2, has: ['192.0.2.1'], annotations: marks(0, '192.0.2.1') })),
    shown: { x: '192.0.2.2', late: '192.0.2.1' },
  },
  {
    name: 'of a newer term: it moves, though its Service is older',
    pools: { a: V4 },
    services: { x: { age: 2 } },
    change: (cluster) =>
      cluster.put(service('late', { age: 1, has: ['192.0.2.1'], annotations: marks(2, '192.0.2.1') })),
    shown: { x: '192.0.2.1', late: '192.0.2.2' },
  },
  {
    name: 'an address that somebody else wrote is kept by that Service: ours moves',
    pools: { a: V4 },
    services: { x: { age: 1 } },
    change: (cluster) => cluster.put(service('late', { age: 2, has: ['192.0.2.1'] })),
    shown: { x: '192.0.2.2', late: '192.0.2.1' },
  },
  {
    name: 'a mark that does not name the address says nothing about its term',
    pools: { a: V4 },
    services: { x: { age: 1 } },
    change: (cluster) =>
      cluster.put(service('late', { age: 2, has: ['192.0.2.1'], annotations: marks(9, '192.0.2.9') })),
    shown: { x: '192.0.2.2', late: '192.0.2.1' },
  },
  {
    name: 'a term that is no number says nothing',
    pools: { a: V4 },
    services: { x: { age: 1 } },
    change: (cluster) =>
      cluster.put(
        service('late', {
          age: 2,
          has: ['192.0.2.1'],
          annotations: {
            'heraldbgp.io/allocated-addresses': '192.0.2.1',
            'heraldbgp.io/allocated-term': '9e9',
          },
        }),
      ),
    shown: { x: '192.0.2.2', late: '192.0.2.1' },
  },
];

describe('changes', () => {
  test.each(stories)('$name', ({ pools, services, change, shown }) => {
    const cluster = new SimulatedCluster().pools(pools);
    cluster.put(...Object.entries(services).map(([key, spec]) => service(key, spec))).settle();
    change(cluster);
    expect(cluster.shown(cluster.settle())).toEqual(shown);
  });

  test.each(stories)('a restart afterwards changes nothing: $name', ({ pools, services, change, shown }) => {
    const cluster = new SimulatedCluster().pools(pools);
    cluster.put(...Object.entries(services).map(([key, spec]) => service(key, spec))).settle();
    change(cluster);
    cluster.settle();
    const restarted = cluster.restart().tick();
    expect(restarted.allocations).toEqual([]);
    expect(cluster.shown(restarted)).toEqual(shown);
  });
});

const termsOf = (cluster: SimulatedCluster) =>
  cluster.tick().allocations.map(({ serviceKey, term }) => `${serviceKey} ${term}`);

test('an address that the API server takes away with the type leaves no mark behind', () => {
  const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'));
  cluster.settle();
  const given = cluster.world.services.get('default/x');
  cluster.put(service('x', { type: 'ClusterIP', annotations: { ...given?.annotations } }));
  cluster.settle();
  expect(Object.keys(given?.annotations ?? {})).toHaveLength(2);
  expect(cluster.world.services.get('default/x')?.annotations).toEqual({});
});

describe('the term beside the addresses', () => {
  test('is that of the leadership', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x')).inTerm(7);
    expect(termsOf(cluster)).toEqual(['default/x 7']);
  });

  test('is that of an address that stays, when a family is added', () => {
    const cluster = new SimulatedCluster().pools({ a: DUAL }).put(service('x')).inTerm(3);
    cluster.settle();
    cluster.inTerm(7).edit('x', { families: [4, 6], stack: 'RequireDualStack' });
    expect(termsOf(cluster)).toEqual(['default/x 3']);
  });

  test('is new when every address is', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x')).inTerm(3);
    cluster.settle();
    cluster.inTerm(7).edit('x', ips('192.0.2.3'));
    expect(termsOf(cluster)).toEqual(['default/x 7']);
  });

  test('is before all terms for an address that was never marked', () => {
    const cluster = new SimulatedCluster().pools({ a: DUAL }).inTerm(7);
    cluster.put(service('x', { has: ['192.0.2.2'], families: [4, 6], stack: 'RequireDualStack' }));
    expect(termsOf(cluster)).toEqual(['default/x 0']);
  });
});

const race = (): SimulatedCluster => {
  const old = new SimulatedCluster()
    .pools({ a: V4 })
    .put(service('slow', { age: 5 }))
    .inTerm(1);
  const [inFlight] = old.tick().allocations;
  const cluster = new SimulatedCluster().pools({ a: V4 }).inTerm(2);
  cluster.put(service('fresh', { age: 1 })).settle();
  return cluster.put(service('slow', { age: 5 })).write(inFlight!);
};

describe('a delayed write of an old leader', () => {
  test.each([
    ['the leader', (cluster: SimulatedCluster) => cluster],
    ['a replica that does not lead', (cluster: SimulatedCluster) => cluster.leading(false)],
    ['a replica that has just started', (cluster: SimulatedCluster) => cluster.restart()],
  ])('%s says that the newer one may not be announced', (_name, as) => {
    expect([...as(race()).tick().refusals]).toEqual([['default/fresh', 'AddressConflict']]);
  });

  test('the newer one is given another address', () => {
    const cluster = race();
    expect(cluster.shown(cluster.settle())).toEqual({ slow: '192.0.2.1', fresh: '192.0.2.2' });
  });

  test('what the loser asks for it does not get', () => {
    const cluster = race().edit('fresh', { age: 1, ...ips('192.0.2.1') });
    expect(cluster.shown(cluster.settle())).toEqual({ slow: '192.0.2.1', fresh: 'AddressInUse' });
  });
});

describe('conflicts found at a start', () => {
  test('the older keeps the address, every replica says so, the leader moves the other', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 });
    cluster.put(service('x', { age: 2, has: ['192.0.2.1'] }), service('y', { age: 1, has: ['192.0.2.1'] }));
    const standby = cluster.leading(false).tick();
    expect([...standby.refusals]).toEqual([['default/x', 'AddressConflict']]);
    expect(standby.allocations).toEqual([]);
    cluster.leading(true);
    expect(cluster.shown(cluster.settle())).toEqual({ x: '192.0.2.2', y: '192.0.2.1' });
  });

  test('of equal age the lower UID keeps it', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 });
    cluster.put(
      service('x', { uid: 'b', has: ['192.0.2.1'] }),
      service('y', { uid: 'a', has: ['192.0.2.1'] }),
    );
    expect([...cluster.tick().refusals.keys()]).toEqual(['default/x']);
  });

  test('without another address it is taken away', () => {
    const cluster = new SimulatedCluster().pools({ a: { ranges: ['192.0.2.1'] } });
    cluster.put(service('x', { age: 2, has: ['192.0.2.1'] }), service('y', { age: 1, has: ['192.0.2.1'] }));
    expect(cluster.tick().allocations).toEqual([
      {
        kind: 'take',
        serviceKey: 'default/x',
        uid: 'uid-default-x',
        term: 1,
        addresses: [],
        reason: 'AddressConflict',
      },
    ]);
    expect(cluster.shown(cluster.settle())).toEqual({ x: 'PoolExhausted', y: '192.0.2.1' });
  });
});

describe('writes that are not there yet', () => {
  test('stay wanted, and their address is given to nobody else, not even to an older Service', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x', { age: 2 }));
    const [first] = cluster.tick().allocations;
    cluster.put(service('older', { age: 1 }));
    expect(cluster.tick().allocations).toEqual([
      {
        kind: 'give',
        serviceKey: 'default/older',
        uid: 'uid-default-older',
        term: 1,
        addresses: [address('192.0.2.2')],
        pool: 'a',
      },
      first,
    ]);
  });

  test('survive an edit of the Service that asks for nothing else', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'), service('y'));
    const before = cluster.tick().allocations;
    cluster.edit('x', { labels: { a: 'b' } }).edit('y', { labels: { a: 'b' } });
    expect(cluster.tick().allocations).toBe(before);
  });

  test('are forgotten with the lead and with the Service', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'), service('y'));
    cluster.tick();
    expect(
      cluster
        .remove('x')
        .tick()
        .allocations.map(({ serviceKey }) => serviceKey),
    ).toEqual(['default/y']);
    const standby = cluster.leading(false).tick();
    expect(standby.allocations).toEqual([]);
    expect(standby.pools.get('a')?.counts[4]).toEqual({ assigned: 0, available: 3 });
  });

  test('are decided anew in another term', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x', { age: 2 }));
    expect(cluster.tick().allocations).toMatchObject([{ term: 1, addresses: [{ text: '192.0.2.1' }] }]);
    // Another leader gave the address away, and this one knows only now that it had lost the lead.
    cluster.put(service('y', { age: 3, has: ['192.0.2.1'], annotations: marks(2, '192.0.2.1') })).inTerm(3);
    expect(cluster.tick().allocations).toMatchObject([
      { serviceKey: 'default/x', term: 3, addresses: [{ text: '192.0.2.2' }] },
    ]);
  });

  test('of an old leader that land after all: the Service keeps what the API shows', () => {
    const cluster = new SimulatedCluster()
      .pools({ a: V4 })
      .put(service('x', { age: 1 }), service('y', { age: 2 }));
    const delayed = cluster.tick().allocations.find(({ serviceKey }) => serviceKey === 'default/y');
    cluster.remove('x').inTerm(2);
    expect(cluster.tick().allocations).toMatchObject([{ addresses: [{ text: '192.0.2.1' }] }]);
    expect(cluster.write(delayed!).tick().allocations).toEqual([]);
    expect(cluster.shown(cluster.tick())).toEqual({ y: '192.0.2.2' });
  });

  test('do not outlive a Service that comes back under its name', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'));
    cluster.tick();
    cluster.put(service('x', { uid: 'second' }));
    expect(cluster.tick().allocations).toMatchObject([{ uid: 'second', addresses: [{ text: '192.0.2.1' }] }]);
  });
});

const verdictsOf = (cluster: SimulatedCluster): object => Object.fromEntries(cluster.tick().pools);

test('10,000 Services created at once get 10,000 addresses in one tick, lowest first', () => {
  const cluster = new SimulatedCluster().pools({ a: { ranges: ['10.0.0.0/17'] } });
  cluster.put(...Array.from({ length: 10_000 }, (_, i) => service(`s${i}`, { age: i })));
  const given = cluster.tick().allocations.flatMap(({ addresses }) => addresses.map(({ text }) => text));
  expect(new Set(given).size).toBe(10_000);
  expect(cluster.settle().pools.get('a')?.counts[4]).toEqual({ assigned: 10_000, available: 22_768 });
  expect(cluster.world.services.get('default/s9999')?.ingress[0]?.text).toBe('10.0.39.15');
});

describe('pool verdicts', () => {
  test('count by family, capped where a number cannot say it', () => {
    const cluster = new SimulatedCluster().pools({
      a: { ranges: ['192.0.2.0/24', '2001:db8::/64'], avoidBuggyIPs: true },
    });
    cluster.put(service('x', ips('192.0.2.0')), service('y'), service('z', { families: [6] }));
    cluster.settle();
    expect(verdictsOf(cluster)).toMatchObject({
      a: {
        accepted: true,
        reason: 'Accepted',
        // .0 was asked for: it is in use, but was none of the 254 that the pool gives by itself.
        counts: {
          4: { assigned: 2, available: 253 },
          6: { assigned: 1, available: Number.MAX_SAFE_INTEGER },
        },
      },
    });
  });

  test('say what is wrong', () => {
    const cluster = new SimulatedCluster().pools({
      full: { ranges: ['192.0.2.1'], age: 1 },
      late: { ranges: ['192.0.2.1-192.0.2.9'], age: 2 },
    });
    cluster.put(service('x')).settle();
    expect(verdictsOf(cluster)).toMatchObject({
      full: { accepted: true, reason: 'PoolExhausted', counts: { 4: { assigned: 1, available: 0 } } },
      late: { accepted: false, reason: 'PoolOverlaps', counts: { 4: { assigned: 0, available: 0 } } },
    });
  });

  test('an address that two ranges of one pool name counts once', () => {
    const cluster = new SimulatedCluster().pools({ a: { ranges: ['192.0.2.0/30', '192.0.2.2-192.0.2.5'] } });
    expect(verdictsOf(cluster)).toMatchObject({ a: { counts: { 4: { assigned: 0, available: 6 } } } });
  });

  test('an address shared by two Services counts once', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 });
    cluster.put(service('x', shares('k', ['TCP/1'])), service('y', shares('k', ['TCP/2']))).settle();
    expect(verdictsOf(cluster)).toMatchObject({ a: { counts: { 4: { assigned: 1, available: 2 } } } });
  });
});

describe('what did not change is the same reference', () => {
  test('everything, when nothing that allocation reads changed', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'));
    const first = cluster.tick();
    cluster.world = { ...cluster.world, now: 5 };
    const second = cluster.tick();
    expect(second.memory).toBe(first.memory);
    expect(second.allocations).toBe(first.allocations);
  });

  test('the verdict of a pool beside one that changed', () => {
    const cluster = new SimulatedCluster()
      .pools({ a: V4, b: { ranges: ['198.51.100.1'] } })
      .put(service('x'));
    const first = cluster.settle();
    const second = cluster.put(service('y')).settle();
    expect(second.pools.get('a')).not.toBe(first.pools.get('a'));
    expect(second.pools.get('b')).toBe(first.pools.get('b'));
    expect(second.refusals).toBe(first.refusals);
  });

  test('a hypothetical tick leaves the memory as it was', () => {
    const cluster = new SimulatedCluster().pools({ a: V4 }).put(service('x'));
    cluster.settle();
    const { world, memory } = cluster;
    cluster.remove('x').pools({ a: undefined }).tick();
    Object.assign(cluster, { world, memory });
    cluster.put(service('y'));
    expect(cluster.shown(cluster.settle())).toEqual({ x: '192.0.2.1', y: '192.0.2.2' });
  });
});
