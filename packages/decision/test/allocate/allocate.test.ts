// Which addresses Services get: each row is a cluster at rest before allocation and what the API shows after
// it, "address reason" where a Service has less than it asks for.

import { describe, expect, test } from 'vitest';
import { SimulatedCluster, label, service } from './simulated-cluster.ts';
import type { PoolSpec, ServiceSpec } from './simulated-cluster.ts';

interface Row {
  name: string;
  pools: Record<string, PoolSpec>;
  services: Record<string, ServiceSpec>;
  shown: Record<string, string>;
  compatible?: boolean;
  class?: string;
  ipam?: boolean;
  namespaces?: Record<string, Record<string, string>>;
}

const SMALL: Record<string, PoolSpec> = { a: { ranges: ['192.0.2.1-192.0.2.3'] } };
const DUAL: Record<string, PoolSpec> = { a: { ranges: ['192.0.2.1-192.0.2.3', '2001:db8::1-2001:db8::3'] } };
const ips = (value: string): ServiceSpec => ({ annotations: { 'heraldbgp.io/load-balancer-ips': value } });
const inPool = (value: string): ServiceSpec => ({ annotations: { 'heraldbgp.io/address-pool': value } });
const shares = (key: string, spec: ServiceSpec = {}): ServiceSpec => ({
  ...spec,
  annotations: { 'heraldbgp.io/allow-shared-ip': key, ...spec.annotations },
});

const pinned = (pin: NonNullable<PoolSpec['pin']>, ...ranges: string[]): PoolSpec => ({ ranges, pin });

function check(row: Row): void {
  const cluster = new SimulatedCluster({
    compatibilityAnnotations: row.compatible ?? false,
    loadBalancerClass: row.class,
    ipam: row.ipam ?? true,
  });
  cluster.pools(row.pools).namespaces(row.namespaces ?? {});
  cluster.put(...Object.entries(row.services).map(([key, spec]) => service(key, spec)));
  expect(cluster.shown(cluster.settle())).toEqual(row.shown);
}

