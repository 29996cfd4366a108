// What is wrong with octets that a peer sent, and what RFC 4271 section 6 or RFC 7606 says has to follow.
//
// A decoder returns a problem, it never throws one. The four dispositions are those of RFC 7606 section 2,
// mildest first. Code, subcode and data are what a NOTIFICATION would carry; for dispositions that keep the
// session they only serve the log. Nothing here acts on a problem.

import type { AfiSafi } from './afi-safi.ts';
import { ERROR_CODE } from './registry.ts';

export type Disposition = 'attribute-discard' | 'treat-as-withdraw' | 'afi-safi-disable' | 'session-reset';

export interface WireProblem {
  readonly disposition: Disposition;
  readonly code: number;
  readonly subcode: number;
  readonly data: Uint8Array;
  /** Which rule the octets break, in words. */
  readonly text: string;
  /** The family that can no longer be trusted; only with `afi-safi-disable`. */
  readonly afiSafi: AfiSafi | undefined;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: WireProblem };

export const NO_DATA: Uint8Array = new Uint8Array(0);

export function decoded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(problem: WireProblem): Outcome<never> {
  return { ok: false, problem };
}

export function sessionReset(code: number, subcode: number, text: string, data = NO_DATA): WireProblem {
  return { disposition: 'session-reset', code, subcode, data, text, afiSafi: undefined };
}

export function updateProblem(
  disposition: Disposition,
  subcode: number,
  text: string,
  data = NO_DATA,
): WireProblem {
  return { disposition, code: ERROR_CODE.update, subcode, data, text, afiSafi: undefined };
}

export function familyProblem(afiSafi: AfiSafi, subcode: number, text: string): WireProblem {
  const code = ERROR_CODE.update;
  return { disposition: 'afi-safi-disable', code, subcode, data: NO_DATA, text, afiSafi };
}
