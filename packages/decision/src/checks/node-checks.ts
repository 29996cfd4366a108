// Whether a node may be a next hop at all, whatever the Service and the peer: an ordered list of checks
// on one projected Node. Selection by an advertisement and the address that a peer can be given come later,
// because they differ from route to route.

import type { Node, Reason } from '@herald/api';
import type { DecisionSettings } from '../world.ts';
import { firstFailure, type Check } from './check.ts';

export interface NodeSubject {
  readonly node: Node;
  readonly settings: DecisionSettings;
}

/** Present with any value, as in the service controllers of Kubernetes (KEP-1143). */
const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
const REMOVAL_TAINTS: ReadonlySet<string> = new Set([
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
]);
const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

export const NODE_CHECKS: readonly Check<NodeSubject>[] = [
  { reason: 'NodeDeleted', passes: ({ node }) => !node.deleting },
  // A graceful shutdown of the kubelet shows as not ready too, and a silent one as Unknown.
  { reason: 'NodeNotReady', passes: ({ node }) => node.ready === 'True' },
  { reason: 'NetworkUnavailable', passes: ({ node }) => !node.networkUnavailable },
  {
    reason: 'ExcludedByLabel',
    passes: ({ node, settings }) =>
      !settings.excludeLabelHonoured || !Object.hasOwn(node.labels, EXCLUDE_LABEL),
  },
  {
    reason: 'TaintedForRemoval',
    passes: ({ node }) => !node.taints.some(({ key }) => REMOVAL_TAINTS.has(key)),
  },
  {
    reason: 'TaintedOutOfService',
    passes: ({ node }) => !node.taints.some(({ key }) => key === OUT_OF_SERVICE_TAINT),
  },
  { reason: 'Cordoned', passes: ({ node, settings }) => !settings.cordonedNodesLeave || !node.unschedulable },
];

/** Why the node can be no next hop of any Service; undefined: it can. */
export function nodeReason(node: Node, settings: DecisionSettings): Reason | undefined {
  return firstFailure(NODE_CHECKS, { node, settings });
}
