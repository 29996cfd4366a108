// Reading JSON that somebody else wrote: each function gives a value of the type it names, or the absence
// of one, whatever it is handed. Nothing here throws, and nothing here reports: core objects were checked
// by the API server, so a wrong type means "not there".

import type { Labels } from '../model/meta.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

const NOTHING: JsonRecord = {};
const NO_ITEMS: readonly unknown[] = [];

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty record for anything else. */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : NOTHING;
}

/** An empty list for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** The entries whose value is a string; the same object when those are all it has. */
export function textMap(value: unknown, keep: (key: string, value: string) => boolean = () => true): Labels {
  const source = record(value);
  const entries = Object.entries(source);
  const kept = entries.filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && keep(entry[0], entry[1]),
  );
  return kept.length === entries.length ? (source as Labels) : Object.fromEntries(kept);
}

export function oneOf<const T extends string>(value: unknown, words: readonly T[]): T | undefined {
  return words.find((word) => word === value);
}
