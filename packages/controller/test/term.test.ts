import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { loadTerm, newTerm } from '../src/term.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);

describe('a new term', () => {
  test.for([
    { what: 'counts seconds since 2026', known: 0, nowMs: EPOCH_MS + 5_999, term: 5 },
    {
      what: 'is one more than the last where the clock is behind it',
      known: 90,
      nowMs: EPOCH_MS + 5_000,
      term: 91,
    },
    { what: 'is at least 1 on a machine without a clock', known: 0, nowMs: 0, term: 1 },
  ])('$what', ({ known, nowMs, term }) => {
    expect(newTerm(known, nowMs)).toBe(term);
  });

  test('never goes back, whatever the clock does', () => {
    const clock = fc.array(fc.integer({ min: 0, max: EPOCH_MS * 2 }), { maxLength: 30 });
    fc.assert(
      fc.property(clock, (times) => {
        let last = 0;
        for (const nowMs of times) {
          const term = newTerm(last, nowMs);
          expect(term).toBeGreaterThan(last);
          last = term;
        }
      }),
    );
  });
});

describe('the kept term', () => {
  let base = '';
  let stateDir = '';

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'herald-term-'));
    stateDir = join(base, 'state');
  });

  afterEach(() => rm(base, { recursive: true, force: true }));

  test('is begun once and then read back, also when the clock has gone on or back', async () => {
    const first = await loadTerm(stateDir, EPOCH_MS + 1_000_000);
    expect(first).toBe(1000);
    expect(await loadTerm(stateDir, EPOCH_MS + 9_000_000)).toBe(first);
    expect(await loadTerm(stateDir, 0)).toBe(first);
  });

  test('is for nobody else to read', async () => {
    await loadTerm(stateDir, EPOCH_MS);
    expect((await stat(join(stateDir, 'term'))).mode & 0o777).toBe(0o600);
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
  });

  test.for(['', 'garbage', '-5', '1.5', '1e99', '0'])(
    'is begun anew where the file says %j',
    async (text) => {
      await loadTerm(stateDir, EPOCH_MS);
      await writeFile(join(stateDir, 'term'), text);
      expect(await loadTerm(stateDir, EPOCH_MS + 7_000)).toBe(7);
      expect(await readFile(join(stateDir, 'term'), 'utf8')).toBe('7\n');
    },
  );

  test('that is there but cannot be read is not replaced by a new one', async () => {
    await mkdir(join(stateDir, 'term'), { recursive: true });
    await expect(loadTerm(stateDir, EPOCH_MS)).rejects.toThrow(/EISDIR/);
    expect((await stat(join(stateDir, 'term'))).isDirectory()).toBe(true);
  });

  test('fails aloud where it cannot be kept', async () => {
    await writeFile(stateDir, 'a file where the folder should be');
    await expect(loadTerm(stateDir, EPOCH_MS)).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});
