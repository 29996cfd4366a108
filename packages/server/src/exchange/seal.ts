// How replicas know that they speak to each other: an HMAC-SHA256 (RFC 2104) by a key that all of them have, over a
// question (its time and a nonce) and over the answer to it (the same nonce and the payload). Texts in, texts out.
//
// An answer counts for the one question that it was asked by, so an old one proves nothing. A question changes
// nothing, and only one that is some minutes old at most is answered. Keys can be exchanged while all run: the
// first of the list is asked with, any of them is answered, with the one that the question came with.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Question {
  /** For the Authorization header. */
  readonly credentials: string;
  readonly nonce: string;
  readonly key: string;
}

export interface SealedAnswer {
  readonly payload: string;
  readonly mac: string;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly nonce: string; readonly key: string }
  | { readonly kind: 'refused'; readonly reason: Refusal };

export type Refusal = 'NoCredentials' | 'WrongKey' | 'WrongTime';

/** What the clocks of two control-plane nodes may differ by, as in Kerberos (RFC 4120 section 8.2). */
const SKEW_MS = 300_000;
const NONCE_BYTES = 16;
const CREDENTIALS = /^Herald (?<time>\d{1,16}) (?<nonce>[\w-]{22}) (?<mac>[\w-]{43})$/;

export function ask(key: string, nowMs: number): Question {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return { credentials: `Herald ${nowMs} ${nonce} ${questionMac(key, String(nowMs), nonce)}`, nonce, key };
}

export function admit(credentials: string | undefined, keys: readonly string[], nowMs: number): Admission {
  const { time, nonce, mac } = CREDENTIALS.exec(credentials ?? '')?.groups ?? {};
  if (time === undefined || nonce === undefined || mac === undefined) {
    return { kind: 'refused', reason: 'NoCredentials' };
  }
  const key = keys.find((each) => isSame(mac, questionMac(each, time, nonce)));
  if (key === undefined) {
    return { kind: 'refused', reason: 'WrongKey' };
  }
  const isNow = Math.abs(nowMs - Number(time)) <= SKEW_MS;
  return isNow ? { kind: 'admitted', nonce, key } : { kind: 'refused', reason: 'WrongTime' };
}

export function seal(payload: string, { nonce, key }: Pick<Question, 'nonce' | 'key'>): SealedAnswer {
  return { payload, mac: answerMac(key, nonce, payload) };
}

/** The payload; undefined for what is no answer to this question by somebody who has its key. */
export function unseal(answer: unknown, { nonce, key }: Question): string | undefined {
  const { payload, mac } = (answer ?? {}) as Partial<Record<keyof SealedAnswer, unknown>>;
  const isTexts = typeof payload === 'string' && typeof mac === 'string';
  return isTexts && isSame(mac, answerMac(key, nonce, payload)) ? payload : undefined;
}

function questionMac(key: string, time: string, nonce: string): string {
  return hmac(key, `herald replica question\n${time}\n${nonce}`);
}

function answerMac(key: string, nonce: string, payload: string): string {
  return hmac(key, `herald replica answer\n${nonce}\n${payload}`);
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** In a time that says nothing of how far they are the same. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
