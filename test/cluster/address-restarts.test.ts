// Addresses of Services while Herald restarts: CASES C 6 and D 18. Services want addresses all the time, also while
// nobody or somebody else leads; none is given twice, and none changes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, waitFor } from '@herald/lab';

import type { ShownService } from '../support/address-scene.ts';
import {
  NAMESPACE,
  heraldPods,
  leaseHolder,
  list,
  rolledOut,
  rollingRestart,
} from '../support/cluster-herald.ts';
import { ServiceSpace } from '../support/service-space.ts';
import { CAN_RUN } from '../support/shared-cluster.ts';

const COUNT = 40;
const SPAN = '198.18.1.0/26';
const SAID_MS = 60_000;
const ROW_MS = 200_000;
const ROLLOUT_SECONDS = 170;
const LIGHT = { spec: { allocateLoadBalancerNodePorts: false } };

describe.skipIf(!CAN_RUN)('addresses while Herald restarts', () => {
  let space: ServiceSpace;

  beforeAll(async () => {
    space = await ServiceSpace.open('restarts');
    const at = space.row(1);
    await at.pool('a', { addresses: [SPAN] });
    await Promise.all(Array.from({ length: COUNT }, (_, i) => at.service(`s${i}`, LIGHT)));
    await waitFor(
      'all have one',
      async () => (await held()).size === COUNT || notYet((await held()).size),
      SAID_MS,
    );
  });
  afterAll(() => space?.close());

  async function services(): Promise<readonly ShownService[]> {
    return await list<ShownService & { spec: object }>(space.cluster, 'services', '-n', space.space);
  }

  /** Address -> Services that show it. */
  async function held(): Promise<ReadonlyMap<string, readonly string[]>> {
    const pairs = (await services()).flatMap(({ metadata, status }) =>
      (status.loadBalancer.ingress ?? []).map(({ ip = '' }) => ({ ip, name: metadata.name })),
    );
    const byAddress = Map.groupBy(pairs, ({ ip }) => ip);
    return new Map(Array.from(byAddress, ([ip, holders]) => [ip, holders.map(({ name }) => name)]));
  }

  /** Addresses are wanted all the time, by Services that come while nobody or somebody else leads. */
  async function through(act: () => Promise<void>, extra: string): Promise<void> {
    const before = await held();
    const at = space.row(1);
    await Promise.all([act(), ...Array.from({ length: 5 }, (_, i) => at.service(`${extra}${i}`, LIGHT))]);
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
    void (await space.cluster.kubectl(['delete', 'pod', ...names, '-n', NAMESPACE, '--wait=true']));

  test(
    'the leader goes: its successor keeps every address',
    async () => {
      const old = await leaseHolder(space.cluster);
      await through(() => deletePods(old), 'leader');
      expect(await leaseHolder(space.cluster)).not.toBe(old);
      // What it said of itself goes with its pod.
      const replicas = await list(space.cluster, 'heraldreplicas', '-n', NAMESPACE);
      expect(replicas.map(({ metadata }) => metadata.name)).not.toContain(old);
    },
    ROW_MS,
  );

  test(
    'all replicas are killed at once and start with nothing in memory',
    async () => {
      await through(async () => {
        const pods = await heraldPods(space.cluster);
        await deletePods(...pods.map(({ metadata }) => metadata.name), '--grace-period=0', '--force');
      }, 'all');
    },
    ROW_MS,
  );

  test(
    'a rolling restart changes nothing',
    async () => {
      await through(async () => {
        await rollingRestart(space.cluster, ROLLOUT_SECONDS);
      }, 'roll');
    },
    ROW_MS,
  );

  test(
    'a pool that is edited into an older one keeps its verdict and its addresses, in whatever order they restart',
    async () => {
      const at = space.row(1);
      await at.pool('younger', { addresses: ['198.18.2.0/28'] });
      await at.service('y', { pool: 'younger', ...LIGHT });
      await at.shows({ y: '198.18.2.0' });
      await at.pool('younger', { addresses: ['198.18.2.0/28', '198.18.1.0/28'] });
      await at.poolSays('younger', 'Valid', 'False', 'PoolOverlaps');
      const before = await held();
      const pods = (await heraldPods(space.cluster)).map(({ metadata }) => metadata.name);
      for (const pod of pods) {
        await deletePods(pod);
        await rolledOut(space.cluster, ROLLOUT_SECONDS);
        await at.poolSays('younger', 'Valid', 'False', 'PoolOverlaps');
        expect(await held()).toEqual(before);
      }
    },
    ROW_MS,
  );
});