describe('pools', () => {
  const rows: Row[] = [
    {
      name: 'the lowest address goes to the oldest Service, then by key',
      pools: SMALL,
      services: { c: { age: 1 }, b: { age: 2 }, a: { age: 2 } },
      shown: { c: '192.0.2.1', a: '192.0.2.2', b: '192.0.2.3' },
    },
    {
      name: 'an exhausted pool leaves the youngest without',
      pools: SMALL,
      services: { a: {}, b: {}, c: {}, d: {} },
      shown: { a: '192.0.2.1', b: '192.0.2.2', c: '192.0.2.3', d: 'PoolExhausted' },
    },
    {
      name: 'several ranges of one pool are used in order, once each',
      pools: { a: { ranges: ['192.0.2.9', '192.0.2.0/31', '192.0.2.1-192.0.2.2'] } },
      services: { a: {}, b: {}, c: {}, d: {}, e: {} },
      shown: { a: '192.0.2.0', b: '192.0.2.1', c: '192.0.2.2', d: '192.0.2.9', e: 'PoolExhausted' },
    },
    {
      name: 'avoidBuggyIPs skips .0 and .255',
      pools: { a: { ranges: ['192.0.2.254-192.0.3.1'], avoidBuggyIPs: true } },
      services: { a: {}, b: {}, c: {} },
      shown: { a: '192.0.2.254', b: '192.0.3.1', c: 'PoolExhausted' },
    },
    {
      name: 'avoidBuggyIPs does not forbid asking for one',
      pools: { a: { ranges: ['192.0.2.254-192.0.3.1'], avoidBuggyIPs: true } },
      services: { a: ips('192.0.2.255') },
      shown: { a: '192.0.2.255' },
    },
    {
      name: 'avoidBuggyIPs means nothing for IPv6',
      pools: { a: { ranges: ['2001:db8::/127'], avoidBuggyIPs: true } },
      services: { a: { families: [6] } },
      shown: { a: '2001:db8::' },
    },
    {
      name: 'pools without a pin are tried in name order, autoAssign off is never tried',
      pools: {
        c: { ranges: ['192.0.2.3'] },
        b: { ranges: ['192.0.2.2'] },
        a: { ranges: ['192.0.2.1'], autoAssign: false },
      },
      services: { x: {}, y: {}, z: {} },
      shown: { x: '192.0.2.2', y: '192.0.2.3', z: 'PoolExhausted' },
    },
    {
      name: 'no pool at all',
      pools: {},
      services: { a: {} },
      shown: { a: 'NoPool' },
    },
    {
      name: 'no pool with addresses of the family',
      pools: SMALL,
      services: { a: { families: [6] } },
      shown: { a: 'NoAddressOfServiceFamily' },
    },
    {
      name: 'the later of overlapping pools gives nothing, an address in it stays',
      pools: { old: { ranges: ['192.0.2.0/31'], age: 1 }, late: { ranges: ['192.0.2.1-192.0.2.9'], age: 2 } },
      services: { a: { has: ['192.0.2.8'] }, b: {}, c: {}, d: {}, e: { ...inPool('late') } },
      shown: { a: '192.0.2.8', b: '192.0.2.0', c: '192.0.2.1', d: 'PoolExhausted', e: 'PoolOverlaps' },
    },
    {
      name: 'a pool that only overlaps a loser is valid',
      pools: {
        a: { ranges: ['192.0.2.0/31'], age: 1 },
        b: { ranges: ['192.0.2.1-192.0.2.2'], age: 2 },
        c: { ranges: ['192.0.2.2-192.0.2.3'], age: 3 },
      },
      services: { x: inPool('c'), y: inPool('c'), z: inPool('b') },
      shown: { x: '192.0.2.2', y: '192.0.2.3', z: 'PoolOverlaps' },
    },
    {
      name: 'an address asked for in the shared part of overlapping pools comes from the older',
      pools: { old: { ranges: ['192.0.2.0/31'], age: 1 }, late: { ranges: ['192.0.2.1-192.0.2.9'], age: 2 } },
      services: { a: ips('192.0.2.1'), b: ips('192.0.2.5') },
      shown: { a: '192.0.2.1', b: 'PoolOverlaps' },
    },
  ];
  test.each(rows)('$name', check);
});

