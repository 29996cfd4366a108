// The Lease's JSON, read and written, and the clock's file.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UptimeClock, parseUptime } from '../../src/lease/clock.ts';
import { leaseBody, parseLease } from '../../src/lease/lease-record.ts';

const METADATA = { name: 'herald', uid: 'u', resourceVersion: '7' };

describe('reading a Lease', () => {
  it.each<[string, unknown, object]>([
    ['no spec', {}, { holder: '', durationMs: undefined, term: 0, transitions: 0 }],
    ['a null spec', { spec: null }, { holder: '', durationMs: undefined }],
    [
      'fields of other types',
      { spec: { holderIdentity: 5, leaseDurationSeconds: '6', leaseTransitions: 'x' } },
      { holder: '', durationMs: undefined, transitions: 0 },
    ],
    [
      'a negative duration',
      { spec: { holderIdentity: 'a', leaseDurationSeconds: -1, leaseTransitions: -3 } },
      { holder: 'a', durationMs: undefined, transitions: 0 },
    ],
    [
      'everything',
      { spec: { holderIdentity: 'a', leaseDurationSeconds: 6, leaseTransitions: 3, acquireTime: 't' } },
      { holder: 'a', durationMs: 6000, transitions: 3, acquireTime: 't' },
    ],
  ])('with %s', (_, rest, expected) => {
    expect(parseLease({ metadata: METADATA, ...(rest as object) })).toMatchObject({
      uid: 'u',
      resourceVersion: '7',
      ...expected,
    });
  });

  it.each<[unknown, number]>([
    ['42', 42],
    ['3999999999', 3_999_999_999],
    ['4000000000', 0],
    ['99999999999999', 0],
    ['-1', 0],
    ['1e3', 0],
    ['', 0],
    [42, 0],
  ])('takes the term %j for %d', (annotation, term) => {
    const metadata = { ...METADATA, annotations: { 'heraldbgp.io/term': annotation } };
    expect(parseLease({ metadata }).term).toBe(term);
  });

  it.each([undefined, null, {}, { metadata: { uid: 'u' } }, { metadata: { resourceVersion: '1' } }, 'text'])(
    'refuses %j, which has no uid and version',
    (answer) => {
      expect(() => parseLease(answer)).toThrow('no Lease');
    },
  );
});

describe('writing a Lease', () => {
  const AT = Date.UTC(2026, 10, 1);
  const previous = parseLease({
    metadata: {
      ...METADATA,
      labels: { a: 'b' },
      annotations: { other: 'kept', 'heraldbgp.io/term': '4' },
      managedFields: [{}],
    },
    spec: { holderIdentity: 'old', leaseTransitions: 2, acquireTime: '2026-10-01T00:00:00.000000Z' },
  });

  it('keeps what others put on it and names the version that it replaces', () => {
    const body = leaseBody('herald', 'ns', { previous, holder: 'me', term: 9, durationMs: 6000 }, AT);
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: 'herald',
        namespace: 'ns',
        uid: 'u',
        resourceVersion: '7',
        labels: { a: 'b' },
        annotations: { other: 'kept', 'heraldbgp.io/term': '9' },
      },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 6,
        renewTime: '2026-11-01T00:00:00.000000Z',
        acquireTime: '2026-11-01T00:00:00.000000Z',
        leaseTransitions: 3,
      },
    });
  });

  it.each<[string, string, number, number, object]>([
    [
      'a renewal keeps since when',
      'old',
      4,
      6000,
      { acquireTime: '2026-10-01T00:00:00.000000Z', leaseTransitions: 2 },
    ],
    [
      'a new term of the same holder is new',
      'old',
      5,
      6000,
      { acquireTime: '2026-11-01T00:00:00.000000Z', leaseTransitions: 2 },
    ],
    [
      'a release says nobody, for a second',
      '',
      4,
      1000,
      { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 2 },
    ],
    ['parts of a second count as a whole one', 'old', 4, 2500, { leaseDurationSeconds: 3 }],
  ])('%s', (_, holder, term, durationMs, expected) => {
    expect(leaseBody('herald', 'ns', { previous, holder, term, durationMs }, AT)['spec']).toMatchObject(
      expected,
    );
  });

  it('begins with no transition', () => {
    const body = leaseBody(
      'herald',
      'ns',
      { previous: undefined, holder: 'me', term: 1, durationMs: 6000 },
      AT,
    );
    expect(body['spec']).toMatchObject({ leaseTransitions: 0 });
  });
});

describe('the clock', () => {
  it.each([
    ['12345.67 54321.00\n', 12_345_670],
    ['0.05 0.01\n', 50],
  ])('reads %j', (content, ms) => expect(parseUptime(content)).toBe(ms));

  it.each(['', '\n', 'x 1', 'NaN 3'])('refuses %j', (content) => {
    expect(() => parseUptime(content)).toThrow(RangeError);
  });

  it('goes on, and a sleep ends early without an error when it is aborted', async () => {
    const clock = new UptimeClock();
    const before = clock.nowMs();
    const nap = new AbortController();
    const slept = clock.sleep(3_600_000, nap.signal);
    await wait(30);
    nap.abort();
    await expect(slept).resolves.toBeUndefined();
    expect(clock.nowMs()).toBeGreaterThan(before);
    await clock.sleep(20, new AbortController().signal);
    expect(clock.nowMs() - before).toBeGreaterThanOrEqual(40);
  });
});
