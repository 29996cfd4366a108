// When the pods with a label became ready, seen by a watch that was open before: to the millisecond, where the API's own
// times have seconds.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { Cluster } from '@herald/lab';

const LINE = '{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}';

/** Epoch milliseconds of the last of so many pods. */
export async function podsReadyAt(cluster: Cluster, label: string, count: number): Promise<number> {
  const { programs, kubeconfig } = cluster.facts;
  const flags = ['--kubeconfig', kubeconfig, 'get', 'pods', '--selector', label];
  const argv = [...flags, '--watch', '--output', `jsonpath=${LINE}`];
  const kubectl = spawn(`${programs.kubernetes}/kubectl`, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const ready = new Set<string>();
    for await (const line of createInterface({ input: kubectl.stdout })) {
      const [name = '', isReady] = line.split(' ');
      if (isReady === 'True') ready.add(name);
      if (ready.size === count) return Date.now();
    }
    throw new Error(`the watch of pods ended; ready were ${[...ready].join()}`);
  } finally {
    kubectl.kill();
  }
}
