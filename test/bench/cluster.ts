// The second table of DESIGN 13 on a real Kubernetes: what an operator does to the cluster, until the kernels of all
// routers (FRR 8.4 and BIRD 2) have it, the later one counts; and what a client behind a router loses meanwhile.
// The chart installs Herald, the pods are real, kube-proxy forwards. First nothing is changed: if requests are lost
// then, the machine is not fit for the measurement, and the run says nothing.
//
// For trying: BENCH_SAMPLES lowers n, BENCH_RATE the requests a second, BENCH_TOGETHER the Services that come at
// once; BENCH_ROWS names some of the rows.

import { setTimeout as sleep } from 'node:timers/promises';

import { replicas } from '../support/herald-replicas.ts';
import { communityAdded } from './cluster-community.ts';
import { leaveAndCome, removeService, steadyService } from './cluster-endpoints.ts';
import { memoryOf, type ReplicaMemory } from './cluster-memory.ts';
import { STEADY } from './cluster-objects.ts';
import { RATE, Requests } from './cluster-requests.ts';
import { restartEverything } from './cluster-restarts.ts';
import { TOGETHER, manyAtOnce, oneByOne } from './cluster-services.ts';
import { ClusterStage } from './cluster-stage.ts';
import { figure, percentile, sum } from './figure.ts';
import type { Figure } from './figure.ts';

const SAMPLES = Number(process.env['BENCH_SAMPLES'] ?? 20);
const CONTROL_MS = 15_000;
const MEMORY_MIB = 200;

type Row = (stage: ClusterStage, requests: Requests) => Promise<Figure[]>;

/** In this order: the memory after the changes and before the restarts. */
const ROWS: Readonly<Record<string, Row>> = {
  control,
  services,
  local: (stage, requests) => endpoints(stage, requests, 'Local'),
  cluster: (stage, requests) => endpoints(stage, requests, 'Cluster'),
  community,
  together,
  memory,
  restarts,
};
const CHOSEN = process.env['BENCH_ROWS']?.split(',') ?? Object.keys(ROWS);

export async function run(): Promise<readonly Figure[]> {
  const stage = await ClusterStage.open();
  try {
    const clients = { client: stage.cluster.client('frr'), scout: stage.cluster.client('bird') };
    const requests = new Requests(clients, stage.kernels);
    const figures: Figure[] = [];
    for (const [name, row] of Object.entries(ROWS)) {
      if (CHOSEN.includes(name)) {
        figures.push(...(await row(stage, requests)));
      }
    }
    return figures;
  } finally {
    await stage.close();
  }
}

async function control(stage: ClusterStage, requests: Requests): Promise<Figure[]> {
  await steadyService(stage, 'control', 'Cluster');
  await requests.answered(STEADY);
  await requests.start(STEADY);
  await sleep(CONTROL_MS);
  await requests.stop();
  await removeService(stage, 'control');
  const { sent, lost, lostByCause } = requests.take();
  return [count('control, nothing changes: requests lost', lost, sent, lostByCause)];
}

async function services(stage: ClusterStage): Promise<Figure[]> {
  const { createdMs, deletedMs } = await oneByOne(stage, SAMPLES);
  return [
    ...times('Service created, real pods -> all next hops', createdMs, 0.5),
    ...times('Service deleted -> route gone', deletedMs, 0.3),
  ];
}

async function endpoints(
  stage: ClusterStage,
  requests: Requests,
  policy: 'Cluster' | 'Local',
): Promise<Figure[]> {
  const { leftMs, cameMs, requests: sums } = await leaveAndCome(stage, requests, policy, SAMPLES);
  const name = `endpoint (${policy}, own slice)`;
  return [
    ...times(`${name} leaves -> next hop gone`, leftMs, 0.3),
    ...times(`${name} comes -> next hop there`, cameMs, 2),
    count(`${name} comes: requests lost at ${RATE}/s`, sums.lost, sums.sent, sums.lostByCause),
  ];
}

async function community(stage: ClusterStage): Promise<Figure[]> {
  const { addedMs, sessionsLost } = await communityAdded(stage, SAMPLES);
  return [
    ...times('community added -> on all paths of FRR', addedMs, 1),
    count('community added: sessions touched', sessionsLost, SAMPLES),
  ];
}

async function together(stage: ClusterStage): Promise<Figure[]> {
  const arrivedMs = await manyAtOnce(stage, SAMPLES);
  return times(`${TOGETHER} Services created at once, after the last create`, arrivedMs, 2);
}

async function restarts(stage: ClusterStage, requests: Requests): Promise<Figure[]> {
  const losses = await restartEverything(stage, requests, SAMPLES);
  return [
    count(`rolling restart: requests lost at ${RATE}/s`, sum(losses.restarts), losses.restarts.length),
    count(`bgpd killed: requests lost at ${RATE}/s`, sum(losses.kills), losses.kills.length),
  ];
}

/** Of the largest replica. */
async function memory(stage: ClusterStage): Promise<Figure[]> {
  const all = (await replicas(stage.cluster)).map(memoryOf);
  const shape = { unit: 'MiB', n: all.length };
  const largest = (of: keyof ReplicaMemory): number => Math.max(...all.map((one) => one[of]));
  const name = 'cluster: memory of a replica';
  return [
    figure({ name: `${name}, working set`, value: largest('workingSet'), bound: MEMORY_MIB, ...shape }),
    figure({ name: `${name}, PSS`, value: largest('proportional'), bound: MEMORY_MIB, ...shape }),
    figure({
      name: `${name}, RSS of controller and bgpd`,
      value: largest('daemons'),
      bound: MEMORY_MIB,
      ...shape,
    }),
    figure({ name: `${name}, RSS of all processes`, value: largest('resident'), ...shape }),
  ];
}

function times(name: string, samplesMs: readonly number[], boundSeconds: number): Figure[] {
  process.stderr.write(`  ${name}: ${samplesMs.map((ms) => ms.toFixed(0)).join(' ')} ms\n`);
  const shape = { unit: 's', n: samplesMs.length, bound: boundSeconds };
  return [
    figure({ name: `cluster: ${name}, p50`, value: percentile(samplesMs, 0.5) / 1000, ...shape }),
    figure({ name: `cluster: ${name}, max`, value: percentile(samplesMs, 1) / 1000, ...shape }),
  ];
}

function count(name: string, value: number, n: number, causes: object = {}): Figure {
  process.stderr.write(`  ${name}: ${value} of ${n} ${JSON.stringify(causes)}\n`);
  return figure({ name: `cluster: ${name}`, value, unit: 'of them', bound: 0, n });
}
