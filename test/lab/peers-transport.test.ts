/**
 * Every way in which a session can be carried, all from one pod at once: routers of five makes with an address for each
 * row, each row a peer. What must not come up stays down with a reason, and nobody else notices.
 */
import { join } from 'node:path';

import {
  BirdRouter,
  UPLINK,
  notYet,
  waitFor,
  type NeighborOptions,
  type Router,
  type RouterOptions,
} from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { HeraldPod } from '../support/herald-pod.ts';
import {
  ManifestFolder,
  advertisement,
  node,
  peer,
  pool,
  secret,
  service,
  slice,
} from '../support/manifests.ts';
import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';

type Name = 'frr8' | 'frr10' | 'bird' | 'inner' | 'gobgp' | 'openbgpd';
const KINDS = {
  frr8: 'frr',
  frr10: 'frr-root',
  bird: 'bird',
  inner: 'bird',
  gobgp: 'gobgp',
  openbgpd: 'openbgpd',
} as const;
const FOUR_OCTETS = 4_200_000_001;
const ASNS: Readonly<Record<Name, number>> = {
  frr8: FOUR_OCTETS,
  frr10: 65_102,
  bird: 65_103,
  inner: HERALD_ASN,
  gobgp: 65_105,
  openbgpd: 65_106,
};
const NAMES = Object.keys(KINDS) as Name[];
/** Further addresses: of the pod, and of the routers that have two IPv4 sessions. */
const SECOND = { pod: '10.244.1.3', frr8: '192.0.2.51', frr10: '192.0.2.52', bird: '192.0.2.53' } as const;
const NODE_ASN = 65_110;
const LOCAL_ASN = 65_200;

interface Row {
  readonly what: string;
  readonly router: Name;
  /** `ipv4` or `ipv6` of the router, or a further address of it. */
  readonly at: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** What the router says of us, beside our address. */
  readonly neighbor?: Partial<NeighborOptions>;
  readonly down?: true;
}

const ROWS: Readonly<Record<string, Row>> = {
  'ebgp-4': {
    what: 'eBGP over IPv4, multihop, a 4-octet ASN, MD5',
    router: 'frr8',
    at: 'ipv4',
    spec: { peerASN: FOUR_OCTETS, passwordSecret: { name: 'bgp', key: 'right' } },
    neighbor: { password: 'right-one' },
  },
  'ebgp-6': {
    what: 'eBGP over IPv6, multihop, dynamic ASN external',
    router: 'frr8',
    at: 'ipv6',
    spec: { dynamicASN: 'external' },
  },
  source: {
    what: 'another source address of the pod',
    router: 'frr8',
    at: SECOND.frr8,
    spec: { peerASN: FOUR_OCTETS, sourceAddress: SECOND.pod },
    neighbor: { address: SECOND.pod },
  },
  gtsm: {
    what: 'GTSM two hops away, over IPv6',
    router: 'frr10',
    at: 'ipv6',
    spec: { peerASN: ASNS.frr10, ttlSecurityHops: 2 },
    neighbor: { ttlSecurityHops: 2 },
  },
  'local-as': {
    what: 'another ASN of ours',
    router: 'frr10',
    at: 'ipv4',
    spec: { peerASN: ASNS.frr10, localASN: LOCAL_ASN },
    neighbor: { asn: LOCAL_ASN },
  },
  'md5-wrong': {
    what: 'MD5 with the wrong password',
    router: 'frr10',
    at: SECOND.frr10,
    spec: { peerASN: ASNS.frr10, sourceAddress: SECOND.pod, passwordSecret: { name: 'bgp', key: 'wrong' } },
    neighbor: { address: SECOND.pod, password: 'right-one' },
    down: true,
  },
  'dynamic-wrong': {
    what: 'dynamic ASN internal towards an external router',
    router: 'bird',
    at: 'ipv4',
    spec: { dynamicASN: 'internal' },
    down: true,
  },
  'asn-wrong': {
    what: 'the wrong ASN',
    router: 'bird',
    at: 'ipv6',
    spec: { peerASN: 65_199 },
    down: true,
  },
  'ibgp-4': {
    what: 'iBGP over IPv4',
    router: 'inner',
    at: 'ipv4',
    spec: { peerASN: HERALD_ASN },
    neighbor: { asn: 'internal' },
  },
  'ibgp-6': {
    what: 'iBGP over IPv6, dynamic ASN internal',
    router: 'inner',
    at: 'ipv6',
    spec: { dynamicASN: 'internal' },
    neighbor: { asn: 'internal' },
  },
  gobgp: { what: 'GoBGP', router: 'gobgp', at: 'ipv4', spec: { peerASN: ASNS.gobgp } },
  openbgpd: { what: 'OpenBGPD', router: 'openbgpd', at: 'ipv4', spec: { peerASN: ASNS.openbgpd } },
};
const UP = Object.entries(ROWS).filter(([, { down }]) => down === undefined);
const DOWN = Object.entries(ROWS).filter(([, { down }]) => down === true);
const WEB = '203.0.113.1/32';
const WEB6 = '2001:db8:53::1/128';

let scene: PeerScene<Name>;
/** A router on the pod's own link, one hop away. */
let onLink: Router;

function optionsOf(name: Name): RouterOptions {
  const rows = Object.values(ROWS).filter(({ router }) => router === name);
  return { asn: ASNS[name], routerId: scene.topology.router(name).ipv4, neighbors: rows.map(neighborOf) };
}

function neighborOf({ at, neighbor }: Row): NeighborOptions {
  const { ipv4, ipv6 } = scene.topology.podVisibleAs();
  const distance = neighbor?.ttlSecurityHops === undefined ? { multihop: 255 } : {};
  const usual = { asn: HERALD_ASN, ...distance, passive: true, families: [4, 6] as const };
  return { address: at === 'ipv6' ? ipv6 : ipv4, ...usual, ...neighbor };
}