describe('requests', () => {
  const rows: Row[] = [
    {
      name: 'an address by annotation, by spec, and by both when they agree',
      pools: SMALL,
      services: {
        a: ips('192.0.2.3'),
        b: { loadBalancerIP: '192.0.2.2' },
        c: { ...ips(' 192.0.2.1 '), loadBalancerIP: '192.0.2.1' },
      },
      shown: { a: '192.0.2.3', b: '192.0.2.2', c: '192.0.2.1' },
    },
    {
      name: 'both at once and different',
      pools: SMALL,
      services: { a: { ...ips('192.0.2.3'), loadBalancerIP: '192.0.2.1' } },
      shown: { a: 'RequestConflict' },
    },
    {
      name: 'no address, two of one family, a mapped one',
      pools: SMALL,
      services: { a: ips('tor-1'), b: ips('192.0.2.1,192.0.2.2'), c: ips('::ffff:192.0.2.1') },
      shown: { a: 'RequestInvalid', b: 'RequestInvalid', c: 'RequestInvalid' },
    },
    {
      name: 'the wrong family, outside every pool, in use',
      pools: DUAL,
      services: { a: ips('192.0.2.1'), b: ips('2001:db8::1'), c: ips('198.51.100.1'), d: ips('192.0.2.1') },
      shown: { a: '192.0.2.1', b: 'WrongFamily', c: 'AddressNotInPool', d: 'AddressInUse' },
    },
    {
      name: 'both families asked for by a Service of one',
      pools: DUAL,
      services: { a: ips('192.0.2.1,2001:db8::1') },
      shown: { a: 'WrongFamily' },
    },
    {
      name: 'a pool and addresses of both families in it, of which one is in another',
      pools: { ...DUAL, b: { ranges: ['2001:db8:b::1'] } },
      services: {
        a: {
          families: [4, 6],
          stack: 'RequireDualStack',
          annotations: {
            'heraldbgp.io/load-balancer-ips': '192.0.2.1, 2001:db8::1',
            'heraldbgp.io/address-pool': 'a',
          },
        },
        b: {
          families: [4, 6],
          stack: 'RequireDualStack',
          annotations: {
            'heraldbgp.io/load-balancer-ips': '192.0.2.2,2001:db8:b::1',
            'heraldbgp.io/address-pool': 'a',
          },
        },
      },
      shown: { a: '192.0.2.1,2001:db8::1', b: 'RequestConflict' },
    },
    {
      name: 'an address that is asked for is not given to another one in the same tick',
      pools: { a: { ranges: ['192.0.2.1'] } },
      services: { a: { age: 1, ...ips('192.0.2.1') }, b: { age: 2 } },
      shown: { a: '192.0.2.1', b: 'PoolExhausted' },
    },
    {
      name: 'a pool by name, also one with autoAssign off',
      pools: { a: { ranges: ['192.0.2.1'] }, b: { ranges: ['192.0.2.2'], autoAssign: false } },
      services: { x: inPool('b'), y: inPool('b'), z: inPool('ghost') },
      shown: { x: '192.0.2.2', y: 'PoolExhausted', z: 'PoolUnknown' },
    },
    {
      name: 'an address and a pool that do not go together',
      pools: { a: { ranges: ['192.0.2.1'] }, b: { ranges: ['192.0.2.2'] } },
      services: {
        x: {
          annotations: { 'heraldbgp.io/load-balancer-ips': '192.0.2.1', 'heraldbgp.io/address-pool': 'b' },
        },
      },
      shown: { x: 'RequestConflict' },
    },
    {
      name: 'spellings of MetalLB mean nothing without compatibility',
      pools: SMALL,
      services: { a: { annotations: { 'metallb.io/loadBalancerIPs': '192.0.2.3' } } },
      shown: { a: '192.0.2.1' },
    },
    {
      name: 'each spelling with compatibility',
      compatible: true,
      pools: { a: { ranges: ['192.0.2.1-192.0.2.9'] }, b: { ranges: ['192.0.2.20-192.0.2.29'] } },
      services: {
        a: { annotations: { 'metallb.io/loadBalancerIPs': '192.0.2.3' } },
        b: { annotations: { 'metallb.universe.tf/loadBalancerIPs': '192.0.2.4' } },
        c: { annotations: { 'metallb.io/address-pool': 'b' } },
        d: { annotations: { 'metallb.universe.tf/address-pool': 'b' } },
        e: { ports: ['TCP/1'], annotations: { 'metallb.io/allow-shared-ip': 'k' } },
        f: { ports: ['TCP/2'], annotations: { 'metallb.universe.tf/allow-shared-ip': 'k' } },
        g: { ports: ['TCP/3'], annotations: { 'heraldbgp.io/allow-shared-ip': 'k' } },
      },
      shown: {
        a: '192.0.2.3',
        b: '192.0.2.4',
        c: '192.0.2.20',
        d: '192.0.2.21',
        e: '192.0.2.1',
        f: '192.0.2.1',
        g: '192.0.2.1',
      },
    },
    {
      name: 'spellings that contradict each other',
      compatible: true,
      pools: SMALL,
      services: {
        a: { annotations: { 'heraldbgp.io/address-pool': 'a', 'metallb.io/address-pool': 'b' } },
      },
      shown: { a: 'RequestConflict' },
    },
  ];
  test.each(rows)('$name', check);
});

