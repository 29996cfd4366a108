// The file of the kept table on a real disk: for nobody else to read, whole or not at all.

import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { KeptFile } from '../../src/kept/kept-file.ts';

let folder = '';
let state = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-kept-'));
  state = join(folder, 'state');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function* pieces(count: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    yield `piece ${index} of many\n`;
  }
}

test('is not there before it was written', async () => {
  expect(await new KeptFile(state).read()).toBeUndefined();
});

test.each([1, 20_000])('of %d pieces is what was written, and for nobody else', async (count) => {
  const file = new KeptFile(state);
  await file.write(pieces(count));
  expect((await file.read())?.text).toBe([...pieces(count)].join(''));
  expect((await stat(join(state, 'kept-table'))).mode & 0o777).toBe(0o600);
  expect(await readdir(state)).toEqual(['kept-table']);
});

test('stays as it was when a new one cannot be made whole', async () => {
  const file = new KeptFile(state);
  await file.write(pieces(2));
  const broken = function* (): Generator<string> {
    yield* pieces(1);
    throw new Error('no more');
  };
  await expect(file.write(broken())).rejects.toThrow('no more');
  expect((await file.read())?.text).toBe([...pieces(2)].join(''));
});

test('is for nobody else even where a draft was left that is', async () => {
  const file = new KeptFile(state);
  await file.write(pieces(1));
  await writeFile(join(state, 'kept-table.new'), 'left');
  await chmod(join(state, 'kept-table.new'), 0o644);
  await file.write(pieces(2));
  expect((await stat(join(state, 'kept-table'))).mode & 0o777).toBe(0o600);
});

test('says when it was confirmed last', async () => {
  const file = new KeptFile(state);
  await file.write(pieces(1));
  await file.confirm(1_700_000_000_000);
  expect((await file.read())?.confirmedAtMs).toBe(1_700_000_000_000);
});
