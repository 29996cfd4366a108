// What happens in a soak, by name: Herald's processes, its ways to the API server and to the router, the API server
// itself, the Lease, a node. Each does one thing to one replica or to what all depend on, undoes it, and says what it
// did. All chances come from the one generator of the run.

import { setTimeout as sleep } from 'node:timers/promises';

import { API_ADDRESSES } from '@herald/lab';

import type { BundledHerald } from '../support/bundled-herald.ts';
import { NAMESPACE } from '../support/cluster-herald.ts';
import { whileEtcdIsFrozen, withoutApiServer } from '../support/control-plane-trouble.ts';
import { whileCut } from '../support/pod-cut.ts';
import type { Chance } from './chance.ts';
import type { SoakScene } from './soak-scene.ts';

export interface Mischief {
  readonly name: string;
  /**
   * What of the world changes meanwhile. `moves`: endpoints only, because nobody can withdraw for a controller that is
   * frozen: rank fences what changes, and not what is gone.
   */
  readonly changes: 'all' | 'moves' | 'none';
  readonly act: (scene: SoakScene, chance: Chance) => Promise<unknown>;
}

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/herald`;

function seconds(chance: Chance, least: number, most: number): Promise<void> {
  return sleep(1000 * chance.between(least, most));
}

/** Back-off of a kubelet, in short. */
async function restarted(chance: Chance, start: () => void): Promise<void> {
  await seconds(chance, 0.2, 3);
  start();
}

async function killController(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await replica.endController('SIGKILL');
  await restarted(chance, () => replica.startController());
}

async function killBgpd(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await replica.killBgpd();
  await restarted(chance, () => replica.startBgpd());
}

async function killBoth(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await replica.kill();
  await restarted(chance, () => replica.start());
}

async function endOnPurpose(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await replica.endController('SIGTERM');
  await replica.killBgpd();
  await restarted(chance, () => replica.start());
}

async function stopped(
  chance: Chance,
  signal: (name: NodeJS.Signals) => void,
  mostSeconds: number,
): Promise<void> {
  signal('SIGSTOP');
  try {
    await seconds(chance, 0.5, mostSeconds);
  } finally {
    signal('SIGCONT');
  }
}

async function stopController(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await stopped(chance, (name) => replica.signalController(name), 15);
}

async function stopBgpd(scene: SoakScene, chance: Chance): Promise<void> {
  const replica = chance.pick(scene.replicas);
  await stopped(chance, (name) => replica.signalBgpd(name), 12);
}

async function cutOff(scene: SoakScene, chance: Chance, addresses: readonly string[]): Promise<void> {
  const index = scene.replicas.indexOf(chance.pick<BundledHerald>(scene.replicas));
  const gateway = scene.stage.topology.controlPlanes[index];
  if (gateway !== undefined) {
    await whileCut(gateway, addresses, () => seconds(chance, 2, 20));
  }
}

/** Those that it serves are served by others as well. */
async function silentNode(scene: SoakScene, chance: Chance): Promise<void> {
  const name = chance.pick(scene.nodes);
  const served = scene.servedBy(name);
  const alone = served.filter(({ prefix }) => scene.truth.nodes(prefix).length === 1);
  if (alone.length === 0) {
    await scene.silence(name);
    await seconds(chance, 1, 25);
    await scene.hear(name, served);
  }
}

export const MISCHIEF: readonly Mischief[] = [
  { name: 'nothing', changes: 'all', act: (_, chance) => seconds(chance, 2, 4) },
  { name: 'a controller is killed', changes: 'all', act: killController },
  { name: 'a bgpd is killed', changes: 'all', act: killBgpd },
  { name: 'controller and bgpd of a replica are killed', changes: 'all', act: killBoth },
  { name: 'a replica ends on purpose', changes: 'all', act: endOnPurpose },
  { name: 'a controller is stopped for a while', changes: 'moves', act: stopController },
  { name: 'a bgpd is stopped for a while', changes: 'all', act: stopBgpd },
  {
    name: 'a replica is cut off from the API',
    changes: 'all',
    act: (scene, chance) => cutOff(scene, chance, [API_ADDRESSES.ipv4]),
  },
  {
    name: 'a replica is cut off from the router',
    changes: 'all',
    act: (scene, chance) => cutOff(scene, chance, [scene.stage.topology.router('r1').ipv4]),
  },
  {
    name: 'a replica is cut off from everything',
    changes: 'all',
    act: (scene, chance) => cutOff(scene, chance, ['0.0.0.0/0']),
  },
  {
    name: 'the API server is away',
    changes: 'none',
    act: ({ stage }, chance) => withoutApiServer(stage.controlPlane, () => seconds(chance, 1, 20)),
  },
  {
    name: 'etcd is frozen',
    changes: 'none',
    act: ({ stage }, chance) => whileEtcdIsFrozen(stage.controlPlane, () => seconds(chance, 1, 15)),
  },
  { name: 'the Lease is deleted', changes: 'all', act: ({ stage }) => stage.api.remove(LEASE) },
  { name: 'a node falls silent', changes: 'none', act: silentNode },
];