describe('sharing', () => {
  const rows: Row[] = [
    {
      name: 'one key and different ports share, without a key nothing does',
      pools: SMALL,
      services: {
        a: shares('k', { ports: ['TCP/80'] }),
        b: shares('k', { ports: ['UDP/80'] }),
        c: { ports: ['TCP/81'] },
      },
      shown: { a: '192.0.2.1', b: '192.0.2.1', c: '192.0.2.2' },
    },
    {
      name: 'a port clash, another key and another policy get another address',
      pools: { a: { ranges: ['192.0.2.1-192.0.2.9'] } },
      services: {
        a: shares('k', { ports: ['TCP/80'] }),
        b: shares('k', { ports: ['TCP/80', 'TCP/81'] }),
        c: shares('other', { ports: ['TCP/82'] }),
        d: shares('k', { ports: ['TCP/83'], policy: 'Local' }),
      },
      shown: { a: '192.0.2.1', b: '192.0.2.2', c: '192.0.2.3', d: '192.0.2.4' },
    },
    {
      name: 'policy Local shares between the same pods only',
      pools: { a: { ranges: ['192.0.2.1-192.0.2.9'] } },
      services: {
        a: shares('k', { ports: ['TCP/1'], policy: 'Local', selector: 'app=x' }),
        b: shares('k', { ports: ['TCP/2'], policy: 'Local', selector: 'app=x' }),
        c: shares('k', { ports: ['TCP/3'], policy: 'Local', selector: 'app=y' }),
        'other/d': shares('k', { ports: ['TCP/4'], policy: 'Local', selector: 'app=x' }),
      },
      shown: { a: '192.0.2.1', b: '192.0.2.1', c: '192.0.2.2', 'other/d': '192.0.2.3' },
    },
    {
      name: 'why an address that was asked for cannot be shared',
      pools: SMALL,
      services: {
        a: { age: 1, ...shares('k', { ports: ['TCP/80'] }) },
        b: { age: 2, ...ips('192.0.2.1') },
        c: { age: 2, ...shares('other', ips('192.0.2.1')) },
        d: { age: 2, ...shares('k', ips('192.0.2.1')) },
        e: { age: 2, ...shares('k', { ...ips('192.0.2.1'), ports: ['TCP/81'], policy: 'Local' }) },
        f: { age: 2, ...shares('k', { ...ips('192.0.2.1'), ports: ['TCP/81'] }) },
      },
      shown: {
        a: '192.0.2.1',
        b: 'AddressInUse',
        c: 'SharingKeyDiffers',
        d: 'SharingPortClash',
        e: 'SharingPolicyClash',
        f: '192.0.2.1',
      },
    },
    {
      name: 'an empty key does not share',
      pools: SMALL,
      services: { a: shares('', { ports: ['TCP/1'] }), b: shares(' ', { ports: ['TCP/2'] }) },
      shown: { a: '192.0.2.1', b: '192.0.2.2' },
    },
    {
      name: 'without a selector the pods are whatever somebody lists: the same as of another without',
      pools: SMALL,
      services: {
        a: shares('k', { ports: ['TCP/1'], policy: 'Local', selector: '' }),
        b: shares('k', { ports: ['TCP/2'], policy: 'Local', selector: '' }),
        c: shares('k', { ports: ['TCP/3'], selector: '' }),
      },
      shown: { a: '192.0.2.1', b: '192.0.2.1', c: '192.0.2.2' },
    },
    {
      name: 'an exhausted pool can still be shared',
      pools: { a: { ranges: ['192.0.2.1'] } },
      services: { a: shares('k', { ports: ['TCP/1'] }), b: shares('k', { ports: ['TCP/2'] }), c: {} },
      shown: { a: '192.0.2.1', b: '192.0.2.1', c: 'PoolExhausted' },
    },
  ];
  test.each(rows)('$name', check);
});

