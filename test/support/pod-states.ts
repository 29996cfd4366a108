// Whether Kubernetes did something to Herald's pods: how often it started their containers again, and since when they are
// ready.

import type { Cluster } from '@herald/lab';

import { heraldPods } from './cluster-herald.ts';
import { processesOf } from './container-processes.ts';

interface Container {
  readonly name: string;
  readonly restartCount: number;
  readonly containerID?: string;
}

interface PodStatus {
  readonly containerStatuses?: readonly Container[];
  readonly initContainerStatuses?: readonly Container[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
}

const READY = ': ready';

/** What about the pod -> its state. */
export type PodStates = ReadonlyMap<string, string>;

export async function podStates(cluster: Cluster): Promise<PodStates> {
  const pods = await heraldPods(cluster);
  return new Map(pods.flatMap(({ metadata, status }) => statesOf(metadata.name, status as PodStatus)));
}

function containersOf(status: PodStatus): readonly Container[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function statesOf(name: string, status: PodStatus): [string, string][] {
  const containers = containersOf(status);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return [
    ...containers.map((one): [string, string] => [
      `${name}: ${one.name}`,
      `started ${one.restartCount} times again`,
    ]),
    [`${name}${READY}`, `${ready?.status} since ${ready?.lastTransitionTime}`],
  ];
}

/** Whether the containers that the API has are those that run: one that was started again is told of later. */
export async function containersRun(cluster: Cluster): Promise<boolean> {
  const pods = await heraldPods(cluster);
  return pods
    .flatMap(({ status }) => containersOf(status as PodStatus))
    .every(({ containerID = '' }) => containerID !== '' && processesOf(containerID).length > 0);
}

export function areReady(states: PodStates): boolean {
  return [...states].every(([what, state]) => !what.endsWith(READY) || state.startsWith('True'));
}

/** In words; pods that came or went are disturbed, too. */
export function disturbed(before: PodStates, after: PodStates): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((what) => before.get(what) !== after.get(what))
    .map((what) => `${what} ${before.get(what) ?? 'not there'}, then ${after.get(what) ?? 'not there'}`);
}
