// What one replica tells the others of itself: whether it is stale, its role and term, and which routers it serves.
// Text of an answer -> report, or undefined for what is none. What comes from another machine is never trusted to have
// a form: the key says who it is from, not which version it runs.

import type { ReplicaReport } from '@herald/server';

/** As many as a replica may have peers. */
const MAX_ROUTERS = 256;
const NAME_LENGTH = 253;

export function parseReport(text: string): ReplicaReport | undefined {
  const found = parseObject(text);
  const { replica, instance, stale, ageMs, leading, term, leaving, serves } = found;
  const isReport =
    isName(replica) &&
    isName(instance) &&
    [stale, leading, leaving].every((value) => typeof value === 'boolean') &&
    isCount(ageMs) &&
    isCount(term) &&
    Array.isArray(serves) &&
    serves.length <= MAX_ROUTERS &&
    serves.every(isName);
  // More fields are allowed: a newer version may say more.
  return isReport ? (found as unknown as ReplicaReport) : undefined;
}

function parseObject(text: string): Partial<Record<keyof ReplicaReport, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= NAME_LENGTH;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
