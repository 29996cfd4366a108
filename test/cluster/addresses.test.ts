// Addresses of Services as the API server shows them: CASES C 1-5 on the cluster that all share, with pools that are
// pinned to the Services of one row. The spellings of MetalLB need a setting: tables show them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, waitFor } from '@herald/lab';

import { ADDRESS_ROWS } from '../support/address-rows.ts';
import { summary } from '../support/address-scene.ts';
import { NAMESPACE, get, leaseHolder } from '../support/cluster-herald.ts';
import { ServiceSpace } from '../support/service-space.ts';
import { CAN_RUN } from '../support/shared-cluster.ts';

const ROW_MS = 200_000;

describe.skipIf(!CAN_RUN)('addresses', () => {
  let space: ServiceSpace;

  beforeAll(async () => {
    space = await ServiceSpace.open('addresses');
  });
  afterAll(() => space?.close());

  const rows = ADDRESS_ROWS.map((row, index) => ({ ...row, number: index + 1 }));

  test.each(rows)(
    '$name',
    async ({ pools, services, shown, afterwards = [], number }) => {
      const at = space.row(number);
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
      const at = space.row(101);
      await at.pool('a', { addresses: ['198.18.#.1'] });
      await at.service('first', { pool: 'a' });
      await at.service('late', { pool: 'a' });
      await at.shows({ first: '198.18.#.1', late: 'PoolExhausted' });
      await at.poolSays('a', 'Available', 'False', 'PoolExhausted');
      expect(await space.event('IPAddressPool', at.name('a'), /^PoolExhausted:/, 'default')).toMatchObject({
        type: 'Warning',
        note: expect.stringContaining('no free IPv4 address'),
      });
      expect(await space.event('Service', at.name('late'), /^PoolExhausted:/)).toMatchObject({
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
      const at = space.row(102);
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
      const at = space.row(103);
      await at.pool('a', { addresses: ['198.18.#.1', '2001:db8:c0de:#::1'] });
      await at.service('x', { spec: { ipFamilyPolicy: 'RequireDualStack' } });
      await at.shows({ x: '198.18.#.1,2001:db8:c0de:#::1' });
      const { metadata } = await at.show('x');
      const lease = await get(space.cluster, 'lease', 'herald', '-n', NAMESPACE);
      expect(metadata.annotations).toEqual({
        'heraldbgp.io/allocated-addresses': at.text('198.18.#.1,2001:db8:c0de:#::1'),
        'heraldbgp.io/allocated-term': lease.metadata.annotations?.['heraldbgp.io/term'],
      });
      const row = await space.cluster.kubectl([
        'get',
        'service',
        at.name('x'),
        '-n',
        space.space,
        '--no-headers',
      ]);
      expect(row.split(/\s+/)[3]).toBe(at.text('198.18.#.1,2001:db8:c0de:#::1'));
    },
    ROW_MS,
  );

  test(
    'a Service of another class is not touched, nor one that is no LoadBalancer any more',
    async () => {
      const at = space.row(104);
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

  /** Of the leader, on its loopback. */
  async function metrics(): Promise<readonly string[]> {
    const script = `process.stdout.write(await (await fetch('http://127.0.0.1:8179/metrics')).text())`;
    const node = ['/usr/bin/node', '--input-type=module', '--eval', script];
    const pod = ['-n', NAMESPACE, await leaseHolder(space.cluster), '-c', 'controller'];
    return (await space.cluster.kubectl(['exec', ...pod, '--', ...node])).split('\n');
  }
});
