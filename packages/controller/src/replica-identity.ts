// Who this replica is: what the Deployment tells a pod about itself by its environment. A controller that has
// a folder as its source needs none of it; one that talks to an API server needs all, since it owns an object
// of its own there and stands in a Lease by its name.

import { hostname } from 'node:os';

import type { Labels } from '@herald/api';
import type { Replica, World } from '@herald/decision';

import { SettingsInvalid } from './settings-file.ts';

export interface ReplicaIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The node that the pod runs on, for replica selectors. */
  readonly node: string;
  /** Of the pod; empty where it is not told. */
  readonly address: string;
}

const VARIABLES = {
  name: 'POD_NAME',
  namespace: 'POD_NAMESPACE',
  uid: 'POD_UID',
  node: 'NODE_NAME',
} as const;

const ADDRESS = 'POD_IP';

const NO_LABELS: Labels = {};

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws SettingsInvalid, naming every variable that is missing. */
export function podIdentity(environment: Environment): ReplicaIdentity {
  const missing = Object.values(VARIABLES).filter((variable) => !environment[variable]);
  if (missing.length > 0) {
    throw new SettingsInvalid(
      `source.kind is kubernetes, which needs these environment variables: ${missing.join(', ')}`,
    );
  }
  const read = (part: keyof typeof VARIABLES): string => environment[VARIABLES[part]] ?? '';
  const [name, namespace, uid, node] = [read('name'), read('namespace'), read('uid'), read('node')];
  return { name, namespace, uid, node, address: environment[ADDRESS] ?? '' };
}

export function lonelyIdentity(environment: Environment): ReplicaIdentity {
  const name = environment[VARIABLES.name] ?? hostname();
  return { name, namespace: '', uid: '', node: '', address: environment[ADDRESS] ?? '' };
}

/** As a decision knows it; for the ordinal see standby-order.ts. */
export function replicaOf({ name, node }: ReplicaIdentity, ordinal: number, nodes: World['nodes']): Replica {
  return { name, labels: nodes.get(node)?.labels ?? NO_LABELS, ordinal };
}
