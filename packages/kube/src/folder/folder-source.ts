// The folder as a source: manifests in a directory, watched, become snapshots of projected objects. One run
// at a time takes what the watch reported, or walks everything (at the start, when directories change, and
// every few seconds as a net under the watch), and applies the result to the stores at once.
//
// Nothing that goes wrong here withdraws anything: it is kept as a fault and the last good state stays.

import { join, relative, resolve } from 'node:path';
import type { Fault } from '@herald/api';
import type { AddressWrite, AddressWriter, Source } from '../source.ts';
import type { Unsubscribe } from '../stores/change-signal.ts';
import { objectRef, type KubeObject, type ObjectSet } from '../stores/object-set.ts';
import { Stores } from '../stores/stores.ts';
import { FolderReader, type ReaderTimes } from './folder-reader.ts';
import type { Arrival } from './manifest-content.ts';
import { manifestFault } from './manifest-fault.ts';
import type { IndexChange } from './manifest-index.ts';
import { knownArrivals, PendingWork, type Work } from './pending-work.ts';
import { StatusOverlay } from './status-overlay.ts';
import { walkFolder, type FolderWalk } from './walk-folder.ts';
import { FolderWatch, type WatchBatch, type WatchTimes } from './watch-folder.ts';

export interface FolderTimes extends ReaderTimes, WatchTimes {
  /** How often everything is looked at, whatever the watch says. */
  readonly rescanMs: number;
}

export interface FolderOptions {
  readonly path: string;
  /** Where given addresses are kept; made when it is missing. */
  readonly stateDir: string;
  readonly times?: Partial<FolderTimes>;
}

/** The quiet time sees a save (truncate, write, close) as one; the rest is explained where it is used. */
const TIMES: FolderTimes = {
  quietMs: 4,
  maxDelayMs: 20,
  missingMs: 20,
  settleMs: 250,
  confirmMs: 5000,
  rescanMs: 5000,
};

/** Directories that come faster than they can be walked are caught by the watch on their parents. */
const MAX_ROUNDS = 4;

export class FolderSource implements Source, AddressWriter {
  readonly #root: string;
  readonly #times: FolderTimes;
  readonly #stores = new Stores();
  readonly #reader: FolderReader;
  readonly #watch: FolderWatch;
  readonly #overlay: StatusOverlay;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #faults = new Map<string, Fault>();
  readonly #pending = new PendingWork();
  #running: Promise<void> | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #freshAtMs = 0;
  #saidFaults = '[]';
  #closed = false;

  constructor(options: FolderOptions) {
    this.#root = resolve(options.path);
    this.#times = { ...TIMES, ...options.times };
    this.#reader = new FolderReader(this.#root, this.#times);
    this.#watch = new FolderWatch((batch) => this.#take(batch), this.#times);
    this.#overlay = new StatusOverlay(join(options.stateDir, 'addresses.json'));
  }

  /** Resolves when everything that is there has been read, or the folder was found missing. */
  async start(): Promise<void> {
    const book = await this.#overlay.load();
    if (this.#closed) {
      return;
    }
    this.#setFault('addresses', book.ok ? undefined : manifestFault(this.#overlay.path, '', book.problem));
    this.#rescan = setInterval(() => void this.#lookAgain(), this.#times.rescanMs);
    await this.#request({ walk: true, arrivals: new Map() });
  }

  /** The net under the watch. It stands beside the runs, so that no change has to wait while all files are looked at. */
  async #lookAgain(): Promise<void> {
    const walk = await walkFolder(this.#root).catch(() => undefined);
    if (walk !== undefined && this.#isCurrent(walk)) {
      this.#freshAtMs = Date.now();
    } else {
      await this.#request({ walk: true, arrivals: new Map() });
    }
  }

