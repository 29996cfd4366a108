// Bodies of the patches of a Service's status, as strategic merges: the list of addresses is replaced whole,
// conditions are merged by type, so that a condition of somebody else is never touched. Addresses and the two
// annotations that say who gave them go in one request: a status write may change annotations.

import { list, rawMeta, record, text, type JsonRecord } from '../transport/json.ts';

const ALLOCATED_ADDRESSES = 'heraldbgp.io/allocated-addresses';
const ALLOCATED_TERM = 'heraldbgp.io/allocated-term';
const ADVERTISED = 'heraldbgp.io/Advertised';

/** The version that a patch was made for; another one is a conflict. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface WrittenCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export function serviceStatusPath(serviceKey: string): string {
  const [namespace, name] = serviceKey.split('/');
  return `/api/v1/namespaces/${namespace}/services/${name}/status`;
}

export function addressPatch(
  version: Version,
  addresses: readonly string[],
  term: number,
  entries: readonly unknown[],
): JsonRecord {
  const given = addresses.length > 0;
  const annotations = {
    [ALLOCATED_ADDRESSES]: given ? addresses.join(',') : null,
    [ALLOCATED_TERM]: given ? String(term) : null,
  };
  return {
    metadata: { ...version, annotations },
    status: { loadBalancer: { ingress: ingressOf(addresses, entries) } },
  };
}

/** Entries without an address belong to somebody else, and an entry that stays keeps what else it says. */
function ingressOf(addresses: readonly string[], entries: readonly unknown[]): unknown[] {
  const others = entries.filter((entry) => text(record(entry)['ip']) === '');
  const known = new Map(entries.map((entry) => [text(record(entry)['ip']), entry]));
  return [...addresses.map((ip) => known.get(ip) ?? { ip }), ...others];
}

export function ingressEntries(service: unknown): readonly unknown[] {
  return list(record(record(record(service)['status'])['loadBalancer'])['ingress']);
}

export function versionOf(object: unknown): Version {
  const { uid, resourceVersion } = rawMeta(object);
  return { uid, resourceVersion };
}

/** Without a condition: the patch that takes it away. */
export function conditionPatch(version: Version, condition: WrittenCondition | undefined): JsonRecord {
  const entry = condition ?? { $patch: 'delete' };
  return { metadata: { ...version }, status: { conditions: [{ type: ADVERTISED, ...entry }] } };
}

/** Our condition as it stands on a raw Service. */
export function advertisedCondition(service: unknown): WrittenCondition | undefined {
  const conditions = list(record(record(service)['status'])['conditions']).map(record);
  const found = conditions.find((condition) => condition['type'] === ADVERTISED);
  return (
    found && {
      status: found['status'] === 'True' ? 'True' : 'False',
      reason: text(found['reason']),
      message: text(found['message']),
      lastTransitionTime: text(found['lastTransitionTime']),
    }
  );
}
