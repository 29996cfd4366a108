// A rule that a JSON schema cannot say, once in two languages: CEL for the API server, TypeScript for
// manifests and for replicas that run ahead of or behind the installed CRD. Because both are one value, a
// rule cannot exist in one place only. The sentence is completed by the path of the field it stands at.
//
// A rule holds for values that another rule already refuses: one mistake gives one sentence.

import type { Reason } from '../reason.ts';

// A method, not a property: rules of different types have to fit into one list.
export interface Rule<T = unknown> {
  /** Continues the sentence after the field's path: "must be …". */
  readonly must: string;
  /** Kubernetes 1.36 CEL with `self`. */
  readonly cel: string;
  /** The field below `self` that the sentence is about, or none when it is `self`. */
  readonly field?: string;
  readonly reason?: Reason;
  holds(value: T): boolean;
}

/** Schema options that attach rules to a field. */
export function rules<T>(...list: readonly Rule<T>[]): { readonly rules: readonly Rule<T>[] } {
  return { rules: list };
}