  #isCurrent(walk: FolderWalk): boolean {
    const isWatched = this.#watch.isWatching(walk.directories);
    return isWatched && this.#reader.isCurrent(walk) && !this.#overlay.isForgetting;
  }

  snapshot(): ObjectSet {
    return this.#stores.snapshot();
  }

  get synced(): boolean {
    return this.#stores.synced;
  }

  get freshAtMs(): number {
    return this.#freshAtMs;
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#stores.onChange(listener);
  }

  faults(): readonly Fault[] {
    return [...this.#faults.values(), ...this.#reader.faults()];
  }

  async applyAllocations(writes: readonly AddressWrite[]): Promise<void> {
    const { services: shown } = this.snapshot();
    const current = writes.filter(({ serviceKey, decidedFrom }) => shown.get(serviceKey) === decidedFrom);
    const changed = await this.#overlay.apply(current, (key) => this.#reader.service(key));
    const services = changed
      .map((key) => this.#reader.service(key))
      .filter((service) => service !== undefined);
    this.#stores.apply(services.map((service) => this.#overlay.shown(service)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#rescan);
    this.#watch.close();
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
    await this.#running;
  }

  #take(batch: WatchBatch): void {
    const arrivals = new Map<string, Arrival>();
    for (const [path, arrival] of batch.touched) {
      arrivals.set(relative(this.#root, path), arrival);
    }
    // The root itself came, went, or is a single file.
    const walk = batch.walk || arrivals.has('');
    void this.#request({ walk, arrivals });
  }

  async #request(work: Work): Promise<void> {
    if (this.#closed) {
      return;
    }
    this.#pending.add(work);
    this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (!this.#closed && !this.#pending.isEmpty) {
      await this.#runSafely(this.#pending.take());
    }
    this.#running = undefined;
  }

  async #runSafely(work: Work): Promise<void> {
    try {
      await this.#run(work);
      this.#setFault('run', undefined);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      this.#setFault('run', manifestFault(this.#root, '', `could not be read (${code})`, 'Unreadable'));
    }
    this.#scheduleRechecks();
    this.#sayFaults();
  }

  async #run(work: Work): Promise<void> {
    const arrivals = knownArrivals(work);
    const change = work.walk
      ? await this.#readAll(arrivals)
      : await this.#reader.readFiles(work.arrivals.keys(), arrivals);
    const isStart = !this.#stores.synced;
    this.#stores.apply(
      change.objects.map((object) => this.#shown(object)),
      change.removed,
    );
    // A folder that has never been there is no empty folder.
    if (this.#freshAtMs > 0) {
      this.#stores.markSynced();
    }
    await this.#forgetGone(isStart && this.#stores.synced ? this.#overlay.keys() : [], change);
  }

  async #readAll(arrivals: ReadonlyMap<string, Arrival>): Promise<IndexChange> {
    const walk = await this.#walkAndWatch();
    if (walk.root === 'present') {
      this.#freshAtMs = Date.now();
    }
    return this.#reader.readAll(walk, arrivals);
  }

  /** Walks again until no directory was added to the watch, so that nothing falls between the two. */
  async #walkAndWatch(): Promise<FolderWalk> {
    let walk = await walkFolder(this.#root);
    for (let round = 0; round < MAX_ROUNDS && !this.#closed; round++) {
      if (this.#watch.watch(this.#root, walk.directories) === 'unchanged') {
        break;
      }
      walk = await walkFolder(this.#root);
    }
    const problem = this.#watch.problem;
    const rule = `is not watched (${problem}); changes are seen every ${this.#times.rescanMs} ms only`;
    this.#setFault('watch', problem === '' ? undefined : manifestFault(this.#root, '', rule, 'Unreadable'));
    return walk;
  }

  #shown(object: KubeObject): KubeObject {
    return object.kind === 'Service' ? this.#overlay.shown(object) : object;
  }

  /**
   * Behind everything else: a state file that cannot be written keeps no change back. Of all `kept` ones at the start
   * only if nothing is wrong, because an unreadable file may hold Services that have addresses.
   */
  async #forgetGone(kept: readonly string[], { removed, objects }: IndexChange): Promise<void> {
    const known = this.#reader.faults().length === 0 ? kept : [];
    const touched = [...removed, ...objects.map(objectRef)].filter(({ kind }) => kind === 'Service');
    const keys = [...known, ...touched.map(({ key }) => key)];
    const code = await this.#overlay
      .forget(keys, (key) => this.#reader.service(key))
      .then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code ?? error.name,
      );
    const rule = `could not be written (${code}); addresses of Services that are gone are kept until it can be`;
    const fault = manifestFault(this.#overlay.path, '', rule, 'Unreadable');
    this.#setFault('forget', code === undefined ? undefined : fault);
  }

  #scheduleRechecks(): void {
    if (this.#closed) {
      return;
    }
    for (const { path, afterMs } of this.#reader.takeRechecks()) {
      clearTimeout(this.#timers.get(path));
      const timer = setTimeout(() => {
        this.#timers.delete(path);
        void this.#request({ walk: false, arrivals: new Map([[path, undefined]]) });
      }, Math.ceil(afterMs));
      this.#timers.set(path, timer);
    }
  }

  #setFault(name: string, fault: Fault | undefined): void {
    if (fault === undefined) {
      this.#faults.delete(name);
    } else {
      this.#faults.set(name, fault);
    }
  }

  #sayFaults(): void {
    const faults = JSON.stringify(this.faults());
    if (faults !== this.#saidFaults) {
      this.#saidFaults = faults;
      this.#stores.raise();
    }
  }
}
