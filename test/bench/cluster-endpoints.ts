// Endpoints that leave and come, on a Service whose EndpointSlice is this benchmark's own and names real pods, one
// a worker: from the request that changes the slice until every router's kernel has changed. A node that comes is
// held until it is programmed; while it comes, requests go to the Service, and the lost ones are counted.
// With externalTrafficPolicy Local a node that is announced too early loses them; with Cluster it forwards.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Requests } from './cluster-requests.ts';
import type { ClusterStage } from './cluster-stage.ts';
import { PATHS, STEADY, endpointsOf, service, slice, type Endpoint } from './cluster-objects.ts';
import { wallClockMs } from './wall-clock.ts';

export interface EndpointTimes {
  readonly leftMs: readonly number[];
  readonly cameMs: readonly number[];
  /** Requests while an endpoint came, all samples together. */
  readonly requests: Requests['totals'];
}

/** So long that every kube-proxy has done what it had to: it writes its rules once a second. */
const SETTLED_MS = 2000;

export async function leaveAndCome(
  stage: ClusterStage,
  requests: Requests,
  policy: 'Cluster' | 'Local',
  samples: number,
): Promise<EndpointTimes> {
  const name = `endpoints-${policy.toLowerCase()}`;
  const [leftMs, cameMs]: [number[], number[]] = [[], []];
  await steadyService(stage, name, policy);
  await requests.answered(STEADY);
  for (let sample = 0; sample < samples; sample++) {
    const stay = stage.endpoints.filter((_, index) => index !== sample % stage.endpoints.length);
    leftMs.push(await changed(stage, name, stay));
    await sleep(SETTLED_MS);
    await requests.start(STEADY);
    cameMs.push(await changed(stage, name, stage.endpoints));
    await sleep(SETTLED_MS);
    await requests.stop();
  }
  await removeService(stage, name);
  return { leftMs, cameMs, requests: requests.take() };
}

/** Resolves when it is on every router. */
export async function steadyService(
  stage: ClusterStage,
  name: string,
  policy: 'Cluster' | 'Local',
): Promise<void> {
  const { api, kernels, endpoints } = stage;
  const there = kernels.until({ pool: STEADY, count: 1, hops: stage.hops() });
  await api.create(PATHS.slices, slice(name, endpoints));
  await api.create(PATHS.services, service(name, { pool: STEADY, policy }));
  await there;
}

export async function removeService({ api, kernels }: ClusterStage, name: string): Promise<void> {
  const gone = kernels.until({ pool: STEADY, count: 0, hops: [] });
  await api.remove(`${PATHS.services}/${name}`);
  await api.remove(`${PATHS.slices}/${name}`);
  await gone;
}

async function changed(stage: ClusterStage, name: string, endpoints: readonly Endpoint[]): Promise<number> {
  const there = stage.kernels.until({ pool: STEADY, count: 1, hops: stage.hops(endpoints) });
  const sentMs = wallClockMs();
  await stage.api.change(`${PATHS.slices}/${name}`, endpointsOf(endpoints));
  return (await there) - sentMs;
}
