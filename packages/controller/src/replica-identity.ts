// Who this replica is: what the Deployment tells a pod about itself by its environment. A controller that has
// a folder as its source needs none of it; one that talks to an API server needs all, since it owns an object
// of its own there and stands in a Lease by its name.

import { hostname } from 'node:os';

import type { Labels } from '@herald/api';
import type { Replica, World } from '@herald/decision';
import { hash32 } from '@herald/net';

import { SettingsInvalid } from './settings-file.ts';

export interface ReplicaIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The node that the pod runs on, for replica selectors. */
  readonly node: string;
}

const VARIABLES = {
  name: 'POD_NAME',
  namespace: 'POD_NAMESPACE',
  uid: 'POD_UID',
  node: 'NODE_NAME',
} as const;

/** Standby ranks lie between this many values; MED has no more above them. */
const ORDINALS = 190_000_000;

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
  return { name: read('name'), namespace: read('namespace'), uid: read('uid'), node: read('node') };
}

export function lonelyIdentity(): ReplicaIdentity {
  return { name: hostname(), namespace: '', uid: '', node: '' };
}

/** As a decision knows it. */
export function replicaOf(identity: ReplicaIdentity, nodes: World['nodes']): Replica {
  const { name, node } = identity;
  return { name, labels: nodes.get(node)?.labels ?? NO_LABELS, ordinal: ordinalOf(identity) };
}

/** The replica's place in the order of standby ranks: the same for as long as the pod lives. */
export function ordinalOf({ uid }: ReplicaIdentity): number {
  return uid === '' ? 0 : hash32(uid) % ORDINALS;
}
