// The examples that people copy: every object in them is valid as a manifest, and so are the settings.

import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseSettings, projectObject } from '../src/index.ts';

const folder = new URL('../../../deploy/examples/', import.meta.url);

function filesIn(url: URL): string[] {
  return readdirSync(url).filter((name) => name.endsWith('.yaml'));
}

describe('the examples', () => {
  it.each(filesIn(folder))('%s is valid', (name) => {
    const documents = parseAllDocuments(readFileSync(new URL(name, folder), 'utf8'));
    const results = documents.map((document) => projectObject(document.toJS(), 'manifest'));
    expect(results.length).toBeGreaterThan(1);
    expect(results.map((result) => result?.ok)).toEqual(results.map(() => true));
    expect(results.flatMap((result) => result?.faults ?? [])).toEqual([]);
  });

  it.each(filesIn(new URL('settings/', folder)))('settings/%s is valid', (name) => {
    const text = readFileSync(new URL(`settings/${name}`, folder), 'utf8');
    expect(parseSettings(text, { podAddress: '10.0.0.7' })).toMatchObject({ ok: true, faults: [] });
  });
});
