// What kubectl shows of Herald's own kinds: right, current, and of the spec that is there.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROUTER_ASN, notYet, waitFor } from '@herald/lab';

import type { AddressScene } from '../support/address-scene.ts';
import { NAMESPACE, apply, get, heraldPods, list } from '../support/cluster-herald.ts';
import { ServiceSpace, WITHOUT_PODS } from '../support/service-space.ts';
import { writesWithin } from '../support/service-writes.ts';
import { CAN_RUN } from '../support/shared-cluster.ts';

const SAID_MS = 40_000;
const TEST_MS = 120_000;
const QUIET_MS = 20_000;
const API = 'heraldbgp.io/v1alpha1';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Own {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

interface Replica {
  readonly metadata: {
    readonly name: string;
    readonly ownerReferences: readonly {
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
    }[];
  };
  readonly status: {
    readonly role: string;
    readonly term: number;
    readonly sessions: string;
    readonly routes: number;
    readonly peers: readonly {
      readonly name: string;
      readonly state: string;
      readonly authenticated: string;
      readonly families: readonly {
        readonly addPath: boolean;
        readonly pathsDesired: number;
        readonly pathsAdvertised: number;
      }[];
    }[];
  };
}

describe.skipIf(!CAN_RUN)('status', () => {
  let space: ServiceSpace;
  let at: AddressScene;

  beforeAll(async () => {
    space = await ServiceSpace.open('status');
    at = space.row(90);
    await at.pool('a', { addresses: ['198.18.#.0/29', '2001:db8:c0de:#::/126'] });
    await at.service('x', WITHOUT_PODS);
    await at.service('y', { spec: { ...WITHOUT_PODS.spec, ipFamilyPolicy: 'RequireDualStack' } });
    await space.serve(at.name('x'), 'worker-0');
    await at.shows({ x: '198.18.#.0', y: '198.18.#.1,2001:db8:c0de:#::' });
  });
  afterAll(() => space?.close());

  /** Column -> what kubectl prints there for the object. */
  async function row(
    kind: string,
    name: string,
    ...words: readonly string[]
  ): Promise<Record<string, string>> {
    const [head = '', line = ''] = (await space.cluster.kubectl(['get', kind, name, ...words]))
      .trimEnd()
      .split('\n');
    const starts = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
    return Object.fromEntries(
      starts.map(({ title, index }, i) => [title, line.slice(index, starts[i + 1]?.index).trim()]),
    );
  }

  async function prints(
    kind: string,
    name: string,
    wanted: Record<string, string>,
    ...words: readonly string[]
  ): Promise<void> {
    await waitFor(
      `${kind} ${name} prints ${JSON.stringify(wanted)}`,
      async () => {
        const seen = await row(kind, name, ...words);
        return Object.entries(wanted).every(([column, text]) => seen[column] === text) || notYet(seen);
      },
      SAID_MS,
    );
  }

  async function replicas(): Promise<readonly Replica[]> {
    return (await list(
      space.cluster,
      'heraldreplicas',
      '-n',
      NAMESPACE,
    )) as readonly unknown[] as readonly Replica[];
  }

  test(
    'IPAddressPool: what is in use and free, of each family',
    async () => {
      await prints('ipaddresspool', at.name('a'), {
        'ASSIGNED IPV4': '2',
        'FREE IPV4': '6',
        'ASSIGNED IPV6': '1',
        VALID: 'True',
      });
      await at.service('z', {});
      await prints('ipaddresspool', at.name('a'), { 'ASSIGNED IPV4': '3', 'FREE IPV4': '5' });
      await at.removeService('z');
      await prints('ipaddresspool', at.name('a'), { 'ASSIGNED IPV4': '2', 'FREE IPV4': '6' });
      const told = await space.cluster.kubectl(['describe', 'ipaddresspool', at.name('a')]);
      expect(told).toMatch(/availableIPv6:\s+3/i);
      expect(told).toContain('The pool has free addresses.');
    },
    TEST_MS,
  );

  test(
    'BGPPeer: sessions of all replicas, ADD-PATH, and the paths that the leader sends',
    async () => {
      for (const name of ['frr', 'bird'] as const) {
        await waitFor(
          `the paths of ${name} are the leader's`,
          async () => {
            const seen = await row('bgppeer', name);
            const leader = (await replicas()).find(({ status }) => status.role === 'Leader');
            const peer = leader?.status.peers.find((one) => one.name === name);
            const sent = peer?.families.reduce((sum, { pathsAdvertised }) => sum + pathsAdvertised, 0);
            const isRight =
              seen['SESSIONS'] === '2/2' && seen['ADDPATH'] === 'Yes' && seen['PATHS'] === String(sent);
            return (isRight && seen) || notYet({ seen, peer });
          },
          SAID_MS,
        );
        expect(await row('bgppeer', name)).toMatchObject({
          ADDRESS: space.cluster.router(name).ipv4,
          ASN: String(ROUTER_ASN),
        });
      }
      expect(await space.cluster.kubectl(['describe', 'bgppeer', 'frr'])).toContain(
        'Every session with the router is established.',
      );
    },
    TEST_MS,
  );

  test(
    'HeraldReplica: one for each pod and owned by it, role and term of the Lease, what was negotiated',
    async () => {
      const lease = await get<{
        spec: { holderIdentity: string };
        metadata: { annotations: Record<string, string> };
      }>(space.cluster, 'lease', 'herald', '-n', NAMESPACE);
      const pods = await heraldPods(space.cluster);
      const found = await waitFor(
        'every replica is told as it is',
        async () => {
          const all = await replicas();
          const isRight = all.every(({ metadata, status }) => {
            const role = metadata.name === lease.spec.holderIdentity ? 'Leader' : 'Standby';
            const term = lease.metadata.annotations['heraldbgp.io/term'];
            return status.role === role && String(status.term) === term && status.sessions === '2/2';
          });
          return (all.length === pods.length && isRight && all) || notYet(all.map(({ status }) => status));
        },
        SAID_MS,
      );
      expect(found.map(({ metadata }) => metadata.ownerReferences)).toEqual(
        pods.map(({ metadata }) => [
          { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid },
        ]),
      );
      for (const { status } of found) {
        expect(status.peers.map(({ name, state, authenticated }) => [name, state, authenticated])).toEqual([
          ['bird', 'Established', 'No'],
          ['frr', 'Established', 'No'],
        ]);
        expect(status.peers.flatMap(({ families }) => families.map(({ addPath }) => addPath))).toEqual([
          true,
          true,
          true,
          true,
        ]);
      }
      expect(await row('heraldreplica', lease.spec.holderIdentity, '-n', NAMESPACE)).toMatchObject({
        ROLE: 'Leader',
        SESSIONS: '2/2',
      });
    },
    TEST_MS,
  );

  test(
    'BGPAdvertisement: how many Services it takes',
    async () => {
      const selects = { ipAddressPools: [at.name('a')], serviceSelectors: [{ matchLabels: { row: '90' } }] };
      await own('BGPAdvertisement', at.name('ad'), selects);
      await prints('bgpadvertisement', at.name('ad'), { SERVICES: '2', VALID: 'True' });
      await own('BGPAdvertisement', at.name('ad'), {
        ...selects,
        serviceSelectors: [{ matchLabels: { row: 'none' } }],
      });
      await prints('bgpadvertisement', at.name('ad'), { SERVICES: '0' });
      const { status } = await get<Own>(space.cluster, 'bgpadvertisement', at.name('ad'));
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Effective', reason: 'SelectsNothing' }),
      );
    },
    TEST_MS,
  );

  async function own(kind: string, name: string, spec: object): Promise<void> {
    await apply(space.cluster, { apiVersion: API, kind, metadata: { name }, spec });
  }

  /** The status says of which spec it is, and that is the newest one. */
  async function current(kind: string, name: string): Promise<Own> {
    return await waitFor(
      `the status of ${kind} ${name} is about its spec`,
      async () => {
        const object = await get<Own>(space.cluster, kind, name);
        return object.status?.observedGeneration === object.metadata.generation ? object : notYet(object);
      },
      SAID_MS,
    );
  }

  test.each([
    {
      kind: 'IPAddressPool',
      specs: [
        { addresses: ['198.18.91.0/29'], autoAssign: false },
        { addresses: ['198.18.91.0/29'], autoAssign: false, avoidBuggyIPs: true },
      ],
    },
    {
      kind: 'BGPPeer',
      specs: [
        { peerAddress: '192.0.2.250', peerASN: ROUTER_ASN, shutdown: true },
        { peerAddress: '192.0.2.250', peerASN: ROUTER_ASN, shutdown: true, holdTime: '60s' },
      ],
    },
    {
      kind: 'BGPAdvertisement',
      specs: [{ ipAddressPools: ['none-of-them'] }, { ipAddressPools: ['none-of-them'], med: 7 }],
    },
  ])(
    '$kind: an edit that changes no count is seen to be in force',
    async ({ kind, specs }) => {
      const name = at.name('edited');
      for (const spec of specs) {
        await own(kind, name, spec);
        expect((await current(kind, name)).metadata.generation).toBeGreaterThan(0);
      }
      await space.cluster.kubectl(['delete', kind, name]);
    },
    TEST_MS,
  );

  test(
    'what no rule can see is a condition that names the field, and goes when it is mended',
    async () => {
      const name = at.name('wrong');
      await own('IPAddressPool', name, {
        addresses: ['198.18.92.0/28', '198.18.92.8-198.18.92.9'],
        autoAssign: false,
      });
      const { status } = await current('IPAddressPool', name);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Valid',
          status: 'False',
          message: expect.stringContaining('spec.addresses[1] must not overlap spec.addresses[0]'),
        }),
      );
      await own('IPAddressPool', name, { addresses: ['198.18.92.0/28'], autoAssign: false });
      await prints('ipaddresspool', name, { VALID: 'True', 'FREE IPV4': '16' });
      await current('IPAddressPool', name);
    },
    TEST_MS,
  );

  test(
    'of two peers with one address the later says so, and the earlier works on',
    async () => {
      const name = at.name('twin');
      await own('BGPPeer', name, { peerAddress: space.cluster.router('frr').ipv4, peerASN: ROUTER_ASN });
      const { status } = await current('BGPPeer', name);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Valid', status: 'False', reason: 'DuplicatePeerAddress' }),
      );
      await prints('bgppeer', 'frr', { SESSIONS: '2/2' });
      await space.cluster.kubectl(['delete', 'bgppeer', name]);
    },
    TEST_MS,
  );

  test(
    'objects that do not change are not written',
    async () => {
      await Promise.all(['IPAddressPool'].map((kind) => current(kind, at.name('a'))));
      await prints('ipaddresspool', at.name('a'), { 'ASSIGNED IPV4': '2', 'FREE IPV4': '6' });
      expect(await writesWithin(space.cluster, `${space.space}-`, QUIET_MS)).toEqual([]);
    },
    TEST_MS,
  );
});
