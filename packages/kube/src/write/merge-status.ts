// (status that is there, status that is wanted, time) -> the status that follows, and the merge patch that
// makes the one the other. A condition's time moves only when its status does. Pure.

import { isDeepStrictEqual } from 'node:util';
import { list, record, type JsonRecord } from '../transport/json.ts';

export interface MergedStatus {
  readonly status: JsonRecord;
  /** `status` of a merge patch; undefined when nothing differs. */
  readonly patch: JsonRecord | undefined;
  /** Whether people should know soon: a condition differs, or it is about another spec. */
  readonly urgent: boolean;
}

export function mergeStatus(there: JsonRecord, wanted: JsonRecord, time: string): MergedStatus {
  const conditions = mergeConditions(list(there['conditions']), list(wanted['conditions']), time);
  const status = conditions.length === 0 ? wanted : { ...wanted, conditions };
  if (isDeepStrictEqual(status, there)) {
    return { status, patch: undefined, urgent: false };
  }
  const newSpec = status['observedGeneration'] !== there['observedGeneration'];
  const urgent = newSpec || !isDeepStrictEqual(conditions, list(there['conditions']));
  return { status, patch: { ...absentFields(there, status), ...status }, urgent };
}

function mergeConditions(there: readonly unknown[], wanted: readonly unknown[], time: string): JsonRecord[] {
  const known = new Map(there.map(record).map((condition) => [condition['type'], condition]));
  return wanted.map(record).map((condition) => {
    const before = known.get(condition['type']);
    const same = before?.['status'] === condition['status'];
    return { ...condition, lastTransitionTime: same ? before?.['lastTransitionTime'] : time };
  });
}

function absentFields(there: JsonRecord, status: JsonRecord): JsonRecord {
  const absent = Object.keys(there).filter((field) => !(field in status));
  return Object.fromEntries(absent.map((field) => [field, null]));
}
