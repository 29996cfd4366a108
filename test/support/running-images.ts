// What the containers of Herald were made from, by name and by content, each once.

import type { Cluster } from '@herald/lab';

import { heraldContainers } from './pod-states.ts';

interface RunningImage {
  readonly name: string;
  readonly id: string;
}

export async function runningImages(cluster: Cluster): Promise<readonly RunningImage[]> {
  const containers = await heraldContainers(cluster);
  const images = containers.map(({ image, imageID }) => [imageID, { name: image, id: imageID }] as const);
  return [...new Map(images).values()];
}
