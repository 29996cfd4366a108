// The stage of the demo: two routers of different make, three workers, an unprivileged pod with Herald in it,
// and a client behind each router that never stops asking. Started once, torn down at the end.

import { join } from 'node:path';

import { Lab, Topology, type Router } from '@herald/lab';

import { HeraldPod } from '../support/herald-pod.ts';
import { ManifestFolder, advertisement, node, peer, pool } from '../support/manifests.ts';

export const HERALD_ASN = 64_512;
export const ROUTERS = {
  'tor-frr': { kind: 'frr', asn: 64_601 },
  'tor-bird': { kind: 'bird', asn: 64_602 },
} as const;
export type RouterName = keyof typeof ROUTERS;
export const ROUTER_NAMES = Object.keys(ROUTERS) as RouterName[];

const WORKERS = 3;

export interface Scene {
  readonly lab: Lab;
  readonly topology: Topology<RouterName>;
  readonly manifests: ManifestFolder;
  readonly herald: HeraldPod;
}

export async function openScene(say: (sentence: string) => void): Promise<Scene> {
  const lab = await Lab.create('demo');
  try {
    const topology = await Topology.create(lab, {
      routers: { 'tor-frr': ROUTERS['tor-frr'].kind, 'tor-bird': ROUTERS['tor-bird'].kind },
      workers: WORKERS,
      flows: 'pinned',
      progress: say,
    });
    await Promise.all(ROUTER_NAMES.map((name) => startRouter(topology, name)));
    const manifests = new ManifestFolder(join(lab.directory, 'manifests'));
    writeBase(manifests, topology);
    const herald = await HeraldPod.start({ pod: topology.pod(), manifests, settings: { guard: {} } });
    return { lab, topology, manifests, herald };
  } catch (error) {
    await lab.close();
    throw error;
  }
}

async function startRouter(topology: Topology<RouterName>, name: RouterName): Promise<void> {
  const router = topology.router(name);
  const herald = { address: topology.podVisibleAs().ipv4, asn: HERALD_ASN, multihop: 255, passive: true };
  await router.start({ asn: ROUTERS[name].asn, routerId: router.ipv4, neighbors: [herald] });
}

/** What a cluster has before the first Service. */
function writeBase(manifests: ManifestFolder, topology: Topology<RouterName>): void {
  manifests.write('peers', ...ROUTER_NAMES.map((name) => peer(name, peerSpec(topology.router(name), name))));
  manifests.write('pool', pool('public', ['203.0.113.1-203.0.113.14', '2001:db8:53::1-2001:db8:53::e']));
  manifests.write('advertisement', advertisement('default'));
  for (const worker of topology.workers) {
    manifests.write(worker.name, node(worker.name, worker));
  }
}

export function peerSpec(router: Router, name: RouterName): Record<string, unknown> {
  return {
    peerAddress: router.ipv4,
    peerASN: ROUTERS[name].asn,
    connectTime: '1s',
    addressFamilies: ['IPv4', 'IPv6'],
  };
}
