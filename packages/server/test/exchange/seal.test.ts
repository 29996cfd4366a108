// Who is taken for a replica, and which answers are believed.

import { describe, expect, test } from 'vitest';
import { admit, ask, seal, unseal } from '../../src/exchange/seal.ts';

const KEY = 'k'.repeat(32);
const OTHER = 'o'.repeat(32);
const NOW = 1_800_000_000_000;
const SKEW = 300_000;

const refused = (reason: string) => ({ kind: 'refused', reason });

describe('a question', () => {
  const { credentials, nonce } = ask(KEY, NOW);
  const [scheme, time, , mac] = credentials.split(' ');

  test.each([
    ['by the key in use', credentials, [KEY]],
    ['by an old key that still counts', credentials, [OTHER, KEY]],
  ])('%s is answered', (_, text, keys) => {
    expect(admit(text, keys, NOW)).toEqual({ kind: 'admitted', nonce, key: KEY });
  });

  test.each([
    ['without credentials', undefined, 'NoCredentials'],
    ['with a token', 'Bearer abc', 'NoCredentials'],
    ['cut off', credentials.slice(0, -1), 'NoCredentials'],
    ['with more behind it', `${credentials} x`, 'NoCredentials'],
    ['with another time', `${scheme} ${NOW + 1} ${nonce} ${mac}`, 'WrongKey'],
    ['with another nonce', `${scheme} ${time} ${'A'.repeat(22)} ${mac}`, 'WrongKey'],
    ['by another key', ask(OTHER, NOW).credentials, 'WrongKey'],
    ['that is too old', ask(KEY, NOW - SKEW - 1).credentials, 'WrongTime'],
    ['from the future', ask(KEY, NOW + SKEW + 1).credentials, 'WrongTime'],
  ])('%s is refused: %s', (_, text, reason) => {
    expect(admit(text, [KEY], NOW)).toEqual(refused(reason));
  });

  test('with no key at all is refused', () => {
    expect(admit(credentials, [], NOW)).toEqual(refused('WrongKey'));
  });

  test('has a nonce of its own, and never shows the key', () => {
    expect(ask(KEY, NOW).nonce).not.toBe(nonce);
    expect(credentials).not.toContain(KEY);
  });
});

describe('an answer', () => {
  const question = ask(KEY, NOW);
  const answer = seal('{"a":1}', question);

  test('is believed by who asked', () => {
    expect(unseal(answer, question)).toBe('{"a":1}');
  });

  test.each<[string, unknown]>([
    ['to an older question', seal('{"a":1}', ask(KEY, NOW))],
    ['by another key', seal('{"a":1}', { ...question, key: OTHER })],
    ['that was changed', { ...answer, payload: '{"a":2}' }],
    ['that is the question again', { payload: '', mac: question.credentials.split(' ')[3] }],
    ['without a MAC', { payload: '{"a":1}' }],
    ['of another form', [answer]],
    ['that is nothing', null],
  ])('%s is not', (_, found) => {
    expect(unseal(found, question)).toBeUndefined();
  });
});
