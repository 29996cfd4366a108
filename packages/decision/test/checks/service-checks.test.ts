// Every check of a Service alone, in pairs and all together: what fails first in the list is the verdict, and
// an explanation shows all that fail. A fault is the smallest change of a good scene that breaks one check.

import { describe, expect, test } from 'vitest';
import type { Reason } from '@herald/api';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import { SERVICE_CHECKS } from '../../src/checks/service-checks.ts';
import { decideScene, sceneWorld, told } from '../routes/small-world.ts';
import type { Scene, ServiceSpec } from '../routes/small-world.ts';

interface Fault {
  readonly reason: Reason;
  readonly service?: ServiceSpec;
  readonly scene?: Scene;
  /** Checks that cannot pass beside it: without an address there is none to look at. */
  readonly implies?: readonly Reason[];
}

/** Nothing that depends on addresses can pass without one. */
const NOTHING_TO_ADVERTISE: readonly Reason[] = ['NoAdvertisement', 'NoUsableEndpoint'];

const FAULTS: readonly Fault[] = [
  { reason: 'NotLoadBalancer', service: { type: 'ClusterIP' } },
  { reason: 'NotOurClass', service: { loadBalancerClass: 'other.example/lb' } },
  { reason: 'ServiceDeleted', service: { deleting: true } },
  { reason: 'NoAddress', service: { ips: '' }, implies: ['AddressNotInPool', ...NOTHING_TO_ADVERTISE] },
  {
    reason: 'AddressConflict',
    scene: { services: { elder: { on: 'd', createdAt: -1, uid: 'uid-0' } } },
  },
  {
    reason: 'AddressNotInPool',
    // What Herald wrote itself is its own even where no pool has it: not a stranger's address.
    service: { annotations: { 'heraldbgp.io/allocated-addresses': '203.0.113.1' } },
    scene: { pools: { elsewhere: { ranges: '192.0.2.0/24' } } },
    implies: NOTHING_TO_ADVERTISE,
  },
  { reason: 'NoAdvertisement', scene: { ads: {} }, implies: ['NoUsableEndpoint'] },
  { reason: 'NoUsableEndpoint', service: { on: 'a:off' } },
];

const ORDER = SERVICE_CHECKS.map(({ reason }) => reason);

function sceneWith(...faults: readonly Fault[]): Scene {
  const service = faults.reduce<ServiceSpec>((spec, fault) => ({ ...spec, ...fault.service }), { on: 'a' });
  const more = faults.reduce<Scene>((scene, fault) => ({ ...scene, ...fault.scene }), {});
  return { ...more, services: { web: service, ...more.services } };
}

function verdictOf(scene: Scene) {
  const { decision } = decideScene(scene);
  return decision.services.get('default/web');
}

function failedChecks(scene: Scene): Reason[] {
  const { checks } = explain(sceneWorld(scene), emptyMemory(), 'default/web') ?? { checks: [] };
  return checks.filter(({ passed }) => !passed).map(({ reason }) => reason);
}

const inOrder = (reasons: Iterable<Reason>): Reason[] =>
  [...new Set(reasons)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));

describe('the list of checks', () => {
  test('is asked in this order', () => {
    expect(ORDER).toEqual([
      'NotLoadBalancer',
      'NotOurClass',
      'ServiceDeleted',
      'NoAddress',
      'AddressConflict',
      'AddressNotOurs',
      'AddressNotInPool',
      'NoAdvertisement',
      'NoUsableEndpoint',
    ]);
  });

  test('passes as a whole for a good Service', () => {
    expect(failedChecks(sceneWith())).toEqual([]);
    expect(verdictOf(sceneWith())).toMatchObject({ announced: true, reason: 'Advertised' });
  });
});

describe('one fault', () => {
  test.each(FAULTS)('$reason: is the verdict, and nothing of the Service is announced', (fault) => {
    const { decision } = decideScene(sceneWith(fault));
    expect(decision.services.get('default/web')).toMatchObject({
      announced: false,
      reason: fault.reason,
      prefixes: [],
      nextHops: 0,
      remarks: [],
    });
    const others = fault.reason === 'AddressConflict' ? { '203.0.113.1/32': 'd' } : {};
    expect(told(decision)).toEqual(others);
  });

  test.each(FAULTS)('$reason: an explanation shows it and what it implies, no more', (fault) => {
    expect(failedChecks(sceneWith(fault))).toEqual(inOrder([fault.reason, ...(fault.implies ?? [])]));
  });

  test.each(FAULTS)('$reason: ends when it is mended, and the announcement comes back the same', (fault) => {
    const good = sceneWorld(sceneWith());
    const start = decide(good, emptyMemory());
    // From scratch: of two that claim one address, who had it before would keep it.
    const broken = decide(sceneWorld(sceneWith(fault)), emptyMemory());
    const mended = decide(good, broken.memory);
    expect(broken.decision.services.get('default/web')?.reason).toBe(fault.reason);
    expect(mended.decision.services.get('default/web')).toEqual(start.decision.services.get('default/web'));
    expect(told(mended.decision)).toEqual(told(start.decision));
  });
});

/** Two faults in one: only pairs that a Service can have at once and that leave each other standing. */
function pairs(): [string, Fault, Fault][] {
  return FAULTS.flatMap((first, i) =>
    FAULTS.slice(i + 1)
      .filter((second) => areCompatible(first, second))
      .map((second): [string, Fault, Fault] => [`${first.reason} and ${second.reason}`, first, second]),
  );
}

/** Without an address there is none to fight over, and none to be outside of a pool. */
function areCompatible(first: Fault, second: Fault): boolean {
  return first.reason !== 'NoAddress' || !['AddressConflict', 'AddressNotInPool'].includes(second.reason);
}