describe('dual stack', () => {
  const both: ServiceSpec = { families: [6, 4], stack: 'RequireDualStack' };
  const prefers: ServiceSpec = { families: [4, 6], stack: 'PreferDualStack' };
  const V4: PoolSpec = { ranges: ['192.0.2.1-192.0.2.9'] };
  const V6: PoolSpec = { ranges: ['2001:db8::1-2001:db8::9'] };
  const rows: Row[] = [
    {
      name: 'one of each in the order of the families',
      pools: DUAL,
      services: { a: both },
      shown: { a: '2001:db8::1,192.0.2.1' },
    },
    {
      name: 'one pool with both before two pools with one',
      pools: { a: V4, b: V6, c: { ranges: ['198.51.100.1', '2001:db8:c::1'] } },
      services: { a: both, b: both },
      shown: { a: '2001:db8:c::1,198.51.100.1', b: '2001:db8::1,192.0.2.1' },
    },
    {
      name: 'Require takes both or nothing',
      pools: { a: V4 },
      services: { a: both, b: {} },
      shown: { a: 'NoAddressOfServiceFamily', b: '192.0.2.1' },
    },
    {
      name: 'Prefer takes what there is, without complaint',
      pools: { a: V6 },
      services: { a: prefers },
      shown: { a: '2001:db8::1' },
    },
    { name: 'Prefer with nothing', pools: {}, services: { a: prefers }, shown: { a: 'NoPool' } },
    {
      name: 'addresses of both families asked for, or of one of them',
      pools: DUAL,
      services: { a: { ...both, ...ips('2001:db8::3,192.0.2.2') }, b: { ...both, ...ips('192.0.2.3') } },
      shown: { a: '2001:db8::3,192.0.2.2', b: '2001:db8::1,192.0.2.3' },
    },
    {
      name: 'SingleStack takes its first family only',
      pools: DUAL,
      services: { a: { families: [6] }, b: { families: [4], has: ['192.0.2.1', '2001:db8::9'] } },
      shown: { a: '2001:db8::1', b: '192.0.2.1,2001:db8::9 AddressNotOurs' },
    },
    {
      name: 'an address of a family that the Service no longer has is taken away',
      pools: DUAL,
      services: { a: { families: [4], has: ['192.0.2.1', '2001:db8::1'] } },
      shown: { a: '192.0.2.1' },
    },
  ];
  test.each(rows)('$name', check);
});

describe('pins', () => {
  const rows: Row[] = [
    {
      name: 'by namespace, by its label, by label of the Service',
      pools: {
        a: { ranges: ['192.0.2.1-192.0.2.9'] },
        byName: pinned({ namespaces: ['web'] }, '192.0.2.10'),
        byLabel: pinned({ namespaceSelectors: [label('team', 'blue')] }, '192.0.2.20'),
        byService: pinned({ serviceSelectors: [label('tier', 'edge')] }, '192.0.2.30'),
      },
      namespaces: { web: {}, blue: { team: 'blue' }, plain: {} },
      services: { 'web/a': {}, 'blue/a': {}, 'plain/a': { labels: { tier: 'edge' } }, 'plain/b': {} },
      shown: {
        'web/a': '192.0.2.10',
        'blue/a': '192.0.2.20',
        'plain/a': '192.0.2.30',
        'plain/b': '192.0.2.1',
      },
    },
    {
      name: 'namespace and Service have to match both',
      pools: {
        a: { ranges: ['192.0.2.1-192.0.2.9'] },
        p: pinned({ namespaces: ['web'], serviceSelectors: [label('tier', 'edge')] }, '192.0.2.10'),
      },
      services: { 'web/a': {}, 'web/b': { labels: { tier: 'edge' } }, 'x/a': { labels: { tier: 'edge' } } },
      shown: { 'web/a': '192.0.2.1', 'web/b': '192.0.2.10', 'x/a': '192.0.2.2' },
    },
    {
      name: 'by priority, 0 last, then by name, then pools without a pin',
      pools: {
        a: { ranges: ['192.0.2.1'] },
        p0: pinned({ priority: 0 }, '192.0.2.10'),
        p20: pinned({ priority: 20 }, '192.0.2.20'),
        p10b: pinned({ priority: 10 }, '192.0.2.31'),
        p10a: pinned({ priority: 10 }, '192.0.2.30'),
      },
      services: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {} },
      shown: {
        a: '192.0.2.30',
        b: '192.0.2.31',
        c: '192.0.2.20',
        d: '192.0.2.10',
        e: '192.0.2.1',
        f: 'PoolExhausted',
      },
    },
    {
      name: 'a pool pinned to others cannot be asked for',
      pools: { p: pinned({ namespaces: ['web'] }, '192.0.2.10-192.0.2.19') },
      services: { a: inPool('p'), b: ips('192.0.2.10'), c: {}, 'web/d': ips('192.0.2.10') },
      shown: { a: 'PoolNotAllowed', b: 'PoolNotAllowed', c: 'NoPool', 'web/d': '192.0.2.10' },
    },
  ];
  test.each(rows)('$name', check);
});

