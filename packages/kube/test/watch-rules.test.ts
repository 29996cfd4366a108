// The pure rules of a list-watch loop, as tables.

import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorFields, type ApiErrorKind } from '../src/transport/api-error.ts';
import { Backoff } from '../src/watch/backoff.ts';
import { judgeFailure } from '../src/watch/follow-trouble.ts';
import { MalformedStream } from '../src/watch/malformed-stream.ts';
import { runsBackwards } from '../src/watch/resource-version.ts';
import { isSuspect } from '../src/watch/suspect-list.ts';
import { parseWatchEvent } from '../src/watch/watch-event.ts';
import { WATCH_TIMES } from '../src/watch/watch-times.ts';

describe('a list is suspect', () => {
  it.each([
    [0, 0, false],
    [1, 0, true],
    [1, 1, false],
    [2, 1, false],
    [3, 1, true],
    [100, 50, false],
    [100, 49, true],
    [100, 200, false],
  ])('with %i known and %i listed: %s', (known, listed, expected) => {
    expect(isSuspect(known, listed)).toBe(expected);
  });
});

describe('a version runs backwards', () => {
  it.each([
    ['10', '9', true],
    ['9', '10', false],
    ['10', '10', false],
    ['99', '100', false],
    ['18446744073709551615', '18446744073709551614', true],
    ['', '1', false],
    ['5', '', false],
    ['abc', '1', false],
    ['5', '0', false],
  ])('from %s to %s: %s', (known, next, expected) => {
    expect(runsBackwards(known, next)).toBe(expected);
  });
});

describe('pauses', () => {
  it.each([
    [0, [50, 100, 200, 400, 500, 500]],
    [1, [100, 200, 400, 800, 1000, 1000]],
  ])('with chance %d double up to the longest', (chance, expected) => {
    const backoff = new Backoff(100, () => chance);
    expect(expected.map(() => backoff.next(1000))).toEqual(expected);
    backoff.reset();
    expect(backoff.next(1000)).toBe(expected[0]);
  });

  it('stay bounded after a very long outage', () => {
    const backoff = new Backoff(100, () => 1);
    for (let i = 0; i < 5000; i++) {
      expect(backoff.next(1000)).toBeLessThanOrEqual(1000);
    }
  });
});

const failed = (kind: ApiErrorKind, fields?: ApiErrorFields): ApiError =>
  new ApiError(kind, 'GET /x: words', fields);

const failures: readonly [string, unknown, object][] = [
  ['410', failed('status', { status: 410 }), { relist: true, trouble: { kind: 'refused' } }],
  [
    '500',
    failed('status', { status: 500 }),
    { relist: false, trouble: { kind: 'refused' }, longestPauseMs: 5000 },
  ],
  [
    '429 for ten seconds',
    failed('status', { status: 429, retryAfterMs: 10_000 }),
    { relist: false, shortestPauseMs: 10_000 },
  ],
  ['429 for a day', failed('status', { status: 429, retryAfterMs: 86_400_000 }), { shortestPauseMs: 60_000 }],
  ['401', failed('status', { status: 401 }), { trouble: { kind: 'forbidden' }, longestPauseMs: 30_000 }],
  ['403', failed('status', { status: 403 }), { trouble: { kind: 'forbidden' }, longestPauseMs: 30_000 }],
  ['404', failed('status', { status: 404 }), { trouble: { kind: 'missing' }, shortestPauseMs: 5000 }],
  ['a lost connection', failed('network'), { relist: false, trouble: { kind: 'unreachable' } }],
  ['no answer', failed('timeout'), { relist: false, trouble: { kind: 'unreachable' } }],
  ['a broken stream', new MalformedStream('a line'), { relist: true, trouble: { kind: 'malformed' } }],
  [
    'anything else',
    new TypeError('secret'),
    { relist: true, trouble: { rule: 'cannot be followed (TypeError)' } },
  ],
];

describe('a failure', () => {
  it.each(failures)('by %s', (_, error, expected) => {
    expect(judgeFailure(error, WATCH_TIMES, undefined)).toMatchObject(expected);
  });
});

const object = { metadata: { name: 'a', resourceVersion: '7' } };
const initialEnd = {
  metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
};

describe('a line of a watch', () => {
  it.each([
    ['ADDED', object, { kind: 'set', resourceVersion: '7' }],
    ['MODIFIED', object, { kind: 'set', resourceVersion: '7' }],
    ['DELETED', object, { kind: 'removed', resourceVersion: '7' }],
    ['BOOKMARK', object, { kind: 'bookmark', resourceVersion: '7', initialEnd: false }],
    ['BOOKMARK', initialEnd, { kind: 'bookmark', resourceVersion: '7', initialEnd: true }],
    ['ERROR', { code: 410 }, { kind: 'error', object: { code: 410 } }],
  ])('of type %s is read', (type, of, expected) => {
    expect(parseWatchEvent(JSON.stringify({ type, object: of }))).toMatchObject(expected);
  });

  it.each(['', '{', 'null', '[]', '"x"', '{"type": "ADDE', '{"object": {}}', '{"type": "OTHER"}'])(
    'that is %j is refused',
    (line) => {
      expect(() => parseWatchEvent(line)).toThrow(MalformedStream);
    },
  );
});
