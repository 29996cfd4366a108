// Whether Kubernetes did something to Herald's pods: how often it started their containers again, and since when they are
// ready.

import type { Cluster } from '@herald/lab';

import { heraldPods } from './cluster-herald.ts';
import { processesOf } from './container-processes.ts';

interface Container {
  readonly name: string;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly image: string;
  readonly imageID: string;
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

/** What about the pod -> its state. */
export type PodStates = ReadonlyMap<string, string>;

export async function podStates(cluster: Cluster): Promise<PodStates> {
  const pods = await heraldPods(cluster);
  return new Map(pods.flatMap(({ metadata, status }) => statesOf(metadata.name, status as PodStatus)));
}

function containersOf(status: PodStatus): readonly Container[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function readyOf({ conditions }: PodStatus) {
  return conditions?.find(({ type }) => type === 'Ready');
}

function statesOf(name: string, status: PodStatus): [string, string][] {
  const containers = containersOf(status);
  const ready = readyOf(status);
  return [
    ...containers.map((one): [string, string] => [
      `${name}: ${one.name}`,
      `started ${one.restartCount} times again`,
    ]),
    [`${name}: ready`, `${ready?.status} since ${ready?.lastTransitionTime}`],
  ];
}

/** All are ready, and the containers that the API has are those that run: one that was started again is told of later. */
export async function podsAreUp(cluster: Cluster): Promise<boolean> {
  const pods = await heraldPods(cluster);
  return pods
    .map(({ status }) => status as PodStatus)
    .every((status) => readyOf(status)?.status === 'True' && containersOf(status).every(isRunning));
}

/** Of all pods. */
export async function heraldContainers(cluster: Cluster): Promise<readonly Container[]> {
  return (await heraldPods(cluster)).flatMap(({ status }) => containersOf(status as PodStatus));
}

function isRunning({ containerID = '' }: Container): boolean {
  return containerID !== '' && processesOf(containerID).length > 0;
}

/** In words; pods that came or went are disturbed, too. */
export function disturbed(before: PodStates, after: PodStates): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((what) => before.get(what) !== after.get(what))
    .map((what) => `${what} ${before.get(what) ?? 'not there'}, then ${after.get(what) ?? 'not there'}`);
}
