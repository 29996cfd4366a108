// Many nodes that look dead at once, in front of a real router (CASES D6, D8): the way to them is gone, not they.

import { afterAll, beforeAll, expect, test } from 'vitest';

import { node, service, slice } from '../support/manifests.ts';
import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';
import { WireLog } from '../support/wire-log.ts';

const WORKERS = [0, 1, 2, 3, 4];
const ADDRESS = '203.0.113.1';
const PREFIX = `${ADDRESS}/32`;

let scene: PeerScene<'tor'>;

const nameOf = (index: number): string => scene.topology.workers[index]?.name ?? '';

/** What the control plane makes of silent kubelets: the nodes are Unknown, and their pods not ready. */
function silence(...silent: readonly number[]): void {
  const nodes = scene.topology.workers.map(({ name, ipv4, ipv6 }, index) =>
    node(name, { ipv4, ipv6, ready: silent.includes(index) ? 'Unknown' : 'True' }),
  );
  // In one file, so that they fall silent in one moment.
  scene.manifests.write('nodes', ...nodes);
  const endpoints = WORKERS.map((index) => ({
    node: nameOf(index),
    conditions: { ready: !silent.includes(index) },
  }));
  scene.manifests.write('service-web', service('web', { addresses: [ADDRESS] }), slice('web', endpoints));
}

async function held(): Promise<string[]> {
  const { items } = await scene.herald.get<{ items: { node: string | null; reason: string | null }[] }>(
    '/api/v1/next-hops',
  );
  return items.flatMap(({ node: name, reason }) => (reason === 'HeldByGuard' ? [name ?? ''] : [])).sort();
}

beforeAll(async () => {
  scene = await PeerScene.open({ name: 'guard', routers: { tor: 'bird' }, workers: WORKERS.length });
  const tor = scene.topology.router('tor');
  const speaker = scene.topology.podVisibleAs().ipv4;
  const neighbors = [{ address: speaker, asn: HERALD_ASN, multihop: 255, passive: true }];
  await tor.start({ asn: 65_001, routerId: tor.ipv4, neighbors });
  scene.writePeer('tor', { peerAddress: tor.ipv4, peerASN: 65_001 });
  scene.topology.workers.forEach(({ name }) => scene.manifests.remove(name));
  silence();
  await scene.startHerald();
  await scene.routesAre('tor', scene.through(PREFIX));
});

afterAll(() => scene?.close());

test('D8 one kubelet is cut off: its node goes when no other has followed', async () => {
  silence(0);
  await scene.routesAre('tor', scene.through(PREFIX, 1, 2, 3, 4));
  silence();
  await scene.routesAre('tor', scene.through(PREFIX));
});

test('D6 D8 most of them are cut off while the pods serve: none goes, the reason is said', async () => {
  const wire = await WireLog.start(
    scene.lab,
    scene.topology.router('tor'),
    scene.topology.podVisibleAs().ipv4,
  );
  // As Kubernetes tells it: one after the other, until most are silent.
  for (const silent of [[0], [0, 1], [0, 1, 2]]) {
    silence(...silent);
    await expect.poll(held, { timeout: 20_000 }).toEqual(silent.map(nameOf));
  }
  // What is written afterwards arrives last: nothing was withdrawn before it.
  scene.writeService('later', ['203.0.113.2'], [nameOf(4)]);
  await scene.routesAre('tor', [...scene.through(PREFIX), ...scene.through('203.0.113.2/32', 4)]);
  await wire.stop();
  expect(wire.updates().filter((word) => word.startsWith('-'))).toEqual([]);
});

test('D8 a pod that is gone from a silent node goes all the same', async () => {
  const endpoints = [1, 2, 3, 4].map((index) => ({ node: nameOf(index), conditions: { ready: index > 2 } }));
  const keeping = endpoints.map((each, index) => ({ ...each, address: `10.200.0.${index + 2}` }));
  scene.manifests.write('service-web', service('web', { addresses: [ADDRESS] }), slice('web', keeping));
  await scene.routesAre('tor', [...scene.through(PREFIX, 1, 2, 3, 4), ...scene.through('203.0.113.2/32', 4)]);
});
