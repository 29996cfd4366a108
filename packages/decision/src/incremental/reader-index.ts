// Node name -> keys of the Services that looked at the node. A node that changes reaches only those.

import type { PersistentMap } from '@herald/net';
import type { ServiceChange } from './index-change.ts';

export type ReaderIndex = PersistentMap<readonly string[]>;

export function indexReaders(index: ReaderIndex, changes: readonly ServiceChange[]): ReaderIndex {
  const touched = new Map<string, string[]>();
  for (const { key, before, after } of changes) {
    const left = before?.reads ?? [];
    const came = after?.reads ?? [];
    for (const node of without(left, came)) {
      const readers = draft(touched, index, node);
      readers.splice(readers.indexOf(key), 1);
    }
    for (const node of without(came, left)) {
      draft(touched, index, node).push(key);
    }
  }
  const entries = [...touched];
  return index.with(
    entries.filter(([, readers]) => readers.length > 0),
    entries.filter(([, readers]) => readers.length === 0).map(([node]) => node),
  );
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) {
    return names;
  }
  const known = new Set(others);
  return names.filter((name) => !known.has(name));
}

function draft(touched: Map<string, string[]>, index: ReaderIndex, node: string): string[] {
  let readers = touched.get(node);
  if (!readers) {
    readers = [...(index.get(node) ?? [])];
    touched.set(node, readers);
  }
  return readers;
}
