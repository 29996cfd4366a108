// Which nodes are next hops at real routers (CASES A3, A4, A10): states of a node, its addresses, and the choice
// among more nodes than may be announced.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { advertisement, node, type Manifest, type NodeFields } from '../support/manifests.ts';
import type { Routes } from '../support/exact-routes.ts';
import { RoutesLab } from '../support/routes-lab.ts';
import { both, dualStack, on, v4, v6, type Expected } from '../support/service-address.ts';

const WORKERS = 5;
const CLUSTER = 1;
const LOCAL = 2;
const OTHER = 3;

let lab: RoutesLab;

beforeAll(async () => {
  lab = await RoutesLab.open({ name: 'nodes', workers: WORKERS, serves: [CLUSTER, LOCAL, OTHER] });
  advertise();
});

afterAll(() => lab.close());

function advertise(spec: Readonly<Record<string, unknown>> = {}): void {
  lab.manifests.write('default', advertisement('default', { ipAddressPools: ['public'], ...spec }));
}

/** Takes the place of the node's manifest. */
function writeManifest(manifest: Manifest): void {
  lab.manifests.write(manifest.metadata.name, manifest);
}

const deleting = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

const taint = (key: string): NodeFields => ({ spec: { taints: [{ key, effect: 'NoSchedule' }] } });

