// Everything in the cluster that is ours: what is in the release's namespace, and what carries our name or is of our kinds
// without one. Left out is what every namespace has, Events (they expire), and what the API server makes of a CRD.

import type { Cluster } from '@herald/lab';

import { NAMESPACE } from './cluster-herald.ts';

const OF_EVERY_NAMESPACE = /^(configmap\/kube-root-ca\.crt|serviceaccount\/default)$/;
const OF_A_DEFINITION = /^apiservice\./;

/** As kubectl names them, sorted. */
export async function heraldLeftovers(cluster: Cluster): Promise<string[]> {
  const [inNamespace, inCluster] = await Promise.all([
    names(cluster, 'true', ['--namespace', NAMESPACE]),
    names(cluster, 'false', []),
  ]);
  const ours = inCluster.filter((name) => name.includes('herald') && !OF_A_DEFINITION.test(name));
  const others = inNamespace.filter((name) => !OF_EVERY_NAMESPACE.test(name));
  return [...others, ...ours].sort((a, b) => (a < b ? -1 : 1));
}

async function names(
  cluster: Cluster,
  namespaced: 'true' | 'false',
  place: readonly string[],
): Promise<string[]> {
  const words = [
    'api-resources',
    '--cached=false',
    '--verbs=list',
    `--namespaced=${namespaced}`,
    '-o',
    'name',
  ];
  const kinds = lines(await cluster.kubectl(words)).filter((kind) => !kind.startsWith('events'));
  return lines(await cluster.kubectl(['get', kinds.join(','), ...place, '-o', 'name']));
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
