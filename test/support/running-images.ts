// What the containers of Herald were made from, by name and by content, each once.

import type { Cluster } from '@herald/lab';

import { heraldPods } from './cluster-herald.ts';

interface ContainerImage {
  readonly image: string;
  readonly imageID: string;
}

interface Containers {
  readonly containerStatuses?: readonly ContainerImage[];
  readonly initContainerStatuses?: readonly ContainerImage[];
}

interface RunningImage {
  readonly name: string;
  readonly id: string;
}

export async function runningImages(cluster: Cluster): Promise<readonly RunningImage[]> {
  const pods = await heraldPods(cluster);
  const containers = pods.flatMap(({ status }) => {
    const { containerStatuses = [], initContainerStatuses = [] } = status as Containers;
    return [...containerStatuses, ...initContainerStatuses];
  });
  const images = containers.map(({ image, imageID }) => [imageID, { name: image, id: imageID }] as const);
  return [...new Map(images).values()];
}
