// A certificate that is replaced while it is in use: what is handed on, and what is only said.

import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Certificate } from '../src/certificate.ts';
import { KeyPairFolder, replace, type KeyPairFiles } from './key-pair.ts';

const folder = new KeyPairFolder();
const NEVER_MS = 2 ** 30;
let one: KeyPairFiles;
let two: KeyPairFiles;
beforeAll(() => {
  one = folder.make('one');
  two = folder.make('two');
});
afterAll(() => folder.remove());

const open: Certificate[] = [];
afterEach(() => open.splice(0).forEach((certificate) => certificate.close()));

async function opened(everyMs = NEVER_MS) {
  const files = await folder.copy('used', one);
  const changes: string[] = [];
  const problems: string[] = [];
  const changed = Promise.withResolvers<void>();
  const events = {
    onChange: ({ cert }: { cert: string }) => {
      changes.push(cert);
      changed.resolve();
    },
    onProblem: (problem: string) => void problems.push(problem),
  };
  const certificate = await Certificate.open(files, events, everyMs);
  open.push(certificate);
  return { files, certificate, changes, problems, changed: changed.promise };
}

describe('a certificate', () => {
  it('that is the same is not handed on', async () => {
    const { certificate, changes } = await opened();
    await certificate.look();
    expect([certificate.pair.cert, changes]).toEqual([await readFile(one.certificate, 'utf8'), []]);
  });

  it('that was replaced is handed on once', async () => {
    const { files, certificate, changes, problems } = await opened();
    await replace(files, two);
    await certificate.look();
    await certificate.look();
    const text = await readFile(two.certificate, 'utf8');
    expect([certificate.pair.cert, changes, problems]).toEqual([text, [text], []]);
  });

  it('is looked at by itself', async () => {
    const { files, changes, changed } = await opened(5);
    await replace(files, two);
    await changed;
    expect(changes).toEqual([await readFile(two.certificate, 'utf8')]);
  });

  it.each<[string, (files: KeyPairFiles) => Promise<void>, RegExp]>([
    ['without its key', (files) => copyFile(two.certificate, files.certificate), /not a usable pair/],
    ['half written', (files) => writeFile(files.certificate, '-----BEGIN CERT'), /not a usable pair/],
    ['gone', (files) => rm(files.certificate), /used\.crt cannot be read/],
    ['whose key is gone', (files) => rm(files.key), /used\.key cannot be read/],
  ])('%s leaves the last good one in use, is said once, and mends', async (_, spoil, sentence) => {
    const { files, certificate, changes, problems } = await opened();
    const before = certificate.pair;
    await spoil(files);
    await certificate.look();
    await certificate.look();
    expect(certificate.pair).toBe(before);
    expect([changes, problems]).toEqual([[], [expect.stringMatching(sentence)]]);
    await replace(files, two);
    await certificate.look();
    expect(changes).toHaveLength(1);
    await rm(files.key);
    await certificate.look();
    expect(problems).toHaveLength(2);
  });
});

describe('to begin with', () => {
  const events = { onChange: () => undefined, onProblem: () => undefined };

  it.each<[string, () => KeyPairFiles, RegExp]>([
    [
      'no certificate',
      () => ({ ...one, certificate: join(folder.path, 'no.crt') }),
      /no\.crt cannot be read/,
    ],
    ['no key', () => ({ ...one, key: join(folder.path, 'no.key') }), /no\.key cannot be read/],
    ['the key of another', () => ({ ...one, key: two.key }), /not a usable pair/],
    ['a key for a certificate', () => ({ ...one, certificate: one.key }), /not a usable pair/],
  ])('%s is refused in a sentence without a secret', async (_, files, sentence) => {
    const failure = await Certificate.open(files(), events, NEVER_MS).catch((error: unknown) =>
      String(error),
    );
    expect(failure).toMatch(sentence);
    expect(failure).not.toContain('BEGIN');
  });
});
