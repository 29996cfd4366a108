/**
 * What has to be known about a running cluster to use it from another process, as a file below the lab's own folder.
 *
 * One cluster of a machine can be the one that is `up`: its facts are found under a fixed name. Facts of a cluster
 * whose keeper is gone are no facts.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostAddresses } from '../address-plan.ts';
import { STATE_DIRECTORY, isRunning } from '../ledger.ts';
import type { ProcessEntry } from '../ledger.ts';
import type { RouterKind } from '../routers/create-router.ts';
import type { ApiAccess } from './api-request.ts';
import type { NodePlan } from './cluster-plan.ts';
import type { PodTraffic } from './cluster-node.ts';
import type { GoBinaries } from './go-binaries.ts';

export interface RouterFacts extends HostAddresses {
  readonly name: string;
  readonly kind: RouterKind;
  readonly namespace: string;
  readonly directory: string;
  readonly clientNamespace: string;
}

export interface NodeFacts {
  readonly plan: NodePlan;
  readonly namespace: string;
}

export interface ClusterFacts {
  readonly id: string;
  readonly keeper: ProcessEntry;
  readonly directory: string;
  readonly kubeconfig: string;
  readonly programs: GoBinaries;
  readonly auditLog: string;
  readonly api: { readonly namespace: string; readonly access: ApiAccess };
  readonly podTraffic: PodTraffic;
  readonly nodes: readonly NodeFacts[];
  readonly routers: readonly RouterFacts[];
  readonly startedAtMs: number;
}

/** No ending .json: those are the ledgers. */
const UP_FILE = join(STATE_DIRECTORY, 'cluster-up');

export function controlSocket(facts: ClusterFacts): string {
  return join(facts.directory, 'control.sock');
}

export function publishFacts(facts: ClusterFacts, file = UP_FILE): void {
  writeFileSync(`${file}.new`, JSON.stringify(facts), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function withdrawFacts(facts: ClusterFacts, file = UP_FILE): void {
  if (readFacts(file)?.id === facts.id) rmSync(file, { force: true });
}

/** Of the cluster that is up now; undefined where there is none or its keeper has ended. */
export function readFacts(file = UP_FILE): ClusterFacts | undefined {
  try {
    const facts = JSON.parse(readFileSync(file, 'utf8')) as ClusterFacts;
    return isRunning(facts.keeper) ? facts : undefined;
  } catch {
    return undefined;
  }
}
