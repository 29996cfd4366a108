/**
 * Which node has which name, address and pod range, and which ranges the whole cluster has: a pure function of how
 * many control-plane nodes and workers there are.
 *
 * Addresses on the segment are those of the address plan. The API server is a guest of the segment, apart from the
 * nodes, so that a control-plane node can lose power without taking the API along.
 */
import { controlPlaneAddresses, guestAddresses, podLink, workerAddresses } from '../address-plan.ts';
import type { HostAddresses } from '../address-plan.ts';

export type NodeRole = 'control-plane' | 'worker';

export interface NodePlan extends HostAddresses {
  /** Also its label as a namespace. */
  readonly name: string;
  readonly role: NodeRole;
  /** IPv4, then IPv6. */
  readonly podRanges: readonly [string, string];
}

export const POD_RANGES = ['10.244.0.0/16', 'fd00:244::/32'] as const;
export const SERVICE_RANGES = ['10.96.0.0/16', 'fd00:10:96::/108'] as const;
/** The `kubernetes` Service. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
/** Nobody answers there: the cluster has no DNS, and pods are told an address all the same. */
export const DNS_ADDRESS = '10.96.0.10';
export const API_ADDRESSES = guestAddresses(0);
export const API_PORT = 6443;
export const KUBE_PROXY_HEALTH_PORT = 10_256;

export function nodePlans(controlPlanes: number, workers: number): NodePlan[] {
  const first = Array.from({ length: controlPlanes }, (_, index) => ({
    name: `control-${index}`,
    role: 'control-plane' as const,
    ...controlPlaneAddresses(index),
  }));
  const second = Array.from({ length: workers }, (_, index) => ({
    name: `worker-${index}`,
    role: 'worker' as const,
    ...workerAddresses(index),
  }));
  return [...first, ...second].map((node, index) => ({ ...node, podRanges: podLink(index).prefixes }));
}

/** The Node object as an installer makes it: the kubelet finds it there and adds what it sees. */
export function nodeObject(plan: NodePlan): object {
  const labels = plan.role === 'control-plane' ? { 'node-role.kubernetes.io/control-plane': '' } : {};
  const taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: plan.name, labels: { ...labels, 'kubernetes.io/hostname': plan.name } },
    spec: {
      podCIDR: plan.podRanges[0],
      podCIDRs: plan.podRanges,
      ...(plan.role === 'control-plane' ? { taints: [taint] } : {}),
    },
  };
}
