// Addresses of Services as the API server shows them: CASES C 1-5 on the cluster that all share, with pools that are
// pinned to the Services of one row, and C 6, for which Herald is restarted.
//
// The spellings of MetalLB need a setting, and so does leadership without a restart: tables show both.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notYet, waitFor, type Cluster } from '@herald/lab';

import { ApiPool } from '../support/api-pool.ts';
import { ADDRESS_ROWS } from '../support/address-rows.ts';
import { AddressScene, summary, type ShownService } from '../support/address-scene.ts';
import { NAMESPACE, get, heraldPods, list, restrictedNamespace } from '../support/cluster-herald.ts';
import { sharedHerald } from '../support/own-cluster.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';

const SPACE = 'addresses';
const POOLS = '/apis/heraldbgp.io/v1alpha1/ipaddresspools';
const SAID_MS = 60_000;
const ROW_MS = 200_000;

interface Event {
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly reason: string;
  readonly type: string;
  readonly note: string;
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Pools first: who holds an address of a pool that is gone gives it back anyway. */
async function clear(cluster: Cluster, api: ApiPool): Promise<void> {
  const { items } = await api.must<{ items: readonly Named[] }>({ method: 'GET', path: POOLS });
  const ours = items.filter(({ metadata }) => metadata.name.startsWith(`${SPACE}-`));
  for (const { metadata } of ours) await api.must({ method: 'DELETE', path: `${POOLS}/${metadata.name}` });
  await cluster.kubectl(['delete', 'namespace', SPACE, '--ignore-not-found']);
}

describe.skipIf(!CAN_RUN)('addresses', () => {
  let cluster: Cluster;
  let api: ApiPool;

  const scene = (row: number): AddressScene => new AddressScene(api, SPACE, row);

  beforeAll(async () => {
    cluster = await sharedHerald();
    api = new ApiPool(cluster);
    await clear(cluster, api);
    await restrictedNamespace(cluster, SPACE);
  });
  afterAll(async () => {
    await clear(cluster, api);
    api.close();
    await cluster.stop();
  });

  const rows = ADDRESS_ROWS.map((row, index) => ({ ...row, number: index + 1 }));

  test.each(rows)(
    '$name',
    async ({ pools, services, shown, afterwards = [], number }) => {
      const at = scene(number);
      for (const [name, spec] of Object.entries(pools)) await at.pool(name, spec);
      for (const [name, spec] of Object.entries(services)) {
        await at.service(name, spec);
        await at.shows({ [name]: shown[name] ?? '' });
      }
      await at.shows(shown);
      for (const { change, shown: after } of afterwards) {
        await change(at);
        await at.shows(after);
      }
    },
    ROW_MS,
  );

  test(
    'an exhausted pool is told by condition, Event and metric, and so is who gets none',
    async () => {
      const at = scene(101);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('first', { pool: 'a' });
      await at.service('late', { pool: 'a' });
      await at.shows({ first: '198.18.#.1', late: 'PoolExhausted' });
      await at.poolSays('a', 'Available', 'False', 'PoolExhausted');
      expect(await eventOf('IPAddressPool', at.name('a'), 'PoolExhausted', 'default')).toMatchObject({
        type: 'Warning',
        note: expect.stringContaining('no free IPv4 address'),
      });
      expect(await eventOf('Service', at.name('late'), 'PoolExhausted', SPACE)).toMatchObject({
        type: 'Warning',
      });
      const free = `herald_pool_available_addresses{pool="${at.name('a')}",family="ipv4"}`;
      await waitFor('the metrics say it', async () => {
        const lines = await metrics();
        const unmet = lines.some((line) =>
          /^herald_unmet_services\{.*reason="PoolExhausted".*\} [1-9]/.test(line),
        );
        return (
          (lines.includes(`${free} 0`) && unmet) ||
          notYet(lines.filter((line) => /^herald_(pool|unmet)/.test(line)))
        );
      });
    },
    ROW_MS,
  );

  test(
    'a pinned pool that is full falls back to the pools without a pin',
    async () => {
      const at = scene(102);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('first', {});
      await at.shows({ first: '198.18.#.1' });
      await at.service('second', {});
      const address = await waitFor('it has an address', async () => {
        const shown = summary(await at.show('second'));
        return shown !== '' && !/^[A-Z]/.test(shown) ? shown : notYet(shown);
      });
      expect(address).toMatch(/^203\.0\.113\.\d+$/);
      await at.removeService('second');
    },
    ROW_MS,
  );

  test(
    'who has given an address stands beside it, and people see it',
    async () => {
      const at = scene(103);
      await at.pool('a', { addresses: ['198.18.#.1', '2001:db8:c0de:#::1'] });
      await at.service('x', { spec: { ipFamilyPolicy: 'RequireDualStack' } });
      await at.shows({ x: '198.18.#.1,2001:db8:c0de:#::1' });
      const { metadata } = await at.show('x');
      const lease = await get(cluster, 'lease', 'herald', '-n', NAMESPACE);
      expect(metadata.annotations).toEqual({
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1,2001:db8:c0de:#::1'),
        'heraldbgp.io/allocated-term': lease.metadata.annotations?.['heraldbgp.io/term'],
      });
      const row = await cluster.kubectl(['get', 'service', at.name('x'), '-n', SPACE, '--no-headers']);
      expect(row.split(/\s+/)[3]).toBe(at.text('198.18.#.1,2001:db8:c0de:#::1'));
    },
    ROW_MS,
  );

  test(
    'a Service of another class is not touched, nor one that is no LoadBalancer any more',
    async () => {
      const at = scene(104);
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.9'] });
      await at.service('theirs', { spec: { loadBalancerClass: 'example.com/other' } });
      await at.service('was', {});
      await at.shows({ was: '198.18.#.1' });
      await at.edit('was', { spec: { type: 'ClusterIP' } });
      await waitFor('its address, its condition and what was noted beside it go', async () => {
        const { metadata, status } = await at.show('was');
        const left = [metadata.annotations ?? {}, status.loadBalancer, status.conditions ?? []];
        return left.every((part) => Object.keys(part).length === 0) || notYet(left);
      });
      // Given after the others were seen: what is to be done about them has been done.
      await at.service('later', {});
      await at.shows({ later: '198.18.#.1' });
      const theirs = await at.show('theirs');
      expect([theirs.metadata.annotations, theirs.status]).toEqual([undefined, { loadBalancer: {} }]);
    },
    ROW_MS,
  );

  async function eventOf(kind: string, name: string, reason: string, namespace: string): Promise<Event> {
    return await waitFor(
      `an Event ${reason} about ${kind} ${name}`,
      async () => {
        const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
        const { items } = await api.must<{ items: readonly Event[] }>({ method: 'GET', path });
        const about = items.filter(({ regarding }) => regarding.kind === kind && regarding.name === name);
        return about.find((event) => event.reason === reason) ?? notYet(about.map((event) => event.reason));
      },
      SAID_MS,
    );
  }

  /** Of the leader, on its loopback. */
  async function metrics(): Promise<readonly string[]> {
    const lease = await get<{ spec: { holderIdentity: string } }>(
      cluster,
      'lease',
      'herald',
      '-n',
      NAMESPACE,
    );
    const script = `process.stdout.write(await (await fetch('http://127.0.0.1:8179/metrics')).text())`;
    const node = ['/usr/bin/node', '--input-type=module', '--eval', script];
    const pod = ['-n', NAMESPACE, lease.spec.holderIdentity, '-c', 'controller'];
    return (await cluster.kubectl(['exec', ...pod, '--', ...node])).split('\n');
  }
});

describe.skipIf(!CAN_RUN)('addresses while Herald restarts', () => {
  let cluster: Cluster<RouterName>;
  let api: ApiPool;
  const COUNT = 40;
  const SPAN = '198.18.1.0/26';

  beforeAll(async () => {
    cluster = await sharedHerald();
    api = new ApiPool(cluster);
    await clear(cluster, api);
    await restrictedNamespace(cluster, SPACE);
    const at = new AddressScene(api, SPACE, 1);
    await at.pool('a', { addresses: [SPAN] });
    await Promise.all(
      Array.from({ length: COUNT }, (_, i) =>
        at.service(`s${i}`, { spec: { allocateLoadBalancerNodePorts: false } }),
      ),
    );
    await waitFor(
      'all have one',
      async () => (await held()).size === COUNT || notYet((await held()).size),
      SAID_MS,
    );
  });
  afterAll(async () => {
    await clear(cluster, api);
    api.close();
    await cluster.stop();
  });

  async function services(): Promise<readonly ShownService[]> {
    return await list<ShownService & { spec: object }>(cluster, 'services', '-n', SPACE);
  }

  /** Address -> Services that show it. */
  async function held(): Promise<ReadonlyMap<string, readonly string[]>> {
    const pairs = (await services()).flatMap(({ metadata, status }) =>
      (status.loadBalancer.ingress ?? []).map(({ ip = '' }) => ({ ip, name: metadata.name })),
    );
    const byAddress = Map.groupBy(pairs, ({ ip }) => ip);
    return new Map(Array.from(byAddress, ([ip, holders]) => [ip, holders.map(({ name }) => name)]));
  }

  async function leader(): Promise<string> {
    const lease = await get<{ spec: { holderIdentity?: string } }>(
      cluster,
      'lease',
      'herald',
      '-n',
      NAMESPACE,
    );
    return lease.spec.holderIdentity ?? '';
  }

  /** Addresses are wanted all the time, by Services that come while nobody or somebody else leads. */
  async function through(act: () => Promise<void>, extra: string): Promise<void> {
    const before = await held();
    const at = new AddressScene(api, SPACE, 1);
    await Promise.all([
      act(),
      ...Array.from({ length: 5 }, (_, i) =>
        at.service(`${extra}${i}`, { spec: { allocateLoadBalancerNodePorts: false } }),
      ),
    ]);
    await waitFor(
      'those that came meanwhile have addresses',
      async () => (await held()).size === before.size + 5 || notYet((await held()).size),
      ROW_MS,
    );
    const after = await held();
    expect([...after.values()].filter((holders) => holders.length > 1)).toEqual([]);
    for (const [ip, holders] of before) expect([ip, after.get(ip)]).toEqual([ip, holders]);
  }

  const deletePods = async (...names: readonly string[]): Promise<void> =>
    void (await cluster.kubectl(['delete', 'pod', ...names, '-n', NAMESPACE, '--wait=true']));

  test(
    'the leader goes: its successor keeps every address',
    async () => {
      const old = await leader();
      await through(() => deletePods(old), 'leader');
      expect(await leader()).not.toBe(old);
      // What it said of itself goes with its pod.
      const replicas = await list(cluster, 'heraldreplicas', '-n', NAMESPACE);
      expect(replicas.map(({ metadata }) => metadata.name)).not.toContain(old);
    },
    ROW_MS,
  );

  test(
    'all replicas are killed at once and start with nothing in memory',
    async () => {
      await through(async () => {
        const pods = await heraldPods(cluster);
        await deletePods(...pods.map(({ metadata }) => metadata.name), '--grace-period=0', '--force');
      }, 'all');
    },
    ROW_MS,
  );

  test(
    'a rolling restart changes nothing',
    async () => {
      await through(async () => {
        await cluster.kubectl(['rollout', 'restart', 'deployment/herald', '-n', NAMESPACE]);
        await cluster.kubectl(['rollout', 'status', 'deployment/herald', '-n', NAMESPACE, '--timeout=170s']);
      }, 'roll');
    },
    ROW_MS,
  );

  test(
    'a pool that is edited into an older one keeps its verdict and its addresses, in whatever order they restart',
    async () => {
      const at = new AddressScene(api, SPACE, 1);
      await at.pool('younger', { addresses: ['198.18.2.0/28'] });
      await at.service('y', { pool: 'younger', spec: { allocateLoadBalancerNodePorts: false } });
      await at.shows({ y: '198.18.2.0' });
      await at.pool('younger', { addresses: ['198.18.2.0/28', '198.18.1.0/28'] });
      await at.poolSays('younger', 'Valid', 'False', 'PoolOverlaps');
      const before = await held();
      const pods = (await heraldPods(cluster)).map(({ metadata }) => metadata.name);
      for (const pod of pods) {
        await deletePods(pod);
        await cluster.kubectl(['rollout', 'status', 'deployment/herald', '-n', NAMESPACE, '--timeout=170s']);
        await at.poolSays('younger', 'Valid', 'False', 'PoolOverlaps');
        expect(await held()).toEqual(before);
      }
    },
    ROW_MS,
  );
});
