// Secret object -> Secret with its values decoded. No fault ever quotes a value. A key whose value is not
// base64 of UTF-8 text is left out and said; the other keys stay usable.

import { accepted, refused, type Parsed } from '@herald/net';
import type { Projected } from '../fault.ts';
import { secretData, type Secret } from '../model/secret.ts';
import { Reading } from './reading.ts';
import { record, text, textMap } from './untrusted.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function projectSecret(object: unknown): Projected<Secret> {
  const reading = new Reading('Secret', object);
  const { type, data, stringData } = record(object);
  const decoded = Object.entries(record(data)).flatMap(([key, source]) => decodedEntry(key, source, reading));
  // The API server merges stringData over data; only manifests have it.
  const entries = [...decoded, ...Object.entries(textMap(stringData))];
  return reading.finish({
    kind: 'Secret',
    ...reading.meta,
    type: text(type) ?? 'Opaque',
    data: secretData(entries),
  });
}

function decodedEntry(key: string, source: unknown, reading: Reading): [string, string][] {
  const value = reading.take(`data[${JSON.stringify(key)}]`, decode(source), 'SecretInvalid');
  return value === undefined ? [] : [[key, value]];
}

function decode(source: unknown): Parsed<string> {
  try {
    // Throws for what is no string, too.
    return accepted(utf8.decode(Uint8Array.fromBase64(source as string)));
  } catch {
    return refused('the value is not base64 of UTF-8 text');
  }
}
