// Others who write what Herald writes, and a leader whose write comes too late: CASES D 13, 15, 16. Services have no
// pods here; hand-made EndpointSlices say on which nodes they would be.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { summary, type ShownService } from '../support/address-scene.ts';
import { get } from '../support/cluster-herald.ts';
import { ServiceSpace, WITHOUT_PODS } from '../support/service-space.ts';
import { writesTo, writesWithin } from '../support/service-writes.ts';
import { CAN_RUN } from '../support/shared-cluster.ts';

const ADVERTISEMENTS = '/apis/heraldbgp.io/v1alpha1/bgpadvertisements';
const TEST_MS = 200_000;
const FIGHT_MS = 10_000;

describe.skipIf(!CAN_RUN)('conflicts', () => {
  let space: ServiceSpace;

  beforeAll(async () => {
    space = await ServiceSpace.open('conflicts');
  });
  afterEach(() => space?.quiet());
  afterAll(() => space?.close());

  test(
    'a late write of an old leader: it keeps the address, the other gets another one',
    async () => {
      const at = space.row(1);
      const prefix = at.text('198.18.#.1/32');
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.9'] });
      await at.service('x', WITHOUT_PODS);
      await space.serve(at.name('x'), 'worker-0');
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', WITHOUT_PODS);
      await space.serve(at.name('y'), 'worker-1');
      await at.shows({ y: '198.18.#.2' });
      await space.routed(prefix, ['worker-0']);
      await space.routed(at.text('198.18.#.2/32'), ['worker-1']);
      const heard = await space.listen();
      const { metadata } = await at.show('x');
      const older = Number(metadata.annotations?.['heraldbgp.io/allocated-term']) - 1;
      await space.writeStatus(at.name('y'), [{ ip: at.text('198.18.#.1') }], {
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1'),
        'heraldbgp.io/allocated-term': String(older),
      });
      await at.shows({ x: '198.18.#.2', y: '198.18.#.1' });
      await space.routed(prefix, ['worker-1']);
      await space.routed(at.text('198.18.#.2/32'), ['worker-0']);
      const [loser, keeper] = ['worker-0', 'worker-1'].map((node) => space.cluster.node(node).plan.ipv4);
      for (const one of heard) {
        await one.caughtUp();
        const sets = one
          .eventsFor(prefix)
          .map(({ route }) => route.nextHops.map(({ address }) => address).join());
        // Both at once never; and once the one that keeps it is there, the loser never again.
        expect(sets.filter((set) => set !== loser && set !== keeper)).toEqual([]);
        expect(sets.lastIndexOf(loser ?? '')).toBeLessThanOrEqual(sets.indexOf(keeper ?? ''));
      }
      await space.event('Service', at.name('x'), /AddressConflict|AddressChanged: .*instead of/);
    },
    TEST_MS,
  );

  test(
    'a conflict for which there is no other address is said until there is one',
    async () => {
      const at = space.row(2);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', { ...WITHOUT_PODS, pool: 'a' });
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', { ...WITHOUT_PODS, pool: 'a' });
      await at.shows({ y: 'PoolExhausted' });
      await space.writeStatus(at.name('y'), [{ ip: at.text('198.18.#.1') }], {
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1'),
        'heraldbgp.io/allocated-term': '1',
      });
      await at.shows({ y: '198.18.#.1', x: 'PoolExhausted' });
      await space.event('Service', at.name('x'), /^(AddressConflict|PoolExhausted):/);
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.2'] });
      await at.shows({ x: '198.18.#.2', y: '198.18.#.1' });
    },
    TEST_MS,
  );

  test(
    'another program replaces the address: Herald stops and says so',
    async () => {
      const at = space.row(3);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', WITHOUT_PODS);
      await space.serve(at.name('x'), 'worker-0');
      await at.shows({ x: '198.18.#.1' });
      await space.routed(at.text('198.18.#.1/32'), ['worker-0']);
      const since = Date.now();
      await space.writeStatus(at.name('x'), [{ ip: '192.0.2.200' }]);
      await space.says(at, 'x', 'AddressNotOurs');
      await space.routed(at.text('198.18.#.1/32'), []);
      await writesWithin(space.cluster, space.pathOf(at.name('x')), FIGHT_MS);
      // The condition, and a second time where its first write met the other program's.
      expect((await writesTo(space.cluster, space.pathOf(at.name('x')), since)).length).toBeLessThanOrEqual(
        2,
      );
      expect(summary(await at.show('x'))).toBe('192.0.2.200 AddressNotOurs');
      expect(await space.cluster.router('frr').kernelNextHops('192.0.2.200/32')).toEqual([]);
      await space.writeStatus(at.name('x'), []);
      await at.shows({ x: '198.18.#.1' });
      await space.routed(at.text('198.18.#.1/32'), ['worker-0']);
    },
    TEST_MS,
  );

  test(
    'another program clears the address each time: Herald writes ever more seldom',
    async () => {
      const at = space.row(4);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', WITHOUT_PODS);
      await at.shows({ x: '198.18.#.1' });
      const since = Date.now();
      let cleared = 0;
      for (const until = since + FIGHT_MS; Date.now() < until;) {
        const { status } = await at.show('x');
        if ((status.loadBalancer.ingress ?? []).length > 0) {
          await space.writeStatus(at.name('x'), []);
          cleared += 1;
        }
      }
      // After 0, 1, 3 and 7 seconds, each time the address and, as far as each is seen, that it is there and that it is not.
      expect(cleared).toBeGreaterThanOrEqual(2);
      expect(cleared).toBeLessThanOrEqual(5);
      expect((await writesTo(space.cluster, space.pathOf(at.name('x')), since)).length).toBeLessThanOrEqual(
        3 * cleared + 1,
      );
      await at.shows({ x: '198.18.#.1' });
    },
    TEST_MS,
  );

  test(
    'a host name that somebody else wrote is not overwritten',
    async () => {
      const at = space.row(5);
      await at.service('x', { ...WITHOUT_PODS, pool: 'a' });
      await at.shows({ x: 'PoolUnknown' });
      await space.writeStatus(at.name('x'), [{ hostname: 'lb.example.com' }]);
      await at.shows({ x: 'lb.example.com AddressNotOurs' });
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.2'] });
      await at.service('later', { ...WITHOUT_PODS, pool: 'a' });
      await at.shows({ later: '198.18.#.1', x: 'lb.example.com AddressNotOurs' });
      await space.writeStatus(at.name('x'), []);
      await at.shows({ x: '198.18.#.2' });
    },
    TEST_MS,
  );

  test(
    'a Service that a finalizer keeps is withdrawn at once, its address free when it is gone',
    async () => {
      const at = space.row(6);
      const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('x', WITHOUT_PODS);
      await space.serve(at.name('x'), 'worker-0');
      await at.edit('x', { metadata: { finalizers } });
      await at.shows({ x: '198.18.#.1' });
      await space.routed(at.text('198.18.#.1/32'), ['worker-0']);
      await at.removeService('x');
      await space.routed(at.text('198.18.#.1/32'), []);
      await at.service('next', { ...WITHOUT_PODS, ips: '198.18.#.1' });
      await at.shows({ next: 'AddressInUse' });
      const kept = await space.api.must<{ metadata: { finalizers: string[] } } & ShownService>({
        method: 'GET',
        path: space.pathOf(at.name('x')),
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
      const at = space.row(7);
      const narrow = {
        apiVersion: 'heraldbgp.io/v1alpha1',
        kind: 'BGPAdvertisement',
        metadata: { name: at.name('narrow') },
        spec: { ipAddressPools: [at.name('a')], serviceSelectors: [{ matchLabels: { announced: 'yes' } }] },
      };
      const chosen = at.text('198.18.#.1/32');
      const others = [at.text('198.18.#.2/32'), at.text('198.18.#.0/24')];
      await at.pool('a', { addresses: ['198.18.#.1-198.18.#.9'] });
      await at.service('x', { ...WITHOUT_PODS, labels: { announced: 'yes' } });
      await at.shows({ x: '198.18.#.1' });
      await at.service('y', WITHOUT_PODS);
      await at.shows({ y: '198.18.#.2' });
      await space.serve(at.name('x'), 'worker-0');
      await space.serve(at.name('y'), 'worker-1');
      const everything = await get<object>(space.cluster, 'bgpadvertisement', 'default');
      try {
        await space.api.must({ method: 'POST', path: ADVERTISEMENTS, body: narrow });
        await space.api.must({ method: 'DELETE', path: `${ADVERTISEMENTS}/default` });
        await space.routed(chosen, ['worker-0']);
        await space.routed(at.text('198.18.#.2/32'), []);
        const heard = await space.listen();
        for (let i = 0; i < 3; i++) {
          await space.api.must({ method: 'DELETE', path: `${ADVERTISEMENTS}/${at.name('narrow')}` });
          await space.routed(chosen, []);
          await space.says(at, 'x', 'NoAdvertisement');
          await space.api.must({ method: 'POST', path: ADVERTISEMENTS, body: narrow });
          await space.routed(chosen, ['worker-0']);
        }
        for (const one of heard) {
          await one.caughtUp();
          const wider = one.events.filter(({ kind, route }) => kind !== 'removed' && route.prefix !== chosen);
          expect(wider.map(({ route }) => route.prefix)).toEqual([]);
          expect(others.flatMap((prefix) => one.eventsFor(prefix))).toEqual([]);
        }
      } finally {
        await space.api.ask({ method: 'DELETE', path: `${ADVERTISEMENTS}/${at.name('narrow')}` });
        const { spec } = everything as { spec: object };
        await ensureAdvertisement(spec);
      }
      await space.routed(at.text('198.18.#.2/32'), ['worker-1']);
    },
    TEST_MS,
  );

  async function ensureAdvertisement(spec: object): Promise<void> {
    await space.api.ask({
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
});
