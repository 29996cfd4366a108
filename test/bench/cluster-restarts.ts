// What a client loses while that which announces is restarted: the Deployment's pods one after the other, as an
// upgrade does, and then bgpd of each replica by kill -9. A rolling restart comes before every kill, because
// Kubernetes delays a container that has ended before.

import { notYet, waitFor } from '@herald/lab';

import { NAMESPACE, RELEASE } from '../support/cluster-herald.ts';
import { bgpdOf, kill, replicas, type Replica } from '../support/herald-replicas.ts';
import { removeService, steadyService } from './cluster-endpoints.ts';
import { STEADY } from './cluster-objects.ts';
import type { Requests } from './cluster-requests.ts';
import type { ClusterStage } from './cluster-stage.ts';
import { wallClockMs } from './wall-clock.ts';

export interface Losses {
  /** Lost requests of each restart, and of each kill. */
  readonly restarts: readonly number[];
  readonly kills: readonly number[];
}

interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${RELEASE}`;
/** What `kubectl rollout restart` writes. */
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';
const ROLLOUT_MS = 600_000;

export async function restartEverything(
  stage: ClusterStage,
  requests: Requests,
  samples: number,
): Promise<Losses> {
  const [restarts, kills]: [number[], number[]] = [[], []];
  await steadyService(stage, 'restarts', 'Cluster');
  await requests.answered(STEADY);
  for (let sample = 0; sample < samples; sample++) {
    restarts.push(await counted(stage, requests, 'rolling restart', () => rollingRestart(stage)));
    for (const replica of await replicas(stage.cluster)) {
      kills.push(await counted(stage, requests, 'bgpd killed', () => bgpdKilled(stage, replica)));
    }
  }
  await removeService(stage, 'restarts');
  return { restarts, kills };
}

/** What was lost meanwhile; routers that only hear the same from fewer replicas change nothing in their kernels. */
async function counted(
  { kernels }: ClusterStage,
  requests: Requests,
  name: string,
  act: () => Promise<void>,
): Promise<number> {
  const sinceMs = wallClockMs();
  await requests.start(STEADY);
  try {
    await act();
  } finally {
    await requests.stop();
  }
  const { sent, lost, lostByCause } = requests.take();
  const causes = JSON.stringify(lostByCause);
  const changes = kernels.changesSince(sinceMs).join(', ');
  process.stderr.write(`  ${name}: lost ${lost} of ${sent} ${causes}; kernels: ${changes}\n`);
  return lost;
}

async function rollingRestart(stage: ClusterStage): Promise<void> {
  const annotations = { [RESTARTED]: new Date().toISOString() };
  await stage.api.change(DEPLOYMENT, { spec: { template: { metadata: { annotations } } } });
  await waitFor(
    'every replica is replaced',
    async () => {
      const { metadata, spec, status } = await stage.api.get<Deployment>(DEPLOYMENT);
      const { observedGeneration = 0, ...counts } = status;
      const states = [counts.replicas, counts.updatedReplicas, counts.availableReplicas];
      const isDone =
        observedGeneration >= metadata.generation && states.every((count) => count === spec.replicas);
      return isDone || notYet(status);
    },
    ROLLOUT_MS,
  );
  await stage.sessionsEstablished();
}

/** Until the routers have noticed and have the session back. */
async function bgpdKilled(stage: ClusterStage, replica: Replica): Promise<void> {
  const { length } = await replicas(stage.cluster);
  kill(bgpdOf(replica));
  await stage.sessionsAre((established) => established < length);
  await stage.sessionsAre((established) => established >= length);
}