function addressOf({ router, at }: Row): string {
  return at === 'ipv4' || at === 'ipv6' ? scene.topology.router(router)[at] : at;
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({ name: 'peers-ways', routers: KINDS, workers: 2, controlPlanes: 2 });
  const { topology } = scene;
  await topology.pod().namespace.addAddress(UPLINK, `${SECOND.pod}/24`);
  await Promise.all(
    (['frr8', 'frr10'] as const).map((name) => {
      return topology.router(name).namespace.addAddress(UPLINK, `${SECOND[name]}/24`);
    }),
  );
  await Promise.all([...NAMES.map((name) => topology.router(name).start(optionsOf(name))), startOnLink()]);
  scene.writeService('web', ['203.0.113.1', '2001:db8:53::1']);
  scene.manifests.write('secret', secret('bgp', { right: 'right-one', wrong: 'wrong-one' }));
  for (const [name, row] of Object.entries(ROWS)) {
    scene.writePeer(name, { peerAddress: addressOf(row), addressFamilies: ['IPv4', 'IPv6'], ...row.spec });
  }
  scene.writePeer('on-link', { peerAddress: '10.244.1.1', peerASN: NODE_ASN, ebgpMultiHop: 1 });
  await scene.startHerald();
});

async function startOnLink(): Promise<void> {
  const [{ namespace } = { namespace: undefined }] = scene.topology.controlPlanes;
  if (namespace === undefined) {
    throw new Error('there is no control-plane node');
  }
  onLink = new BirdRouter({
    namespace,
    directory: scene.lab.folder('on-link'),
    ipv4: '10.244.1.1',
    ipv6: 'fd00:244:1::1',
  });
  const { ipv4 } = scene.topology.pod();
  const neighbors = [{ address: ipv4, asn: HERALD_ASN, passive: true }];
  await onLink.start({ asn: NODE_ASN, routerId: '10.244.1.1', neighbors });
}

afterAll(() => scene?.close());

describe('B1 sessions that come up', () => {
  test.each(UP.map(([name, row]) => ({ name, ...row })))(
    'B1 $what',
    async ({ name, router, neighbor, spec }) => {
      const view = await scene.peerIs(name, 'established', ({ session }) => session.state === 'Established');
      expect(view.session.authenticated).toBe('passwordSecret' in spec);
      if ('sourceAddress' in spec) {
        expect(view.session.localAddress).toBe(spec['sourceAddress']);
      }
      await waitFor(`${router} has the routes of ${name}`, async () => {
        const found = await scene.routes(router);
        const wanted = [...scene.through(WEB), ...scene.through(WEB6)];
        return wanted.every((route) => found.includes(route)) || notYet(found);
      });
      const paths = await scene.topology.router(router).table(4);
      const external = spec['peerASN'] !== HERALD_ASN && spec['dynamicASN'] !== 'internal';
      const asPath = external ? [neighbor?.asn ?? HERALD_ASN] : [];
      expect(paths.filter(({ prefix }) => prefix === WEB).map((path) => path.asPath)).toContainEqual(asPath);
    },
  );

  test('B1 single hop: a router on the link of the pod, TTL 1', async () => {
    await scene.established('on-link');
    await waitFor('it has both next hops', async () => {
      const hops = (await onLink.table(4))
        .filter(({ prefix }) => prefix === WEB)
        .map(({ nextHop }) => nextHop);
      return hops.length === 2 || notYet(hops);
    });
  });
});

describe('B1 sessions that must not come up', () => {
  test.each(DOWN.map(([name, row]) => ({ name, ...row })))(
    'B1 $what: down, and the others stay up',
    async ({ name }) => {
      await scene.established(...UP.map(([other]) => other));
      const view = (await scene.peers()).get(name);
      expect(view?.session.state).not.toBe('Established');
      expect(view?.session.connectionsDropped).toBe(0);
    },
  );

  test('B1 the wrong ASN is said in the status', async () => {
    const view = await scene.peerIs(
      'asn-wrong',
      'told what the router said',
      ({ session }) => session.lastError !== '',
    );
    expect(view.session.lastError).toMatch(/Bad Peer AS|OPEN/);
  });
});

describe('B1 B3 a pod that is masqueraded', () => {
  test('B1 the router sees its node and takes it by a listen range', async () => {
    const { controlPlanes, workers } = scene.topology;
    const [, behind] = controlPlanes;
    if (behind === undefined) {
      throw new Error('there is no second control-plane node');
    }
    await behind.namespace.masquerade(UPLINK, ['10.244.2.0/24']);
    const router = scene.topology.router('bird');
    const listenRanges = [{ range: '192.0.2.8/29', asn: HERALD_ASN, multihop: 255, passive: true }];
    await router.reconfigure({ ...optionsOf('bird'), listenRanges });
    const manifests = new ManifestFolder(join(scene.lab.directory, 'masqueraded'));
    manifests.write('all', pool('public', ['203.0.113.0/24']), advertisement('default'));
    manifests.write('nodes', ...workers.map((worker) => node(worker.name, worker)));
    const names = workers.map((worker) => worker.name);
    manifests.write('service', service('other', { addresses: ['203.0.113.9'] }), slice('other', names));
    manifests.write(
      'peer',
      peer('bird', { peerAddress: router.ipv4, peerASN: ASNS.bird, connectTime: '1s' }),
    );
    await HeraldPod.start({ pod: behind.pod, manifests });
    await router.established(behind.ipv4, 20_000);
    await waitFor('it has the routes', async () => {
      const found = await scene.routes('bird');
      return scene.through('203.0.113.9/32').every((route) => found.includes(route)) || notYet(found);
    });
  });
});
