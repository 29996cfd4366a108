// The rights of Herald's service account, one word each, as they are in the cluster: what its roles grant, what it made
// use of by the API server's audit log, and roles from which some are taken for a while, and which never were.
//
// A rule of RBAC is a product of groups, resources, names and verbs; here every right stands alone, so that a
// test can name the one that nobody used or that was missed.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import type { Cluster } from '@herald/lab';

import { ACCOUNT, NAMESPACE, RELEASE, get, type KubernetesObject } from './cluster-herald.ts';

export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, if any. */
  readonly resource: string;
  /** Only objects of these names; none: all. */
  readonly names: readonly string[];
}

export interface UsedRight extends Omit<Right, 'names'> {
  readonly name: string;
  readonly status: number;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

type RoleObject = KubernetesObject & { readonly kind: string; readonly rules: readonly Rule[] };

interface AuditLine {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly name?: string;
  };
}

export function rightText({ verb, group, resource, names }: Right): string {
  const limit = names.length === 0 ? '' : ` [${names.join(' ')}]`;
  return `${verb} ${group === '' ? '' : `${group}/`}${resource}${limit}`;
}

export function grants(right: Right, used: UsedRight): boolean {
  const isKind = right.group === used.group && right.resource === used.resource;
  const isNamed = right.names.length === 0 || right.names.includes(used.name);
  return right.verb === used.verb && isKind && isNamed;
}

/** What our account asked of the API server; a request without a kind appears as its verb alone. */
export async function usedRights(cluster: Cluster): Promise<UsedRight[]> {
  const found = new Map<string, UsedRight>();
  const lines = createInterface({ input: createReadStream(cluster.facts.auditLog), crlfDelay: Infinity });
  for await (const line of lines) {
    const used = line.includes(`"${ACCOUNT}"`) && line.endsWith('}') ? usedRight(line) : undefined;
    if (used !== undefined) found.set(JSON.stringify(used), used);
  }
  return [...found.values()];
}

function usedRight(line: string): UsedRight | undefined {
  const { verb, user, objectRef = {}, responseStatus } = JSON.parse(line) as AuditLine;
  const { resource = '', subresource, apiGroup = '', name = '' } = objectRef;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const used = { verb, group: apiGroup, resource: full, name, status: responseStatus?.code ?? 0 };
  return user.username === ACCOUNT ? used : undefined;
}

/** The two roles of the release. */
export class GrantedRights {
  readonly rights: readonly Right[];
  readonly #cluster: Cluster;
  readonly #roles: readonly RoleObject[];
  readonly #taken = new Set<string>();

  private constructor(cluster: Cluster, roles: readonly RoleObject[]) {
    this.#cluster = cluster;
    this.#roles = roles;
    this.rights = roles.flatMap(({ rules }) => rules.flatMap(rightsOf));
  }

  static async read(cluster: Cluster): Promise<GrantedRights> {
    const roles = await Promise.all([
      get<RoleObject>(cluster, 'role', RELEASE, '-n', NAMESPACE),
      get<RoleObject>(cluster, 'clusterrole', `${NAMESPACE}:${RELEASE}`),
    ]);
    return new GrantedRights(cluster, roles);
  }

  /** Those that `without` has left in place so far. */
  get neverTaken(): readonly Right[] {
    return this.rights.filter((right) => !this.#taken.has(rightText(right)));
  }

  /** All but these, until the next call. */
  async without(isTaken: (right: Right) => boolean): Promise<void> {
    this.rights.filter(isTaken).forEach((right) => this.#taken.add(rightText(right)));
    const items = this.#roles.map(({ rules, metadata, ...role }) => ({
      ...role,
      metadata: { name: metadata.name, namespace: metadata.namespace, labels: metadata.labels },
      rules: rules
        .flatMap(rightsOf)
        .filter((right) => !isTaken(right))
        .map(ruleOf),
    }));
    await this.#cluster.kubectl(
      ['replace', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  }

  giveBack(): Promise<void> {
    return this.without(() => false);
  }
}

function rightsOf({ apiGroups, resources, resourceNames = [], verbs }: Rule): Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource, names: resourceNames }))),
  );
}

function ruleOf({ verb, group, resource, names }: Right): Rule {
  const rule = { apiGroups: [group], resources: [resource], verbs: [verb] };
  return names.length === 0 ? rule : { ...rule, resourceNames: names };
}
