/**
 * Fifty peers at once: one router with fifty addresses, a session on each, from as many addresses of the pod, because a
 * router tells its neighbours apart by their addresses. All come up, all have the same routes, and a change of one of
 * them is not felt by the others.
 */
import { UPLINK, notYet, waitFor } from '@herald/lab';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';

const PEERS = 50;
const FIRST_HOST = 151;
const ASN = 65_001;
/** The pod's further addresses, 10.244.1.101 and so on, each for one of the router's. */
const SOURCES = Array.from({ length: PEERS }, (_, index) => `10.244.1.${101 + index}`);
const SPECS = SOURCES.map((sourceAddress, index) => {
  return { peerAddress: `192.0.2.${FIRST_HOST + index}`, peerASN: ASN, sourceAddress };
});
const WEB = '203.0.113.1/32';
const ALL_UP_MS = 60_000;

let scene: PeerScene<'bird'>;

beforeAll(async () => {
  scene = await PeerScene.open({ name: 'peers-many', routers: { bird: 'bird' }, workers: 2 });
  const router = scene.topology.router('bird');
  const { namespace } = scene.topology.pod();
  await router.namespace.ip(...SPECS.map(({ peerAddress }) => `addr add ${peerAddress}/24 dev ${UPLINK}`));
  await namespace.ip(...SOURCES.map((address) => `addr add ${address}/24 dev ${UPLINK}`));
  const usual = { asn: HERALD_ASN, multihop: 255, passive: true, holdTimeSeconds: 30 };
  const neighbors = SPECS.map((spec) => ({
    ...usual,
    address: spec.sourceAddress,
    localAddress: spec.peerAddress,
  }));
  await router.start({ asn: ASN, routerId: router.ipv4, neighbors });
  scene.writeService('web', ['203.0.113.1']);
  SPECS.forEach((spec, index) => scene.writePeer(`tor-${index}`, spec));
  await scene.startHerald();
});

afterAll(() => scene?.close());

async function allUp(): Promise<number[]> {
  return await waitFor(
    `${PEERS} sessions are established`,
    async () => {
      const views = [...(await scene.peers()).values()];
      const up = views.filter(({ session }) => session.state === 'Established');
      return up.length === PEERS ? views.map(({ session }) => session.connectionsDropped) : notYet(up.length);
    },
    ALL_UP_MS,
  );
}

async function everyRoute(): Promise<void> {
  await waitFor('every session has brought both next hops', async () => {
    const routes = (await scene.routes('bird')).filter((route) => route.startsWith(WEB));
    return routes.length === 2 * PEERS || notYet(routes.length);
  });
}

test('B6 50 peers: every session comes up, once, with every next hop', async () => {
  expect(await allUp()).toEqual(SPECS.map(() => 0));
  await everyRoute();
});

test('B6 a change of one of 50 peers resets that one only', async () => {
  scene.writePeer('tor-7', { ...SPECS[7], holdTime: '90s' });
  await scene.peerIs('tor-7', 'reset', ({ session }) => session.connectionsDropped === 1);
  const dropped = await allUp();
  expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(1);
  await everyRoute();
});