describe('whose Service it is', () => {
  const rows: Row[] = [
    {
      name: 'class-less Services without a class, that class only with one',
      pools: SMALL,
      class: 'heraldbgp.io/bgp',
      services: { a: {}, b: { class: 'heraldbgp.io/bgp' }, c: { class: 'other' } },
      shown: { a: '', b: '192.0.2.1', c: '' },
    },
    {
      name: 'other types and Services on their way out get nothing, and block what they have',
      pools: SMALL,
      services: {
        a: { type: 'ClusterIP' },
        b: { deleting: true },
        c: { deleting: true, has: ['192.0.2.1'] },
        d: {},
      },
      shown: { a: '', b: '', c: '192.0.2.1', d: '192.0.2.2' },
    },
    {
      name: 'a Service that is no LoadBalancer any more gives back what it has from a pool',
      pools: SMALL,
      services: {
        a: { type: 'NodePort', has: ['192.0.2.1'] },
        b: { type: 'NodePort', has: ['198.51.100.1'] },
      },
      shown: { a: '', b: '198.51.100.1' },
    },
    {
      name: 'an address of another class is not given twice',
      pools: SMALL,
      services: { a: { class: 'other', has: ['192.0.2.1'] }, b: {} },
      shown: { a: '192.0.2.1', b: '192.0.2.2' },
    },
    {
      name: 'an address in no pool that nobody knows is left alone, and said',
      pools: SMALL,
      services: { a: { has: ['198.51.100.1'] }, b: { has: ['192.0.2.1', '2001:db8::1'] } },
      shown: { a: '198.51.100.1 AddressNotOurs', b: '192.0.2.1,2001:db8::1 AddressNotOurs' },
    },
    {
      name: 'a host instead of an address, or beside one, is left alone, and said',
      pools: SMALL,
      services: { a: { host: true }, b: { host: true, has: ['192.0.2.1'] }, c: {} },
      shown: { a: 'AddressNotOurs', b: '192.0.2.1 AddressNotOurs', c: '192.0.2.2' },
    },
    {
      name: 'a host that another allocator wrote is nothing to judge when IPAM is off',
      pools: SMALL,
      services: { a: { host: true } },
      ipam: false,
      shown: { a: '' },
    },
    {
      name: 'nothing is said about whose the address of a Service on its way out is',
      pools: SMALL,
      services: { a: { deleting: true, has: ['198.51.100.1'] } },
      shown: { a: '198.51.100.1' },
    },
    {
      name: 'an address in no pool that Herald wrote is replaced',
      pools: SMALL,
      services: {
        a: { has: ['198.51.100.1'], annotations: { 'heraldbgp.io/allocated-addresses': '198.51.100.1' } },
      },
      shown: { a: '192.0.2.1' },
    },
    {
      name: 'an address in no pool that MetalLB wrote is replaced with compatibility',
      pools: SMALL,
      compatible: true,
      services: {
        a: { has: ['198.51.100.1'], annotations: { 'metallb.io/ip-allocated-from-pool': 'gone' } },
      },
      shown: { a: '192.0.2.1' },
    },
    {
      name: 'IPAM off gives nothing and refuses nothing',
      pools: SMALL,
      ipam: false,
      services: { a: {}, b: { has: ['198.51.100.1'] } },
      shown: { a: '', b: '198.51.100.1' },
    },
  ];
  test.each(rows)('$name', check);
});
