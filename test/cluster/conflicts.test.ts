// Others who write what Herald writes, a leader whose write comes too late, and many Services at once: CASES C 7 and
// D 13, 15, 16, 17. Services have no pods here; hand-made EndpointSlices say on which nodes they would be.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FibMonitor, ROUTER_ASN, notYet, run, waitFor, type Cluster } from '@herald/lab';

import { ApiPool, MERGE } from '../support/api-pool.ts';
import { AddressScene, summary, type ShownService } from '../support/address-scene.ts';
import {
  NAMESPACE,
  ensureHerald,
  ensureSite,
  get,
  list,
  restrictedNamespace,
  sessionsUp,
} from '../support/cluster-herald.ts';
import { writesTo, writesWithin } from '../support/service-writes.ts';
import { CAN_RUN, sharedCluster, type RouterName } from '../support/shared-cluster.ts';

const SPACE = 'conflicts';
const POOLS = '/apis/heraldbgp.io/v1alpha1/ipaddresspools';
const ADVERTISEMENTS = '/apis/heraldbgp.io/v1alpha1/bgpadvertisements';
const TEST_MS = 200_000;
const ROUTED_MS = 30_000;
const FIGHT_MS = 10_000;
const MANY = 2000;

interface Named {
  readonly metadata: { readonly name: string };
}

interface Event {
  readonly regarding: { readonly name: string };
  readonly reason: string;
  readonly note: string;
}

