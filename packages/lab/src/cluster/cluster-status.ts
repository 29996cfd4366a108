/**
 * What is said about the cluster that is up: for people and, as one object, for programs.
 *
 * In: its facts or none. Out: state, nodes with their readiness, routers, and how to use all of it.
 */
import { clientLink, routerAddresses } from '../address-plan.ts';
import { askApi } from './api-request.ts';
import type { ClusterFacts } from './cluster-facts.ts';

export interface NodeStatus {
  readonly name: string;
  readonly role: string;
  readonly ipv4: string;
  readonly ipv6: string;
  readonly isReady: boolean;
}

export type ClusterStatus =
  | { readonly state: 'down' }
  | { readonly state: 'up'; readonly facts: ClusterFacts; readonly nodes: readonly NodeStatus[] };

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastHeartbeatTime?: string;
}

export interface NodeConditions {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly NodeCondition[] };
}

export async function clusterStatus(facts: ClusterFacts | undefined): Promise<ClusterStatus> {
  if (facts === undefined) return { state: 'down' };
  const ready = await readyNodes(facts);
  const nodes = facts.nodes.map(({ plan: { name, role, ipv4, ipv6 } }) => {
    return { name, role, ipv4, ipv6, isReady: ready.has(name) };
  });
  return { state: 'up', facts, nodes };
}

async function readyNodes(facts: ClusterFacts): Promise<Set<string>> {
  try {
    const answer = await askApi(facts.api.access, '/api/v1/nodes');
    const { items } = JSON.parse(answer) as { readonly items: readonly NodeConditions[] };
    return new Set(items.filter(isReadyNode).map(({ metadata }) => metadata.name));
  } catch {
    // An API server that does not answer knows no ready node.
    return new Set();
  }
}

/** The kubelet's own condition, as `kubectl get nodes` shows it. */
export function isReadyNode({ status }: NodeConditions): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
}

export function statusText(status: ClusterStatus): string {
  if (status.state === 'down') return 'There is no cluster. Start it with: cluster up\n';
  const lines = status.nodes.map(
    ({ name, role, ipv4, isReady }) =>
      `${name.padEnd(12)}${role.padEnd(15)}${ipv4.padEnd(15)}${isReady ? 'Ready' : 'NotReady'}`,
  );
  return `${lines.join('\n')}\n\n${usageText(status.facts)}`;
}

export function usageText(facts: ClusterFacts): string {
  const routers = facts.routers.flatMap(({ name, kind, namespace, directory, clientNamespace }, index) => [
    `router ${name} (${kind}, ${routerAddresses(index).ipv4}):`,
    `  ${routerShell(kind, directory, namespace)}`,
    `  client behind it (${clientLink(index).far.ipv4}): nsenter --net=/run/netns/${clientNamespace} curl http://ADDRESS`,
  ]);
  return `${[
    `export KUBECONFIG=${facts.kubeconfig}`,
    `kubectl: ${facts.programs.kubernetes}/kubectl`,
    `helm:    ${facts.programs.helm}/helm`,
    ...routers,
    `a node's network: nsenter --net=/run/netns/${facts.nodes.at(-1)?.namespace ?? 'NODE'} ip route`,
  ].join('\n')}\n`;
}

function routerShell(kind: string, directory: string, namespace: string): string {
  switch (kind) {
    case 'bird':
      return `birdc -s ${directory}/bird.ctl show protocols`;
    case 'frr':
    case 'frr-root':
      return `vtysh --vty_socket ${directory} -c 'show bgp summary'`;
    default:
      return `nsenter --net=/run/netns/${namespace} ip route`;
  }
}