describe('two faults', () => {
  test.each(pairs())('%s: the first in the list is the verdict', (_name, first, second) => {
    const reason = verdictOf(sceneWith(first, second))?.reason;
    expect(reason).toBe(inOrder([first.reason, second.reason])[0]);
  });

  test.each(pairs())('%s: an explanation shows both', (_name, first, second) => {
    const failed = failedChecks(sceneWith(first, second));
    expect(failed).toContain(first.reason);
    expect(failed).toContain(second.reason);
  });

  test.each(pairs())('%s: mending the first leaves the second', (_name, first, second) => {
    const { memory } = decide(sceneWorld(sceneWith(first, second)), emptyMemory());
    const { decision } = decide(sceneWorld(sceneWith(second)), memory);
    expect(decision.services.get('default/web')?.reason).toBe(second.reason);
    expect(told(decision)['203.0.113.1/32'] ?? '').toBe(second.reason === 'AddressConflict' ? 'd' : '');
  });
});

describe('an address that somebody else wrote', () => {
  const foreign: Scene = { services: { web: { on: 'a', ips: '198.18.0.1' } } };

  const rows: (readonly [string, Scene, string])[] = [
    ['of a Service of ours', foreign, 'AddressNotOurs'],
    [
      'beside one of ours',
      { services: { web: { on: 'a', ips: '203.0.113.1 198.18.0.1' } } },
      'AddressNotOurs',
    ],
    [
      'which is a host',
      { services: { web: { on: 'a', ips: '', ingressNamesHost: true } } },
      'AddressNotOurs',
    ],
    [
      'which is a host beside one of ours',
      { services: { web: { on: 'a', ingressNamesHost: true } } },
      'AddressNotOurs',
    ],
    ['of a Service without an advertisement', { ...foreign, ads: {} }, 'AddressNotOurs'],
    [
      'of a Service without endpoints',
      { services: { web: { on: '', ips: '198.18.0.1' } } },
      'AddressNotOurs',
    ],
    [
      'of a Service that is deleted',
      { services: { web: { on: 'a', ips: '198.18.0.1', deleting: true } } },
      'ServiceDeleted',
    ],
    [
      'of another class',
      { services: { web: { on: 'a', ips: '198.18.0.1', loadBalancerClass: 'x' } } },
      'NotOurClass',
    ],
    [
      'of a Service that is no LoadBalancer',
      { services: { web: { on: 'a', ips: '198.18.0.1', type: 'NodePort' } } },
      'NotLoadBalancer',
    ],
    ['where nobody gives addresses here', { ...foreign, settings: { ipam: false } }, 'Advertised'],
  ];
  test.each(rows)('%s', (_name, scene, reason) => {
    expect(verdictOf(scene)?.reason).toBe(reason);
  });
});

describe('classes', () => {
  const cases = [undefined, 'heraldbgp.io/bgp', 'other.example/lb'] as const;
  const rows = cases.flatMap((ours) => cases.map((theirs) => [ours, theirs] as const));
  test.each(rows)('ours is %s, theirs is %s', (ours, theirs) => {
    const verdict = verdictOf({
      services: { web: { on: 'a', loadBalancerClass: theirs } },
      settings: { loadBalancerClass: ours },
    });
    expect(verdict?.reason).toBe(ours === theirs ? 'Advertised' : 'NotOurClass');
  });
});

describe('types', () => {
  test.each([
    ['LoadBalancer', 'Advertised'],
    ['NodePort', 'NotLoadBalancer'],
    ['ClusterIP', 'NotLoadBalancer'],
    ['ExternalName', 'NotLoadBalancer'],
    ['', 'NotLoadBalancer'],
    ['loadbalancer', 'NotLoadBalancer'],
  ])('%s', (type, reason) => {
    expect(verdictOf({ services: { web: { on: 'a', type } } })?.reason).toBe(reason);
  });
});

describe('two addresses, of which', () => {
  const two: ServiceSpec = { on: 'a', ips: '203.0.113.1 2001:db8::1' };
  const only4 = { wide: { ranges: '203.0.113.0/24' } };
  const written: ServiceSpec = {
    ...two,
    annotations: { 'heraldbgp.io/allocated-addresses': '203.0.113.1,2001:db8::1' },
  };

  const rows: (readonly [string, Scene, readonly string[], string])[] = [
    ['both are good', { services: { web: two } }, ['2001:db8::1/128', '203.0.113.1/32'], 'Advertised'],
    ['one is in a pool', { services: { web: written }, pools: only4 }, ['203.0.113.1/32'], 'Advertised'],
    ['none is in a pool', { services: { web: written }, pools: {} }, [], 'AddressNotInPool'],
    ['one has endpoints', { services: { web: { ...two, on6: '' } } }, ['203.0.113.1/32'], 'Advertised'],
    [
      'one is in the pool of an advertisement',
      {
        services: { web: two },
        pools: { v4: { ranges: '203.0.113.0/24' }, v6: { ranges: '2001:db8::/64' } },
        ads: { six: { pools: ['v6'] } },
      },
      ['2001:db8::1/128'],
      'Advertised',
    ],
    [
      'one is advertised and the other has the endpoints',
      {
        services: { web: { ...two, on6: '' } },
        pools: { v4: { ranges: '203.0.113.0/24' }, v6: { ranges: '2001:db8::/64' } },
        ads: { six: { pools: ['v6'] } },
      },
      [],
      'NoUsableEndpoint',
    ],
  ];
  test.each(rows)('%s', (_name, scene, prefixes, reason) => {
    expect(verdictOf(scene)).toMatchObject({ prefixes, reason });
  });
});