describe.skipIf(!CAN_RUN)('conflicts', () => {
  let cluster: Cluster<RouterName>;
  let api: ApiPool;
  const monitors: FibMonitor[] = [];

  async function clear(): Promise<void> {
    const { items } = await api.must<{ items: readonly Named[] }>({ method: 'GET', path: POOLS });
    const ours = items.filter(({ metadata }) => metadata.name.startsWith(`${SPACE}-`));
    for (const { metadata } of ours) await api.must({ method: 'DELETE', path: `${POOLS}/${metadata.name}` });
    await cluster.kubectl(['delete', 'namespace', SPACE, '--ignore-not-found']);
  }

  beforeAll(async () => {
    cluster = await sharedCluster();
    api = new ApiPool(cluster);
    await ensureHerald(cluster);
    await ensureSite(cluster, ROUTER_ASN);
    await sessionsUp(cluster);
    await clear();
    await restrictedNamespace(cluster, SPACE);
  });
  afterEach(async () => {
    await Promise.all(monitors.splice(0).map((monitor) => monitor.stop()));
  });
  afterAll(async () => {
    await clear();
    api.close();
    await cluster.stop();
  });

  /** Of all replicas and routers. A router forgets its own count when it is asked to clear. */
  async function flaps(): Promise<number> {
    const replicas = await list<{ status?: { peers?: readonly { flaps?: number }[] } }>(
      cluster,
      'heraldreplicas',
      '-n',
      NAMESPACE,
    );
    const peers = replicas.flatMap(({ status }) => status?.peers ?? []);
    return peers.reduce((sum, peer) => sum + (peer.flaps ?? 0), 0);
  }

  const scene = (row: number): AddressScene => new AddressScene(api, SPACE, row);
  const pathOf = (name: string): string => `/api/v1/namespaces/${SPACE}/services/${name}`;

  /** Another program's write: it knows nothing of Herald's versions. */
  async function writeStatus(
    name: string,
    ingress: readonly object[],
    annotations: object = {},
  ): Promise<void> {
    await api.must({
      method: 'PATCH',
      path: `${pathOf(name)}/status`,
      contentType: MERGE,
      body: { metadata: { annotations }, status: { loadBalancer: { ingress } } },
    });
  }

  /** The Service is served by a pod on the node. */
  async function serve(name: string, node: string): Promise<void> {
    await api.must({
      method: 'POST',
      path: `/apis/discovery.k8s.io/v1/namespaces/${SPACE}/endpointslices`,
      body: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, namespace: SPACE, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.200.1'], nodeName: node, conditions: { ready: true } }],
        ports: [{ name: 'p80', port: 80, protocol: 'TCP' }],
      },
    });
  }

  const withoutPods = { spec: { selector: null, allocateLoadBalancerNodePorts: false } };

  async function routed(prefix: string, nodes: readonly string[]): Promise<void> {
    const wanted = nodes.map((node) => cluster.node(node).plan.ipv4).join();
    await waitFor(
      `both routers have ${prefix} by ${wanted}`,
      async () => {
        const seen = await Promise.all(
          (['frr', 'bird'] as const).map((name) => cluster.router(name).kernelNextHops(prefix)),
        );
        return seen.every((hops) => hops.join() === wanted) || notYet(seen);
      },
      ROUTED_MS,
    );
  }

  async function says(at: AddressScene, short: string, reason: string): Promise<void> {
    await waitFor(
      `${short} says ${reason}`,
      async () => {
        const shown = await at.show(short);
        return shown.status.conditions?.some((one) => one.reason === reason) === true || notYet(shown.status);
      },
      ROUTED_MS,
    );
  }

  async function events(name: string): Promise<readonly Event[]> {
    const path = `/apis/events.k8s.io/v1/namespaces/${SPACE}/events`;
    const { items } = await api.must<{ items: readonly Event[] }>({ method: 'GET', path });
    return items.filter(({ regarding }) => regarding.name === name);
  }

  async function monitor(): Promise<readonly FibMonitor[]> {
    for (const name of ['frr', 'bird'] as const) {
      monitors.push(await FibMonitor.start(cluster.router(name).namespace));
    }
    return monitors;
  }

  test(
    'a late write of an old leader: it keeps the address, the other gets another one',
    async () => {
      const at = scene(1);
      const prefix = at.text('198.18.#.1/32');
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.9'] });
      await at.service('x', withoutPods);
      await serve(at.name('x'), 'worker-0');
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', withoutPods);
      await serve(at.name('y'), 'worker-1');
      await at.shows({ y: '198.18.#.2' });
      await routed(prefix, ['worker-0']);
      await routed(at.text('198.18.#.2/32'), ['worker-1']);
      const heard = await monitor();
      const { metadata } = await at.show('x');
      const older = Number(metadata.annotations?.['heraldbgp.io/allocated-term']) - 1;
      await writeStatus(at.name('y'), [{ ip: at.text('198.18.#.1') }], {
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1'),
        'heraldbgp.io/allocated-term': String(older),
      });
      await at.shows({ x: '198.18.#.2', y: '198.18.#.1' });
      await routed(prefix, ['worker-1']);
      await routed(at.text('198.18.#.2/32'), ['worker-0']);
      const [loser, keeper] = ['worker-0', 'worker-1'].map((node) => cluster.node(node).plan.ipv4);
      for (const one of heard) {
        await one.caughtUp();
        const sets = one
          .eventsFor(prefix)
          .map(({ route }) => route.nextHops.map(({ address }) => address).join());
        // Both at once never; and once the one that keeps it is there, the loser never again.
        expect(sets.filter((set) => set !== loser && set !== keeper)).toEqual([]);
        expect(sets.lastIndexOf(loser ?? '')).toBeLessThanOrEqual(sets.indexOf(keeper ?? ''));
      }
      await waitFor(
        'it is said',
        async () => {
          const notes = (await events(at.name('x'))).map(({ reason, note }) => `${reason}: ${note}`);
          return (
            notes.some((note) => /AddressConflict|AddressChanged: .*instead of/.test(note)) || notYet(notes)
          );
        },
        ROUTED_MS,
      );
    },
    TEST_MS,
  );

  test(
    'a conflict for which there is no other address is said until there is one',
    async () => {
      const at = scene(2);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', { ...withoutPods, pool: 'a' });
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', { ...withoutPods, pool: 'a' });
      await at.shows({ y: 'PoolExhausted' });
      await writeStatus(at.name('y'), [{ ip: at.text('198.18.#.1') }], {
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1'),
        'heraldbgp.io/allocated-term': '1',
      });
      await at.shows({ y: '198.18.#.1', x: 'PoolExhausted' });
      await waitFor(
        'why it lost its address',
        async () => {
          const seen = await events(at.name('x'));
          return (
            seen.some(({ reason }) => reason === 'AddressConflict' || reason === 'PoolExhausted') ||
            notYet(seen)
          );
        },
        ROUTED_MS,
      );
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.2'] });
      await at.shows({ x: '198.18.#.2', y: '198.18.#.1' });
    },
    TEST_MS,
  );

  test(
    'another program replaces the address: Herald stops and says so',
    async () => {
      const at = scene(3);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', withoutPods);
      await serve(at.name('x'), 'worker-0');
      await at.shows({ x: '198.18.#.1' });
      await routed(at.text('198.18.#.1/32'), ['worker-0']);
      const since = Date.now();
      await writeStatus(at.name('x'), [{ ip: '192.0.2.200' }]);
      await says(at, 'x', 'AddressNotOurs');
      await routed(at.text('198.18.#.1/32'), []);
      await writesWithin(cluster, pathOf(at.name('x')), FIGHT_MS);
      // The condition, and a second time where its first write met the other program's.
      expect((await writesTo(cluster, pathOf(at.name('x')), since)).length).toBeLessThanOrEqual(2);
      expect(summary(await at.show('x'))).toBe('192.0.2.200 AddressNotOurs');
      expect(await cluster.router('frr').kernelNextHops('192.0.2.200/32')).toEqual([]);
      await writeStatus(at.name('x'), []);
      await at.shows({ x: '198.18.#.1' });
      await routed(at.text('198.18.#.1/32'), ['worker-0']);
    },
    TEST_MS,
  );

  test(
    'another program clears the address each time: Herald writes ever more seldom',
    async () => {
      const at = scene(4);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', withoutPods);
      await at.shows({ x: '198.18.#.1' });
      const since = Date.now();
      let cleared = 0;
      for (const until = since + FIGHT_MS; Date.now() < until;) {
        const { status } = await at.show('x');
        if ((status.loadBalancer.ingress ?? []).length > 0) {
          await writeStatus(at.name('x'), []);
          cleared += 1;
        }
      }
      // After 0, 1, 3 and 7 seconds, and each time perhaps a condition.
      expect(cleared).toBeGreaterThanOrEqual(2);
      expect(cleared).toBeLessThanOrEqual(5);
      expect((await writesTo(cluster, pathOf(at.name('x')), since)).length).toBeLessThanOrEqual(
        2 * cleared + 1,
      );
      await at.shows({ x: '198.18.#.1' });
    },
    TEST_MS,
  );

  test(
    'a host name that somebody else wrote is not overwritten',
    async () => {
      const at = scene(5);
      await at.service('x', { ...withoutPods, pool: 'a' });
      await at.shows({ x: 'PoolUnknown' });
      await writeStatus(at.name('x'), [{ hostname: 'lb.example.com' }]);
      await at.shows({ x: 'lb.example.com AddressNotOurs' });
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.2'] });
      await at.service('later', { ...withoutPods, pool: 'a' });
      await at.shows({ later: '198.18.#.1', x: 'lb.example.com AddressNotOurs' });
      await writeStatus(at.name('x'), []);
      await at.shows({ x: '198.18.#.2' });
    },
    TEST_MS,
  );

  test(
    'a Service that a finalizer keeps is withdrawn at once, its address free when it is gone',
    async () => {
      const at = scene(6);
      const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', withoutPods);
      await serve(at.name('x'), 'worker-0');
      await at.edit('x', { metadata: { finalizers } });
      await at.shows({ x: '198.18.#.1' });
      await routed(at.text('198.18.#.1/32'), ['worker-0']);
      await at.removeService('x');
      await routed(at.text('198.18.#.1/32'), []);
      await at.service('next', { ...withoutPods, ips: '198.18.#.1' });
      await at.shows({ next: 'AddressInUse' });
      const kept = await api.must<{ metadata: { finalizers: string[] } } & ShownService>({
        method: 'GET',
        path: pathOf(at.name('x')),
      });
      expect([kept.metadata.finalizers, kept.status.loadBalancer]).toEqual([
        finalizers,
        { ingress: [{ ip: at.text('198.18.#.1'), ipMode: 'VIP' }] },
      ]);
      await at.edit('x', { metadata: { finalizers: null } });
      await at.shows({ next: '198.18.#.1' });
    },
    TEST_MS,
  );

  test(
    'the last advertisement goes and comes back: never anything wider',
    async () => {
      const at = scene(7);
      const narrow = {
        apiVersion: 'heraldbgp.io/v1alpha1',
        kind: 'BGPAdvertisement',
        metadata: { name: at.name('narrow') },
        spec: { ipAddressPools: [at.name('a')], serviceSelectors: [{ matchLabels: { announced: 'yes' } }] },
      };
      const chosen = at.text('198.18.#.1/32');
      const others = [at.text('198.18.#.2/32'), at.text('198.18.#.0/24')];
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.9'] });
      await at.service('x', { ...withoutPods, labels: { announced: 'yes' } });
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', withoutPods);
      await at.shows({ y: '198.18.#.2' });
      await serve(at.name('x'), 'worker-0');
      await serve(at.name('y'), 'worker-1');
      const everything = await get<object>(cluster, 'bgpadvertisement', 'default');
      try {
        await api.must({ method: 'POST', path: ADVERTISEMENTS, body: narrow });
        await api.must({ method: 'DELETE', path: `${ADVERTISEMENTS}/default` });
        await routed(chosen, ['worker-0']);
        await routed(at.text('198.18.#.2/32'), []);
        const heard = await monitor();
        for (let i = 0; i < 3; i++) {
          await api.must({ method: 'DELETE', path: `${ADVERTISEMENTS}/${at.name('narrow')}` });
          await routed(chosen, []);
          await says(at, 'x', 'NoAdvertisement');
          await api.must({ method: 'POST', path: ADVERTISEMENTS, body: narrow });
          await routed(chosen, ['worker-0']);
        }
        for (const one of heard) {
          await one.caughtUp();
          const wider = one.events.filter(({ kind, route }) => kind !== 'removed' && route.prefix !== chosen);
          expect(wider.map(({ route }) => route.prefix)).toEqual([]);
          expect(others.flatMap((prefix) => one.eventsFor(prefix))).toEqual([]);
        }
      } finally {
        await api.ask({ method: 'DELETE', path: `${ADVERTISEMENTS}/${at.name('narrow')}` });
        const { spec } = everything as { spec: object };
        await ensureAdvertisement(spec);
      }
      await routed(at.text('198.18.#.2/32'), ['worker-1']);
    },
    TEST_MS,
  );

  async function ensureAdvertisement(spec: object): Promise<void> {
    await api.ask({
      method: 'POST',
      path: ADVERTISEMENTS,
      body: {
        apiVersion: 'heraldbgp.io/v1alpha1',
        kind: 'BGPAdvertisement',
        metadata: { name: 'default' },
        spec,
      },
    });
  }

  test(
    'a peer flaps: no write to any Service',
    async () => {
      const at = scene(8);
      const shorts = Array.from({ length: 30 }, (_, i) => `s${i}`);
      await at.pool('a', { addresses: ['198.18.#.0/26'] });
      for (const [i, short] of shorts.entries()) {
        await at.service(short, withoutPods);
        await serve(at.name(short), `worker-${i % 3}`);
      }
      await waitFor(
        'all are announced',
        async () => {
          const all = await Promise.all(shorts.map((short) => at.show(short)));
          const reasons = all.map(({ status }) => status.conditions?.[0]?.reason);
          return reasons.every((reason) => reason === 'Advertised') || notYet(reasons);
        },
        ROUTED_MS,
      );
      const router = cluster.router('frr');
      const before = await flaps();
      const since = Date.now();
      for (let i = 0; i < 5; i++) {
        await run(['vtysh', '--vty_socket', router.directory, '-c', 'clear bgp *']);
        await waitFor(
          'the sessions are back',
          async () => {
            const sessions = await router.sessions();
            const up = sessions.filter(({ isEstablished }) => isEstablished);
            return up.length >= 2 || notYet(sessions);
          },
          ROUTED_MS,
        );
      }
      await waitFor(
        'the replicas have seen it',
        async () => {
          const seen = (await flaps()) - before;
          return seen >= 5 || notYet(seen);
        },
        ROUTED_MS,
      );
      await sessionsUp(cluster);
      expect(await writesTo(cluster, `/namespaces/${SPACE}/services/`, since)).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `${MANY} Services at once: each its own address`,
    async () => {
      const at = scene(9);
      await at.pool('a', { addresses: ['198.19.0.0/20'] });
      const names = Array.from({ length: MANY }, (_, i) => `s${i}`);
      const begun = performance.now();
      await Promise.all(names.map((short) => at.service(short, withoutPods)));
      const created = performance.now();
      const mine = `${pathOf('')}?labelSelector=row%3D9`.replace('services/?', 'services?');
      const shown = await waitFor(
        'all have one',
        async () => {
          const { items } = await api.must<{ items: readonly ShownService[] }>({ method: 'GET', path: mine });
          const addresses = items.flatMap(
            ({ status }) => status.loadBalancer.ingress?.map(({ ip }) => ip) ?? [],
          );
          return addresses.length >= MANY ? addresses : notYet(addresses.length);
        },
        120_000,
      );
      const done = performance.now();
      expect(new Set(shown).size).toBe(MANY);
      const seconds = (ms: number): string => (ms / 1000).toFixed(1);
      console.log(
        `${MANY} Services: created in ${seconds(created - begun)} s, the last address ${seconds(done - created)} s later`,
      );
      await waitFor(
        'the pool counts them',
        async () => {
          const pool = await get<{ status: { assignedIPv4: number; availableIPv4: number } }>(
            cluster,
            'ipaddresspool',
            at.name('a'),
          );
          return (
            (pool.status.assignedIPv4 === MANY && pool.status.availableIPv4 === 4096 - MANY) ||
            notYet(pool.status)
          );
        },
        ROUTED_MS,
      );
    },
    TEST_MS,
  );

  test('nothing of all this was left undone: no replica has a fault', async () => {
    const logs = await cluster.kubectl([
      'logs',
      '-n',
      NAMESPACE,
      '-l',
      'app.kubernetes.io/name=herald',
      '-c',
      'controller',
      '--tail=-1',
    ]);
    const faults = logs
      .split('\n')
      .filter((line) => line.includes('"event":"fault"') && line.includes('was not written'));
    expect(faults.filter((line) => !line.includes('because it is being terminated'))).toEqual([]);
  });
});
