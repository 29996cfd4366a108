// The controllers that run in a cluster's pods, as processes of this machine: for faults that the API cannot make.
// A cluster of the lab runs its containers here; each process says in its control groups which pod it belongs to.

import { readFileSync, readdirSync } from 'node:fs';

import type { Cluster } from '@herald/lab';

import { heraldPods } from './cluster-herald.ts';

const COMMAND = /^\S*node \S*herald run /;

/** Process numbers of the controllers of all replicas. */
export async function controllerProcesses(cluster: Cluster): Promise<readonly number[]> {
  const pods = (await heraldPods(cluster)).map(({ metadata }) => `pod${metadata.uid}`);
  const own = (text: string): boolean =>
    text.includes(cluster.facts.id) && pods.some((pod) => text.includes(pod));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => COMMAND.test(read(pid, 'cmdline').replaceAll('\0', ' ')) && own(read(pid, 'cgroup')))
    .map(Number);
}

/** Empty for a process that has just ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
