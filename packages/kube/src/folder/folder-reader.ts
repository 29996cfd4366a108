// Keeps what is known of each manifest file current: looks at the files it is told to look at, reads those
// whose stamp changed, and decides by what they hold (manifest-content.ts) and whether they are still there.
//
// Missing data is not evidence: a file counts as deleted only when it is missing at two looks a little apart
// (editors remove a file before they write it), none of that below a directory that cannot be read, and not
// before `confirmMs` when the whole root was away or replaced.

import { readFile } from 'node:fs/promises';
import type { Fault, Service } from '@herald/api';
import { objectName, objectRef } from '../stores/object-set.ts';
import { manifestFault } from './manifest-fault.ts';
import { acceptText, type Acceptance, type Arrival, type ManifestContent } from './manifest-content.ts';
import { ManifestIndex, type IndexChange } from './manifest-index.ts';
import {
  batchesOf,
  fileLocation,
  identityOf,
  isAbsence,
  statIfThere,
  stampOf,
  type FolderWalk,
  type Stamp,
} from './walk-folder.ts';

export interface ReaderTimes {
  /** How far apart the two looks are between which a file must stay missing. */
  readonly missingMs: number;
  /** How long a file that may be half-written must be quiet before it is believed. */
  readonly settleMs: number;
  /** How long files must stay missing after the root itself was away. */
  readonly confirmMs: number;
}

/** What is left to look at again, and when at the earliest. */
export interface Recheck {
  readonly path: string;
  readonly afterMs: number;
}

type Found =
  | { readonly kind: 'text'; readonly stamp: Stamp; readonly text: string }
  | { readonly kind: 'unreadable'; readonly code: string };

interface Seen {
  readonly stamp: Stamp;
  readonly missingSinceMs: number | undefined;
  /** Set while the text may be half-written: the stamp it has, and since when it is quiet. */
  readonly unsettled: { readonly stamp: Stamp; readonly sinceMs: number } | undefined;
}

/** Waiting for the file system one file at a time takes most of a start. */
const READS_AT_ONCE = 32;

const NO_CHANGE: IndexChange = { objects: [], removed: [] };

/** Larger files are refused: they are no manifests, and reading them would stop everything else. */
const MAX_FILE_BYTES = 64n * 1024n * 1024n;

export class FolderReader {
  readonly #root: string;
  readonly #times: ReaderTimes;
  readonly #index = new ManifestIndex();
  readonly #seen = new Map<string, Seen>();
  readonly #ioFaults = new Map<string, Fault>();
  readonly #rechecks = new Map<string, number>();
  #shape: 'folder' | 'file' = 'folder';
  #rootIdentity = '';
  #rootReturnedAtMs = Number.NEGATIVE_INFINITY;
  #unreadable: readonly string[] = [];
  /** Of the last walk. */
  #rootFaults: Fault[] = [];

  constructor(root: string, times: ReaderTimes) {
    this.#root = root;
    this.#times = times;
  }

