/**
 * The process that owns the cluster that is up: starts it, offers its parts to others, ends it when told to.
 *
 * In: options; tells its starter by messages how far it is. Until the cluster is ready the keeper ends with its
 * starter; afterwards it lives until it is asked to end. Routers run with a configuration that accepts any peer on the segment and
 * in the pod ranges, so that they can be used as they are and reconfigured by whoever wants another.
 */
import { SEGMENT_PREFIXES } from '../address-plan.ts';
import type { RouterKind } from '../routers/create-router.ts';
import type { ListenRangeOptions, Router, RouterOptions } from '../routers/router.ts';
import { Cluster } from './cluster.ts';
import { controlSocket, publishFacts, withdrawFacts } from './cluster-facts.ts';
import { POD_RANGES } from './cluster-plan.ts';
import type { ClusterOptions } from './cluster-start.ts';
import { serveCalls } from './remote-calls.ts';

export type KeeperMessage =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly reason: string };

export const ROUTER_ASN = 64_500;

/** What `up` runs: the two daemons that most people have, the client behind each. */
export const UP_ROUTERS = { frr: 'frr', bird: 'bird' } as const satisfies Record<string, RouterKind>;

/** The keeper itself, to others. */
export const KEEPER = 'keeper';

/** Ends the cluster in good order; the answer comes before. */
export interface Keeper {
  end(): Promise<void>;
}

/** Resolves when the cluster has ended. */
export async function keepCluster(options: Omit<ClusterOptions, 'progress'>): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const keeper: Keeper = { end: () => Promise.resolve(end()) };
  const cluster = await startReporting(options, keeper);
  if (cluster === undefined) return;
  process.removeListener('disconnect', endWithStarter);
  report({ kind: 'ready' });
  await ended;
  withdrawFacts(cluster.facts);
  await cluster.stop();
}

async function startReporting(
  options: Omit<ClusterOptions, 'progress'>,
  keeper: Keeper,
): Promise<Cluster | undefined> {
  process.once('disconnect', endWithStarter);
  try {
    const progress = (line: string): void => report({ kind: 'progress', line });
    const cluster = await Cluster.start<string>({ ...options, progress });
    await startRouters(cluster);
    const server = await serveCalls(controlSocket(cluster.facts), targetsOf(cluster, keeper));
    cluster.lab.beforeClose(() => Promise.resolve(void server.close()));
    publishFacts(cluster.facts);
    return cluster;
  } catch (error) {
    report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** A signal, so that what was begun is destroyed on the way. */
function endWithStarter(): void {
  process.kill(process.pid, 'SIGINT');
}

function report(message: KeeperMessage): void {
  if (process.connected && process.send !== undefined) process.send(message);
}

function targetsOf(cluster: Cluster, keeper: Keeper): Map<string, object> {
  return new Map<string, object>([
    [KEEPER, keeper],
    ['control-plane', cluster.controlPlane],
    ...cluster.nodes.map((node) => [`node ${node.name}`, node] as const),
    ...cluster.facts.routers.map(({ name }) => [`router ${name}`, cluster.router(name)] as const),
  ]);
}

async function startRouters(cluster: Cluster): Promise<void> {
  await Promise.all(
    cluster.facts.routers.map(({ name }) => {
      const router = cluster.router(name);
      return router.start(openRouter(router));
    }),
  );
}

export function openRouter(router: Pick<Router, 'ipv4'>): RouterOptions {
  const ranges = [...POD_RANGES, ...SEGMENT_PREFIXES];
  const listenRanges = ranges.map((range): ListenRangeOptions => ({
    range,
    asn: 'external',
    multihop: 255,
    gracefulRestart: 'off',
  }));
  return { asn: ROUTER_ASN, routerId: router.ipv4, listenRanges };
}