const addressed = (...addresses: (readonly [type: string, address: string | undefined])[]): Manifest => ({
  ...node('worker-1', {}),
  status: {
    addresses: addresses.map(([type, address]) => ({ type, address })),
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});

const own = () => lab.nodeAddresses[1] ?? { ipv4: '', ipv6: '' };

function addressesOf(nodes: readonly number[]): Set<string> {
  return new Set(nodes.flatMap((index) => Object.values(lab.nodeAddresses[index] ?? {})));
}

const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';

describe('A3: a node leaves', () => {
  const local = { externalTrafficPolicy: 'Local' };
  const services = (nodes: readonly number[]): Manifest[] => [
    ...dualStack('cluster', CLUSTER, on(...nodes)),
    ...dualStack('local', LOCAL, on(...nodes), { spec: local }),
    ...dualStack('other', OTHER, on(0, 3)),
  ];
  const other = both(OTHER, [0, 3]);
  const routes = (nodes: readonly number[]): Expected => ({
    ...both(CLUSTER, nodes),
    ...both(LOCAL, nodes),
    ...other,
  });

  beforeAll(async () => {
    await lab.step(services([0, 1, 2]), routes([0, 1, 2]));
  });
  afterEach(async () => {
    lab.writeNode(1);
    await lab.untouched(Object.keys(other), () => lab.step(services([0, 1, 2]), routes([0, 1, 2])));
  });

  const states: [title: string, fields: NodeFields][] = [
    ['NetworkUnavailable', { conditions: [{ type: 'NetworkUnavailable', status: 'True' }] }],
    ['excluded by a label without a value', { labels: { [EXCLUDE]: '' } }],
    ['excluded by a label with the value false', { labels: { [EXCLUDE]: 'false' } }],
    ['NotReady', { ready: 'False' }],
    ['Unknown', { ready: 'Unknown' }],
    ['to be removed by the cluster autoscaler', taint('ToBeDeletedByClusterAutoscaler')],
    ['disrupted by Karpenter', taint('karpenter.sh/disrupted')],
    ['out of service', taint('node.kubernetes.io/out-of-service')],
  ];
  test.each(states)('A3: %s', async (_, fields) => {
    lab.writeNode(1, fields);
    await leaves();
  });

  test('A3: deleted, first with a finalizer, then for good', async () => {
    writeManifest(deleting(node('worker-1', lab.nodeAddresses[1] ?? {})));
    await leaves();
    lab.manifests.remove('worker-1');
    await leaves();
  });

  test('A3: drained: cordoned it stays, without endpoints it goes', async () => {
    lab.writeNode(1, { spec: { unschedulable: true } });
    await lab.step(services([0, 1, 2]), routes([0, 1, 2]));
    await lab.untouched(Object.keys(other), () => lab.served(services([0, 2]), routes([0, 2])));
  });

  test('A3: the last one of a Service: withdrawn', async () => {
    await lab.step([...services([1]), ...dualStack('only', 4, on(1))], {
      ...routes([1]),
      ...both(4, [1]),
    });
    lab.writeNode(1, { ready: 'False' });
    await lab.step([...services([1]), ...dualStack('only', 4, on(1))], other);
    await lab.says('only', 'NoNextHop');
  });

  async function leaves(): Promise<void> {
    await lab.untouched(Object.keys(other), () => lab.served(services([0, 1, 2]), routes([0, 2])));
  }
});

describe('A4: addresses of nodes', () => {
  const services = [...dualStack('cluster', CLUSTER, on(1, 2)), ...dualStack('other', OTHER, on(0, 2))];
  const other = both(OTHER, [0, 2]);

  afterEach(() => lab.writeNode(1));

  const rows: [title: string, manifest: () => Manifest, expected: Expected][] = [
    [
      'IPv4 listed first',
      () => addressed(['Hostname', 'worker-1'], ['InternalIP', own().ipv4], ['InternalIP', own().ipv6]),
      both(CLUSTER, [1, 2]),
    ],
    [
      'IPv6 listed first',
      () => addressed(['InternalIP', own().ipv6], ['InternalIP', own().ipv4]),
      both(CLUSTER, [1, 2]),
    ],
    [
      'IPv4 only: not for IPv6, and never as a mapped address',
      () => addressed(['InternalIP', own().ipv4]),
      { ...v4(CLUSTER, [1, 2]), ...v6(CLUSTER, [2]) },
    ],
    [
      'IPv6 only',
      () => addressed(['InternalIP', own().ipv6]),
      { ...v4(CLUSTER, [2]), ...v6(CLUSTER, [1, 2]) },
    ],
    [
      'written as a mapped address: not used for either family',
      () => addressed(['InternalIP', `::ffff:${own().ipv4}`]),
      both(CLUSTER, [2]),
    ],
    [
      'without InternalIP',
      () => addressed(['ExternalIP', own().ipv4], ['ExternalIP', own().ipv6], ['Hostname', 'worker-1']),
      both(CLUSTER, [2]),
    ],
  ];
  test.each(rows)('A4: %s', async (_, manifest, expected) => {
    writeManifest(manifest());
    await lab.served(services, { ...expected, ...other });
  });

  test('A4: a node that endpoints were waiting for', async () => {
    lab.manifests.remove('worker-1');
    await lab.step(services, { ...both(CLUSTER, [2]), ...other });
    await lab.untouched(Object.keys(other), async () => {
      lab.writeNode(1);
      await lab.served(services, { ...both(CLUSTER, [1, 2]), ...other });
    });
  });

  test('A4: a node whose addresses change', async () => {
    await lab.step(services, { ...both(CLUSTER, [1, 2]), ...other });
    const before = own();
    const after = { ipv4: '192.0.2.201', ipv6: '2001:db8:2::201' };
    const { namespace } = lab.topology.workers[1] ?? {};
    await namespace?.addAddress('eth0', `${after.ipv4}/24`);
    await namespace?.addAddress('eth0', `${after.ipv6}/64`);
    await lab.untouched(Object.keys(other), async () => {
      lab.nodeAddresses[1] = after;
      lab.writeNode(1);
      await lab.served(services, { ...both(CLUSTER, [1, 2]), ...other });
    });
    lab.nodeAddresses[1] = before;
  });
});

describe('A10: more nodes than may be announced', () => {
  const MAX = 3;
  const FIRST = 10;
  const SERVICES = 30;
  const everywhere = on(0, 1, 2, 3, 4);
  const numbers = Array.from({ length: SERVICES }, (_, index) => FIRST + index);
  const services = numbers.flatMap((number) => dualStack(`many-${number}`, number, everywhere));

  afterAll(async () => {
    advertise();
    lab.writePeers();
    await lab.step([], {});
  });

  function isOurs(prefix: string): boolean {
    return numbers.some((number) => Object.keys(both(number, [])).includes(prefix));
  }

  /** Any MAX nodes for each prefix are accepted; which ones is looked at afterwards. */
  async function settled(nodes: readonly number[]): Promise<Routes> {
    return await lab.settled(services, (routes) => {
      const ours = Object.entries(routes).filter(([prefix]) => isOurs(prefix));
      const allowed = addressesOf(nodes);
      return (
        ours.length === 2 * SERVICES &&
        ours.every(([, hops]) => hops.length === MAX && hops.every((hop) => allowed.has(hop)))
      );
    });
  }

  test('A10: a stable, evenly spread subset; losing one node changes one next hop', async () => {
    advertise({ nextHops: { max: MAX } });
    const before = await settled([0, 1, 2, 3, 4]);
    for (const { ipv4, ipv6 } of lab.nodeAddresses) {
      // 30 prefixes with 3 of 5 nodes: 18 expected, standard deviation 2.7.
      expect(countOf(before, ipv4)).toBeGreaterThanOrEqual(8);
      expect(countOf(before, ipv6)).toBeGreaterThanOrEqual(8);
    }
    const lost = Object.values(lab.nodeAddresses[4] ?? {});
    const unconcerned = Object.keys(before).filter(
      (prefix) => !before[prefix]?.some((hop) => lost.includes(hop)),
    );
    expect(unconcerned.length).toBeGreaterThan(0);
    lab.writeNode(4, { ready: 'False' });
    await lab.untouched(unconcerned, async () => {
      const after = await settled([0, 1, 2, 3]);
      for (const [prefix, hops] of Object.entries(before)) {
        const stayed = hops.filter((hop) => !lost.includes(hop));
        expect(after[prefix], prefix).toEqual(expect.arrayContaining(stayed));
      }
    });
    lab.writeNode(4);
    expect(await settled([0, 1, 2, 3, 4])).toEqual(before);
  });

  test("A10: one router's own limit is for that router only", async () => {
    advertise();
    const web = dualStack('cluster', CLUSTER, everywhere);
    await lab.step(web, both(CLUSTER, [0, 1, 2, 3, 4]));
    lab.writePeers({ bird: { spec: { addPaths: { maxPaths: 2 } } } });
    const found = await lab.settled(web, (routes, name) => {
      const hops = Object.keys(both(CLUSTER, [])).map((prefix) => routes[prefix]?.length ?? 0);
      return hops.every((count) => count === (name === 'bird' ? 2 : WORKERS));
    });
    expect(Object.keys(found)).toEqual(expect.arrayContaining(Object.keys(both(CLUSTER, []))));
    expect(await lab.connectionsDropped()).toEqual({ frr8: 0, frr10: 0, bird: 0 });
  });

  test('A10: the subset is spread over zones', async () => {
    lab.writePeers();
    advertise({ nextHops: { max: 2 } });
    const zones = [
      ['a', [0, 1, 2]],
      ['b', [3, 4]],
    ] as const;
    for (const [zone, indexes] of zones) {
      indexes.forEach((index) => lab.writeNode(index, { labels: { 'topology.kubernetes.io/zone': zone } }));
    }
    const web = dualStack('cluster', CLUSTER, everywhere);
    await lab.settled(web, (routes) =>
      Object.keys(both(CLUSTER, [])).every((prefix) =>
        zones.every(([, indexes]) => {
          const inZone = addressesOf(indexes);
          return routes[prefix]?.filter((hop) => inZone.has(hop)).length === 1;
        }),
      ),
    );
    lab.nodeAddresses.forEach((_, index) => lab.writeNode(index));
  });
});

test('A12: no session was touched by any of this', async () => {
  expect(await lab.connectionsDropped()).toEqual({ frr8: 0, frr10: 0, bird: 0 });
});

function countOf(routes: Routes, hop: string): number {
  return Object.values(routes).filter((hops) => hops.includes(hop)).length;
}
