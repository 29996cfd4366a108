// Watches directories and collects what happened into batches: which files were touched and how, and
// whether names came or went that only a new walk can explain. A batch is handed out when it has been quiet
// for a few milliseconds, at the latest after `maxDelayMs`, so that a save is seen as one change.
//
// One inotify watch a directory, through fs.watch: it reports `change` for writes into a file and `rename`
// for names that came or went, so a file renamed into place shows as `rename` alone. Watching that fails is
// reported and nothing else: the source looks at everything again every few seconds anyway.

import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isManifestName, isPassedOver } from './walk-folder.ts';

export interface WatchBatch {
  /** A walk is needed. */
  readonly walk: boolean;
  /** Absolute paths of manifest files; `written` when there were writes to the file itself. */
  readonly touched: ReadonlyMap<string, 'whole' | 'written'>;
}

export interface WatchTimes {
  readonly quietMs: number;
  readonly maxDelayMs: number;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

export class FolderWatch {
  readonly #onBatch: (batch: WatchBatch) => void;
  readonly #times: WatchTimes;
  readonly #watched = new Map<string, Watched>();
  #touched = new Map<string, 'whole' | 'written'>();
  #walk = false;
  #timer: NodeJS.Timeout | undefined;
  #firstAtMs = 0;
  #problem = '';

  constructor(onBatch: (batch: WatchBatch) => void, times: WatchTimes) {
    this.#onBatch = onBatch;
    this.#times = times;
  }

  /** Why some directory is not watched, or ''. */
  get problem(): string {
    return this.#problem;
  }

  /** Watches exactly these directories and, for its coming and going, the name of the root in its parent. */
  watch(root: string, directories: ReadonlyMap<string, string>): 'grown' | 'unchanged' {
    this.#problem = '';
    const parent = dirname(root);
    this.#dropOthers(parent, directories);
    const before = this.#watched.size;
    this.#add(parent, 'parent', (name) => name === basename(root));
    for (const [path, identity] of directories) {
      this.#add(path, identity, () => true);
    }
    return this.#watched.size > before ? 'grown' : 'unchanged';
  }

  /** Whether exactly these directories are watched, and the parent of the root. */
  isWatching(directories: ReadonlyMap<string, string>): boolean {
    const isSame = this.#watched.size === directories.size + 1;
    return (
      isSame && [...directories].every(([path, identity]) => this.#watched.get(path)?.identity === identity)
    );
  }

  #dropOthers(parent: string, directories: ReadonlyMap<string, string>): void {
    for (const [path, { watcher, identity }] of this.#watched) {
      const wanted = path === parent ? 'parent' : directories.get(path);
      if (wanted !== identity) {
        watcher.close();
        this.#watched.delete(path);
      }
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watched.values()) {
      watcher.close();
    }
    this.#watched.clear();
  }

  #add(path: string, identity: string, concerns: (name: string | null) => boolean): void {
    if (this.#watched.has(path)) {
      return;
    }
    try {
      const watcher = watch(path, (event, name) => {
        if (concerns(name)) {
          this.#note(path, event, name);
        }
      });
      watcher.on('error', () => this.#lose(path));
      this.#watched.set(path, { watcher, identity });
    } catch (error) {
      this.#problem = `${path}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`;
    }
  }

  #lose(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
    this.#walk = true;
    this.#schedule();
  }

  #note(directory: string, event: 'rename' | 'change', name: string | null): void {
    if (name !== null && isManifestName(name)) {
      const path = join(directory, name);
      const written = event === 'change' || this.#touched.get(path) === 'written';
      this.#touched.set(path, written ? 'written' : 'whole');
      this.#schedule();
    } else if (needsWalk(event, name) && this.#isDirectoryNews(directory, name)) {
      this.#walk = true;
      this.#schedule();
    }
  }

  /** Whoever replaces files atomically makes one of another name first, which is no reason to look at all of them. */
  #isDirectoryNews(directory: string, name: string | null): boolean {
    if (name === null || name.startsWith('..') || this.#watched.get(directory)?.identity === 'parent') {
      return true;
    }
    const path = join(directory, name);
    return this.#watched.has(path) || mayBeDirectory(path);
  }

  #schedule(): void {
    const now = performance.now();
    this.#firstAtMs = this.#timer === undefined ? now : this.#firstAtMs;
    clearTimeout(this.#timer);
    const left = this.#firstAtMs + this.#times.maxDelayMs - now;
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, Math.min(this.#times.quietMs, left)));
  }

  #flush(): void {
    const batch = { walk: this.#walk, touched: this.#touched };
    this.#timer = undefined;
    this.#walk = false;
    this.#touched = new Map();
    this.#onBatch(batch);
  }
}

/** A directory that came or went, or a ConfigMap's `..data` that was swapped; not an editor's own file. */
function needsWalk(event: 'rename' | 'change', name: string | null): boolean {
  return name === null || (event === 'rename' && (name.startsWith('..') || !isPassedOver(name)));
}

/** False for what is gone again: had it been a directory that was known, it would be watched. */
function mayBeDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return true;
  }
}
