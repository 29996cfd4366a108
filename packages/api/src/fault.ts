// What is wrong with one field of one object, and the result of projecting an object: a value, or the
// faults that forbid it. A fault's message is one sentence that names object, field and rule.

import type { Reason } from './reason.ts';

export interface Fault {
  /** "BGPPeer tor-1", "Service default/web" or "settings". */
  readonly object: string;
  /** "spec.peerAddress", "spec.addresses[2]"; '' for the object as a whole. */
  readonly field: string;
  readonly reason: Reason;
  readonly message: string;
}

/** A usable value may come with faults too: parts that were left out, each said. */
export type Projected<T> =
  | { readonly ok: true; readonly value: T; readonly faults: readonly Fault[] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** `rule` continues the sentence after the field's name: "must be …", "is not …". */
export function fault(object: string, field: string, rule: string, reason: Reason = 'Invalid'): Fault {
  const subject = field === '' ? object : `${object}: ${field}`;
  return { object, field, reason, message: `${subject} ${rule}.` };
}

export function projected<T>(value: T, faults: readonly Fault[]): Projected<T> {
  return { ok: true, value, faults };
}

export function unusable(faults: readonly Fault[]): Projected<never> {
  return { ok: false, faults };
}
