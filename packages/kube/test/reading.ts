// A folder with a reader on it and no watch: a test says when it is looked at and how much time passes.

import { utimes, writeFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { FolderReader } from '../src/folder/folder-reader.ts';
import type { Arrival } from '../src/folder/manifest-content.ts';
import { walkFolder } from '../src/folder/walk-folder.ts';
import type { ObjectSet } from '../src/stores/object-set.ts';
import { Stores } from '../src/stores/stores.ts';
import { folder, type Folder } from './manifests.ts';

const TIMES = { missingMs: 20, settleMs: 250, confirmMs: 5000 };
/** Longer than all of them. */
const LATER_MS = 10_000;

export interface Reading extends AsyncDisposable {
  readonly at: Folder;
  readonly reader: FolderReader;
  snapshot(): ObjectSet;
  /** How many new snapshots there were. */
  signals(): number;
  /** Written in place, with a modification time of its own however fast tests are. */
  write(name: string, text: string | Uint8Array): Promise<void>;
  /** Looks at everything. */
  look(arrivals?: Readonly<Record<string, Arrival>>): Promise<void>;
  /** Lets time pass and looks at what waits for it, until nothing does. */
  later(ms?: number): Promise<void>;
  services(): string[];
  faults(): string[];
}

export async function reading(files: Readonly<Record<string, string>> = {}): Promise<Reading> {
  const at = await folder(files);
  const reader = new FolderReader(at.root, TIMES);
  const stores = new Stores();
  let nowMs = 1_000_000;
  let writes = 0;
  let signals = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  stores.onChange(() => signals++);
  const look = async (arrivals: Readonly<Record<string, Arrival>> = {}): Promise<void> => {
    const change = await reader.readAll(await walkFolder(at.root), new Map(Object.entries(arrivals)));
    stores.apply(change.objects, change.removed);
  };
  const later = async (ms = LATER_MS): Promise<void> => {
    nowMs += ms;
    const paths = reader.takeRechecks().map(({ path }) => path);
    const change = await reader.readFiles(paths, new Map());
    stores.apply(change.objects, change.removed);
  };
  await look();
  signals = 0;
  return {
    at,
    reader,
    snapshot: () => stores.snapshot(),
    signals: () => signals,
    write: async (name, text) => {
      await writeFile(at.path(name), text);
      await utimes(at.path(name), 1000, ++writes);
    },
    look,
    later,
    services: () => [...stores.snapshot().services.keys()].map((key) => key.replace('default/', '')).sort(),
    faults: () => reader.faults().map((fault) => fault.message),
    [Symbol.asyncDispose]: async () => {
      clock.mockRestore();
      await at[Symbol.asyncDispose]();
    },
  };
}
