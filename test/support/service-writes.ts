// What Herald wrote to certain objects in a while, by the API server's own log.

import { setTimeout as sleep } from 'node:timers/promises';

import type { AuditedRequest, Cluster } from '@herald/lab';

import { NAMESPACE, RELEASE } from './cluster-herald.ts';

const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${RELEASE}`;
const READS = new Set(['get', 'list', 'watch']);

/** `path`: a part of the request's path. */
export async function writesTo(cluster: Cluster, path: string, sinceMs: number): Promise<AuditedRequest[]> {
  const all = await cluster.requestsOf(ACCOUNT, sinceMs);
  return all.filter(({ verb, uri }) => !READS.has(verb) && uri.includes(path));
}

/** Nothing can announce that nothing is written: the log is read after so long. */
export async function writesWithin(cluster: Cluster, path: string, ms: number): Promise<AuditedRequest[]> {
  const since = Date.now();
  await sleep(ms);
  return await writesTo(cluster, path, since);
}
