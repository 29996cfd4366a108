// Reads a folder or a single file (a dump) once, for decisions that are made offline. The same rules as for
// a watched folder, but without anything to fall back to: what cannot be read is a fault and is missing.

import { resolve } from 'node:path';
import type { Fault } from '@herald/api';
import { emptyObjectSet, type ObjectSet } from '../stores/object-set.ts';
import { withObjects } from '../stores/stores.ts';
import { FolderReader } from './folder-reader.ts';
import { walkFolder } from './walk-folder.ts';

export interface FolderContent {
  readonly objects: ObjectSet;
  readonly faults: readonly Fault[];
}

export async function readFolder(path: string): Promise<FolderContent> {
  const root = resolve(path);
  const reader = new FolderReader(root, { missingMs: 0, settleMs: 0, confirmMs: 0 });
  const change = await reader.readAll(await walkFolder(root), new Map());
  return { objects: withObjects(emptyObjectSet, change.objects), faults: reader.faults() };
}
