// A kept table as text and back: the same, path for path; and whatever is not just what was written, by this build, for
// this pod and these settings, is refused with a word.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { inSlices } from '../../src/in-slices.ts';
import { encodeKept } from '../../src/kept/encode-kept.ts';
import { keptSessions, type KeptOwner } from '../../src/kept/kept-content.ts';
import { parseKept, type KeptReading } from '../../src/kept/parse-kept.ts';
import { inView, peer, plan } from '../session-plan.ts';
import { address } from '@herald/net';
import { kept, OWNER, rows } from './kept-scene.ts';

const KEPT_AT_MS = Date.UTC(2026, 11, 1);

async function text(): Promise<string> {
  return [...encodeKept({ content: await kept(), keptAtMs: KEPT_AT_MS }, OWNER)].join('');
}

async function read(from: string, owner: KeptOwner = OWNER): Promise<KeptReading> {
  return await inSlices(parseKept(from, owner));
}

function why(reading: KeptReading): string {
  return reading.kind === 'refused' ? reading.why : 'used';
}

test('comes back as it was kept', async () => {
  const content = await kept();
  const reading = await read(await text());
  if (reading.kind !== 'kept') {
    throw new Error(reading.why);
  }
  const { keptAtMs, content: found } = reading.kept;
  expect(keptAtMs).toBe(KEPT_AT_MS);
  expect(found.sessions).toEqual(content.sessions);
  expect(found.others).toEqual(content.others);
  expect(rows(found.tables)).toEqual(rows(content.tables));
  expect(Object.keys(rows(content.tables)).length).toBe(2);
  // Shared by reference, or a large table would need many times the memory.
  const paths = [...found.tables.shared.values()].flatMap((routes) => routes.paths);
  expect(new Set(paths.map(({ attributes }) => attributes)).size).toBeLessThan(paths.length);
});

test('every field of a session comes back, but for its password', async () => {
  const sessions = plan(
    peer('all', {
      localAs: 65_009,
      sourceAddress: address('2001:db8::9'),
      ebgpMultiHop: 3,
      remoteAs: 'external',
      password: 'the secret of the router',
      shutdown: true,
      gracefulRestart: { enabled: true, restartTimeSeconds: 7, longLivedStaleTimeSeconds: 8 },
    }),
    inView('plain', 'plain-9', { ttlSecurityHops: 1, families: [4, 6], addPath: { 4: false, 6: true } }),
  );
  const owner = { ...OWNER, asn: sessions.asn, routerId: sessions.routerId.text };
  const content = { ...(await kept()), sessions: keptSessions(sessions) };
  const written = [...encodeKept({ content, keptAtMs: KEPT_AT_MS }, owner)].join('');
  expect(written).not.toContain('secret');
  const reading = await read(written, owner);
  const [all, plain] = sessions.peers;
  expect(reading).toMatchObject({ kind: 'kept' });
  expect(reading.kind === 'kept' && reading.kept.content.sessions.peers).toEqual([
    { ...all, password: undefined, unresolved: true },
    { ...plain, unresolved: false },
  ]);
});

describe('is refused', () => {
  test.each<[string, Partial<KeptOwner>]>([
    ['it is of another pod', { uid: 'pod-2' }],
    ['it is of another build', { build: '1.0.1' }],
    ['the AS number or the router id is another one', { asn: 64_501 }],
    ['the AS number or the router id is another one', { routerId: '192.0.2.9' }],
  ])('%s: %j', async (says, owner) => {
    expect(why(await read(await text(), { ...OWNER, ...owner }))).toBe(says);
  });

  test.each<[string, (text: string) => string, string]>([
    ['an older format', (whole) => whole.replace('kept-table/1', 'kept-table/0'), 'it is of another format'],
    ['a number', () => '17\n', 'it is of another format'],
    ['nothing', () => '', 'it cannot be read'],
    ['what is no JSON', () => 'kept\n', 'it cannot be read'],
    ['more at its end', (whole) => `${whole}["t","x"]\n`, 'it is torn or was changed'],
    ['another next hop', (whole) => whole.replace('"10.0.0.1"', '"10.0.0.9"'), 'it is torn or was changed'],
    ['a line less', (whole) => whole.replace(/\["r".*\n/, ''), 'it is torn or was changed'],
  ])('%s', async (_name, change, says) => {
    expect(why(await read(change(await text())))).toContain(says);
  });

  test('wherever it is torn, and whatever octet is another one', async () => {
    const whole = await text();
    const at = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(at, fc.boolean(), async (place, isTorn) => {
        const other = whole[place] === 'x' ? 'y' : 'x';
        const changed = isTorn
          ? whole.slice(0, place)
          : whole.slice(0, place) + other + whole.slice(place + 1);
        expect((await read(changed)).kind).toBe('refused');
      }),
    );
  });
});
