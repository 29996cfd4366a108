// Many Services: a peer that flaps costs none of them a write, and as many at once as a cluster is given in a restore
// get an address each (CASES C 7, D 17). And nothing that was written in this cluster failed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, run, waitFor } from '@herald/lab';

import type { ShownService } from '../support/address-scene.ts';
import { NAMESPACE, get, list, sessionsUp } from '../support/cluster-herald.ts';
import { ServiceSpace, ROUTED_MS, WITHOUT_PODS } from '../support/service-space.ts';
import { writesTo } from '../support/service-writes.ts';
import { CAN_RUN } from '../support/shared-cluster.ts';

const TEST_MS = 200_000;
const MANY = 300;

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

describe.skipIf(!CAN_RUN)('many Services', () => {
  let space: ServiceSpace;

  beforeAll(async () => {
    space = await ServiceSpace.open('many');
  });
  afterAll(() => space?.close());

  /** Of all replicas and routers. A router forgets its own count when it is asked to clear. */
  async function flaps(): Promise<number> {
    const replicas = await list<{ status?: { peers?: readonly { flaps?: number }[] } }>(
      space.cluster,
      'heraldreplicas',
      '-n',
      NAMESPACE,
    );
    const peers = replicas.flatMap(({ status }) => status?.peers ?? []);
    return peers.reduce((sum, peer) => sum + (peer.flaps ?? 0), 0);
  }

  /** Addresses of the Services of a row, as soon as they are as wanted. */
  async function addressesOf(
    row: number,
    isWanted: (addresses: readonly string[]) => boolean,
  ): Promise<readonly string[]> {
    const path = `/api/v1/namespaces/${space.space}/services?labelSelector=row%3D${row}`;
    return await waitFor(
      'all have one',
      async () => {
        const { items } = await space.api.must<{ items: readonly ShownService[] }>({ method: 'GET', path });
        const addresses = items.flatMap(
          ({ status }) => status.loadBalancer.ingress?.flatMap(({ ip }) => ip ?? []) ?? [],
        );
        return isWanted(addresses) ? addresses : notYet(addresses.length);
      },
      120_000,
    );
  }

  test(
    'a peer flaps: no write to any Service',
    async () => {
      const at = space.row(8);
      const shorts = Array.from({ length: 30 }, (_, i) => `s${i}`);
      await at.pool('a', { addresses: ['198.18.#.0/26'] });
      for (const [i, short] of shorts.entries()) {
        await at.service(short, WITHOUT_PODS);
        await space.serve(at.name(short), `worker-${i % 3}`);
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
      const router = space.cluster.router('frr');
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
      await sessionsUp(space.cluster);
      expect(await writesTo(space.cluster, `/namespaces/${space.space}/services/`, since)).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `${MANY} Services at once: each its own address`,
    async () => {
      const at = space.row(9);
      await at.pool('a', { addresses: ['198.19.0.0/20'] });
      const names = Array.from({ length: MANY }, (_, i) => `s${i}`);
      const begun = performance.now();
      await Promise.all(names.map((short) => at.service(short, WITHOUT_PODS)));
      const created = performance.now();
      const shown = await addressesOf(9, (all) => all.length >= MANY);
      const done = performance.now();
      expect(new Set(shown).size).toBe(MANY);
      const took = `created in ${seconds(created - begun)} s, the last address ${seconds(done - created)} s later`;
      process.stderr.write(`${MANY} Services: ${took}\n`);
      await waitFor(
        'the pool counts them',
        async () => {
          const pool = await get<{ status: { assignedIPv4: number; availableIPv4: number } }>(
            space.cluster,
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
      // The end of a namespace takes minutes for so many.
      await Promise.all(names.map((short) => at.removeService(short)));
    },
    TEST_MS,
  );

  test(
    'a pool moves while Services come: all move with it, each to its own; it grows: all stay',
    async () => {
      const at = space.row(10);
      const half = 60;
      const names = Array.from({ length: 2 * half }, (_, i) => `s${i}`);
      const come = (some: readonly string[]): Promise<unknown> =>
        Promise.all(some.map((short) => at.service(short, WITHOUT_PODS)));
      await at.pool('a', { addresses: ['198.19.16.0/24'] });
      await come(names.slice(0, half));
      await addressesOf(10, (all) => all.length >= half);
      await Promise.all([come(names.slice(half)), at.pool('a', { addresses: ['198.19.17.0/24'] })]);
      const isMoved = (all: readonly string[]): boolean =>
        all.length === names.length && all.every((one) => one.startsWith('198.19.17.'));
      const moved = await addressesOf(10, isMoved);
      expect(new Set(moved).size).toBe(names.length);
      await at.pool('a', { addresses: ['198.19.16.0/24', '198.19.17.0/24'] });
      await at.service('last', WITHOUT_PODS);
      const grown = await addressesOf(10, (all) => all.length > names.length);
      expect(grown.filter((one) => moved.includes(one)).length).toBe(moved.length);
      await Promise.all([...names, 'last'].map((short) => at.removeService(short)));
    },
    TEST_MS,
  );

  test('nothing of all this was left undone: no replica has a fault', async () => {
    const logs = await space.cluster.kubectl([
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
