// Services that come and go on a real cluster. One Service over real pods, whose endpoints Kubernetes' own
// controller writes: from the create request until every router's kernel has all next hops, from the delete
// request until none has any. Then many at once, over EndpointSlices that are there already: from the answer to the
// last create until the routers have all of them.

import type { ClusterStage } from './cluster-stage.ts';
import { PASSING, PATHS, WEB, service, slice } from './cluster-objects.ts';
import { wallClockMs } from './wall-clock.ts';

export const TOGETHER = Number(process.env['BENCH_TOGETHER'] ?? 500);
const AT_ONCE = 16;

export interface ServiceTimes {
  readonly createdMs: readonly number[];
  readonly deletedMs: readonly number[];
}

export async function oneByOne(stage: ClusterStage, samples: number): Promise<ServiceTimes> {
  const [createdMs, deletedMs]: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample++) {
    const name = `passing-${sample}`;
    createdMs.push(await creation(stage, name));
    deletedMs.push(await deletion(stage, name));
  }
  return { createdMs, deletedMs };
}

async function creation(stage: ClusterStage, name: string): Promise<number> {
  const { api, kernels } = stage;
  const there = kernels.until({ pool: PASSING, count: 1, hops: stage.hops() });
  const sentMs = wallClockMs();
  await api.create(PATHS.services, service(name, { pool: PASSING, policy: 'Cluster', selects: WEB }));
  return (await there) - sentMs;
}

async function deletion({ api, kernels }: ClusterStage, name: string): Promise<number> {
  const gone = kernels.until({ pool: PASSING, count: 0, hops: [] });
  const sentMs = wallClockMs();
  await api.remove(`${PATHS.services}/${name}`);
  return (await gone) - sentMs;
}

/** Milliseconds after the last create. */
export async function manyAtOnce(stage: ClusterStage, samples: number): Promise<readonly number[]> {
  const { api } = stage;
  const names = Array.from({ length: TOGETHER }, (_, index) => `together-${index}`);
  await api.each(names, AT_ONCE, (name) => api.create(PATHS.slices, slice(name, stage.endpoints)));
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    times.push(await together(stage, names));
  }
  await api.each(names, AT_ONCE, (name) => api.remove(`${PATHS.slices}/${name}`));
  return times;
}

async function together(stage: ClusterStage, names: readonly string[]): Promise<number> {
  const { api, kernels } = stage;
  const there = kernels.until({ pool: PASSING, count: names.length, hops: stage.hops() });
  await api.each(names, AT_ONCE, (name) =>
    api.create(PATHS.services, service(name, { pool: PASSING, policy: 'Cluster' })),
  );
  const createdMs = wallClockMs();
  const arrivedMs = await there;
  const gone = kernels.until({ pool: PASSING, count: 0, hops: [] });
  await api.each(names, AT_ONCE, (name) => api.remove(`${PATHS.services}/${name}`));
  await gone;
  return Math.max(0, arrivedMs - createdMs);
}
