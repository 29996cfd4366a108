// When the file is written: some moments after a change, not again for a while, not while nothing changed, and never
// with what a stale replica decides.

import type { Decided } from '@herald/decision';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { KeptKeeper, type Newest } from '../../src/kept/kept-keeper.ts';
import type { KeptFile } from '../../src/kept/kept-file.ts';
import { collectedLog } from '../collected-log.ts';
import { decided, OWNER, SCENE } from './kept-scene.ts';

const SETTLE_MS = 500;
const FIRST_MS = 5000;
const INTERVAL_MS = 10_000;
const CONFIRM_MS = 30_000;

class PretendedFile {
  readonly texts: string[] = [];
  readonly confirmed: number[] = [];
  broken = false;

  write(pieces: Iterable<string>): Promise<void> {
    if (this.broken) {
      return Promise.reject(new Error('no space'));
    }
    this.texts.push([...pieces].join(''));
    return Promise.resolve();
  }

  confirm(nowMs: number): Promise<void> {
    this.confirmed.push(nowMs);
    return Promise.resolve();
  }
}

const [FIRST, SECOND] = [decided(), decided({ ...SCENE, services: { web: { on: 'c' } } })];

let file: PretendedFile;
let keeper: KeptKeeper;
let lines: ReturnType<typeof collectedLog>['lines'];

beforeEach(() => {
  vi.useFakeTimers();
  const { logger, lines: found } = collectedLog();
  lines = found;
  file = new PretendedFile();
  keeper = new KeptKeeper({ file: file as unknown as KeptFile, owner: OWNER, place: { ordinal: 1 }, logger });
});
afterEach(async () => {
  await keeper.close();
  vi.useRealTimers();
});

function newest({ decision, memory }: Decided, changes: Partial<Newest> = {}): Newest {
  return { decision, memory, others: [], stale: false, ...changes };
}

async function pass(ms: number): Promise<number> {
  await vi.advanceTimersByTimeAsync(ms);
  return file.texts.length;
}

test('the first decisions are written when the table itself had its time', async () => {
  for (let index = 0; index < 100; index++) {
    keeper.keep(newest(index % 2 === 0 ? SECOND : FIRST));
  }
  expect(await pass(FIRST_MS - 1)).toBe(0);
  expect(await pass(1)).toBe(1);
  expect(file.texts[0]).toContain('203.0.113.3/32');
});

test('a burst after a quiet time is written once, soon', async () => {
  await pass(INTERVAL_MS);
  for (let index = 0; index < 100; index++) {
    keeper.keep(newest(index % 2 === 0 ? SECOND : FIRST));
  }
  expect(await pass(SETTLE_MS - 1)).toBe(0);
  expect(await pass(1)).toBe(1);
});

test('what goes on changing is written now and then, the newest at last', async () => {
  for (let index = 0; index < 250; index++) {
    keeper.keep(newest(index % 2 === 0 ? FIRST : SECOND));
    await pass(100);
  }
  expect(file.texts.length).toBe(3);
  await pass(INTERVAL_MS);
  expect(file.texts.at(-1)).not.toContain('203.0.113.3/32');
});

test('what did not change is not written again, but confirmed', async () => {
  keeper.keep(newest(FIRST));
  await pass(FIRST_MS);
  keeper.keep(newest(FIRST));
  expect(await pass(2 * CONFIRM_MS)).toBe(1);
  expect(file.confirmed.length).toBe(2);
});

test.each<[string, Partial<Newest>]>([
  ['other replicas', { others: ['http://192.0.2.7:8443'] }],
  ['sessions', { decision: { ...FIRST.decision, sessions: { ...FIRST.decision.sessions } } }],
])('%s count as a change', async (_name, changes) => {
  keeper.keep(newest(FIRST));
  await pass(FIRST_MS);
  keeper.keep(newest(FIRST, changes));
  expect(await pass(INTERVAL_MS)).toBe(2);
});

test('what a stale replica decides is neither kept nor confirmed, until it is fresh again', async () => {
  keeper.keep(newest(FIRST));
  await pass(FIRST_MS);
  keeper.keep(newest(SECOND, { stale: true }));
  expect(await pass(2 * CONFIRM_MS)).toBe(1);
  expect(file.confirmed).toEqual([]);
  keeper.keep(newest(SECOND));
  expect(await pass(INTERVAL_MS)).toBe(2);
});

test('a disk that is full is said once and tried again', async () => {
  file.broken = true;
  keeper.keep(newest(FIRST));
  expect(await pass(FIRST_MS + 2 * INTERVAL_MS)).toBe(0);
  expect(lines.filter(({ event }) => event === 'table-not-kept')).toHaveLength(1);
  file.broken = false;
  expect(await pass(INTERVAL_MS)).toBe(1);
});

test('at the end what is owed is written', async () => {
  keeper.keep(newest(FIRST));
  await keeper.close();
  expect(file.texts).toHaveLength(1);
});
