// docs/plan.md shows what `herald plan` really prints, and names every field of the document.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { advertisement, endpoints, node, peer, planned, planOf, SITE, siteWith, TOR_2 } from './scene.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
const TEXT = readFileSync(path('docs/plan.md'), 'utf8');

const EXAMPLES = Array.from(
  TEXT.matchAll(/^```console\n\$ herald plan (?<words>.*)\n(?<output>[^`]*)```$/gm),
  ({ groups }) => ({ words: groups?.['words'] ?? '', output: groups?.['output'] ?? '' }),
);

test('there are examples', () => {
  expect(EXAMPLES).toHaveLength(2);
});

test.for(EXAMPLES)('herald plan $words', async ({ words, output }) => {
  const [manifests = '', ...rest] = words
    .split(' ')
    .map((word) => (word.startsWith('-') ? word : path(word)));
  const options = rest.flatMap((word, i) => (word.startsWith('--') ? [[word.slice(2), rest[i + 1]]] : []));
  expect((await planned(manifests, Object.fromEntries(options))).output).toBe(output);
});

test('every field is named', async () => {
  const before = siteWith([peer('tor-2', { ...TOR_2, peerAddress: 'nonsense' })]);
  const after = siteWith([
    peer('tor-2', { ...TOR_2, peerAddress: '192.0.2.1' }),
    node('worker-3', '10.0.0.13'),
    endpoints('web', 'worker-1'),
    advertisement('default', { med: 5 }),
  ]);
  const documents = [await planOf(SITE), await planOf(after, before)];
  const named = new Set(Array.from(TEXT.matchAll(/\w+/g), ([word]) => word));
  expect([...new Set(documents.flatMap(fieldsOf))].filter((field) => !named.has(field))).toEqual([]);
});

function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(fieldsOf)];
}