  faults(): Fault[] {
    const ofFiles = [...this.#ioFaults.values()];
    const said = new Set(ofFiles.map((found) => found.object));
    const ofWalk = this.#rootFaults.filter((found) => !said.has(found.object));
    return [...ofWalk, ...ofFiles, ...this.#index.faults()];
  }

  /** The Service as its manifest has it. */
  service(key: string): Service | undefined {
    const object = this.#index.find(objectName({ kind: 'Service', key }));
    return object?.kind === 'Service' ? object : undefined;
  }

  /** Takes the files that are waiting for another look. */
  takeRechecks(): Recheck[] {
    const rechecks = [...this.#rechecks].map(([path, afterMs]) => ({ path, afterMs }));
    this.#rechecks.clear();
    return rechecks;
  }

  /** Looks at every file that a walk found, and at every known one that it did not find. */
  async readAll(walk: FolderWalk, arrivals: ReadonlyMap<string, Arrival>): Promise<IndexChange> {
    this.#noteRoot(walk);
    if (walk.root === 'missing') {
      return NO_CHANGE;
    }
    const touched = [...this.#paths(walk)]
      .sort()
      .filter((path) => arrivals.has(path) || this.#isNews(path, walk.files.get(path)));
    return this.readFiles(touched, arrivals);
  }

  async readFiles(paths: Iterable<string>, arrivals: ReadonlyMap<string, Arrival>): Promise<IndexChange> {
    const changes: IndexChange[] = [];
    for (const batch of batchesOf([...paths], READS_AT_ONCE)) {
      const found = await Promise.all(batch.map((path) => this.#read(path)));
      for (const [i, path] of batch.entries()) {
        changes.push(await this.#takeIn(path, found[i], arrivals.get(path)));
      }
    }
    return mergeChanges(changes);
  }

  /** Whether a walk shows nothing but what has been read already. */
  isCurrent(walk: FolderWalk): boolean {
    const isSameRoot = walk.root === 'present' && walk.rootIdentity === this.#rootIdentity;
    const isReadable = walk.unreadable.length + this.#unreadable.length + this.#ioFaults.size === 0;
    const paths = isSameRoot && isReadable ? [...this.#paths(walk)] : [];
    return isSameRoot && isReadable && !paths.some((path) => this.#isNews(path, walk.files.get(path)));
  }

  #paths(walk: FolderWalk): Set<string> {
    return new Set([...walk.files.keys(), ...this.#index.paths(), ...this.#ioFaults.keys()]);
  }

  #isNews(path: string, stamp: Stamp | undefined): boolean {
    const seen = this.#seen.get(path);
    return stamp === undefined || seen?.stamp !== stamp || seen.missingSinceMs !== undefined;
  }

  #noteRoot(walk: FolderWalk): void {
    const isNew = this.#rootIdentity !== '' && walk.rootIdentity !== this.#rootIdentity;
    if (isNew) {
      this.#rootReturnedAtMs = performance.now();
    }
    this.#rootIdentity = walk.root === 'missing' ? 'missing' : walk.rootIdentity;
    this.#shape = walk.rootIdentity === 'file' ? 'file' : 'folder';
    this.#unreadable = walk.unreadable;
    this.#rootFaults = walk.unreadable.map((path) => unreadable(path, 'cannot be read'));
    if (walk.root === 'missing') {
      this.#rootFaults.push(unreadable(this.#root, 'is missing'));
    }
  }

  /** undefined when there is no such file. */
  async #read(path: string): Promise<Found | undefined> {
    try {
      const location = fileLocation(this.#root, path, this.#shape);
      const stats = await statIfThere(location);
      if (stats === undefined || !stats.isFile()) {
        return undefined;
      }
      if (stats.size > MAX_FILE_BYTES) {
        return { kind: 'unreadable', code: 'EFBIG' };
      }
      return { kind: 'text', stamp: stampOf(stats), text: await readFile(location, 'utf8') };
    } catch (error) {
      return isAbsence(error)
        ? undefined
        : { kind: 'unreadable', code: (error as NodeJS.ErrnoException).code ?? '' };
    }
  }

  async #takeIn(path: string, found: Found | undefined, arrival: Arrival | undefined): Promise<IndexChange> {
    if (found?.kind === 'unreadable') {
      this.#ioFaults.set(path, unreadable(path, `cannot be read (${found.code})`));
      return NO_CHANGE;
    }
    this.#ioFaults.delete(path);
    return found === undefined
      ? this.#lookAtMissing(path)
      : this.#take(path, found.stamp, found.text, arrival);
  }

  #take(path: string, stamp: Stamp, text: string, arrival: Arrival | undefined): IndexChange {
    const seen = this.#seen.get(path);
    const settled = this.#isSettled(seen, stamp);
    const previous = this.#index.content(path);
    const how = settled ? 'settled' : (arrival ?? arrivalOf(seen?.stamp, stamp));
    const result: Acceptance = acceptText(path, text, how, previous);
    if (result.kind === 'wait') {
      const sinceMs = seen?.unsettled?.stamp === stamp ? seen.unsettled.sinceMs : performance.now();
      const unsettled = { stamp, sinceMs };
      this.#seen.set(path, { stamp: seen?.stamp ?? '', missingSinceMs: undefined, unsettled });
      this.#rechecks.set(path, this.#times.settleMs);
      return NO_CHANGE;
    }
    this.#seen.set(path, { stamp, missingSinceMs: undefined, unsettled: undefined });
    return this.#accept(path, result.content, previous);
  }

  #accept(path: string, content: ManifestContent, previous: ManifestContent | undefined): IndexChange {
    return content === previous ? { objects: [], removed: [] } : this.#index.update(path, content);
  }

  #isSettled(seen: Seen | undefined, stamp: Stamp): boolean {
    const unsettled = seen?.unsettled;
    return unsettled?.stamp === stamp && performance.now() - unsettled.sinceMs >= this.#times.settleMs;
  }

  async #lookAtMissing(path: string): Promise<IndexChange> {
    const seen = this.#seen.get(path);
    if (seen === undefined || this.#isBelowUnreadable(path)) {
      return NO_CHANGE;
    }
    const now = performance.now();
    const since = seen.missingSinceMs ?? now;
    const confirmedAtMs = Math.max(
      since + this.#times.missingMs,
      this.#rootReturnedAtMs + this.#times.confirmMs,
    );
    if (now < confirmedAtMs) {
      this.#seen.set(path, { ...seen, missingSinceMs: since });
      this.#rechecks.set(path, confirmedAtMs - now);
      return NO_CHANGE;
    }
    // A root that is being removed loses its files first; the walk that it causes decides about them.
    if (!(await this.#isRootSame())) {
      return NO_CHANGE;
    }
    this.#seen.delete(path);
    return this.#index.update(path, undefined);
  }

  async #isRootSame(): Promise<boolean> {
    const stats = await statIfThere(this.#root);
    return stats !== undefined && identityOf(stats) === this.#rootIdentity;
  }

  #isBelowUnreadable(path: string): boolean {
    return this.#unreadable.some((above) => above === '' || path === above || path.startsWith(`${above}/`));
  }
}

function unreadable(path: string, rule: string): Fault {
  return manifestFault(path, '', `${rule}; what it held last stays`, 'Unreadable');
}

/** Without an event to tell: another inode was renamed into place, the same one was written to. */
function arrivalOf(before: Stamp | undefined, after: Stamp): Arrival {
  return before !== undefined && inodeOf(before) === inodeOf(after) ? 'written' : 'whole';
}

function inodeOf(stamp: Stamp): string {
  return stamp.split(':', 2).join(':');
}

/** Later changes win: an object may leave one file and stand in the next. */
function mergeChanges(changes: readonly IndexChange[]): IndexChange {
  const last = new Map<string, IndexChange>();
  for (const change of changes) {
    for (const object of change.objects) {
      last.set(objectName(objectRef(object)), { objects: [object], removed: [] });
    }
    for (const ref of change.removed) {
      last.set(objectName(ref), { objects: [], removed: [ref] });
    }
  }
  const merged = [...last.values()];
  return {
    objects: merged.flatMap((change) => change.objects),
    removed: merged.flatMap((change) => change.removed),
  };
}
