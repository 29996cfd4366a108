// Conditions of our own objects, within what their schema allows, and with the time of their last transition for
// the one object that this replica writes by itself. That time stays as long as the status does, whatever
// happens to reason and message.

import type { Condition } from '@herald/api';

import type { WantedCondition } from './wanted-status.ts';

const MESSAGE_LENGTH = 1024;

export function conditions(judgements: readonly WantedCondition[]): WantedCondition[] {
  return judgements.map((each) => ({ ...each, message: each.message.slice(0, MESSAGE_LENGTH) }));
}

export function timed(
  wanted: readonly WantedCondition[],
  known: readonly Condition[] | undefined,
  nowMs: number,
): Condition[] {
  return wanted.map((condition) => {
    const before = known?.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return { ...condition, lastTransitionTime: isSame ? before.lastTransitionTime : timeText(nowMs) };
  });
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
