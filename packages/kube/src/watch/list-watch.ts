// Follows one collection of the API for as long as the process lives: fill (a streamed or a paged list),
// then watch from there; after every failure a pause, then on from the last known version, or from a new
// list where that version is of no use. Whoever keeps the objects hears of whole lists and of changes.
//
// Nothing that goes wrong here removes an object. Only three things do: an event that says so, a list that
// lacks it, and where the list is suspect, a second one that lacks it too.

import { setTimeout as sleep } from 'node:timers/promises';
import { eventError } from '../transport/api-error.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import type { Contact } from '../transport/contact.ts';
import { Backoff } from './backoff.ts';
import type { Collection, Keeper, Trouble } from './collection.ts';
import { Currency } from './currency.ts';
import { ENDS_EARLY, isMissingKind, isNotUnderstood, judgeFailure } from './follow-trouble.ts';
import { SafeKeeper } from './keep-safely.ts';
import { currentVersion, listCollection, type ListClient, type Listing } from './paged-list.ts';
import { runsBackwards } from './resource-version.ts';
import { isSuspect } from './suspect-list.ts';
import { WatchLimit } from './watch-limit.ts';
import { WatchProgress, type Step } from './watch-progress.ts';
import { watchBatches, watchRequest, type WatchClient } from './watch-stream.ts';
import { isEarly, secondsOfWatch, type WatchTimes } from './watch-times.ts';

export interface FollowClient extends ListClient, WatchClient {
  readonly contact: Contact;
}

export interface ListWatchOptions<T> {
  readonly client: FollowClient;
  readonly collection: Collection<T>;
  readonly keeper: Keeper<T>;
  readonly times: WatchTimes;
  readonly random: () => number;
  /** `filled` or `trouble` changed. */
  readonly onNotice: () => void;
}

/** Two answers that a kind does not exist, apart from each other, before a start goes on without it. */
const MISSING_ANSWERS = 2;
/** Watches that end early in a row before it is said. */
const EARLY_ENDS = 3;

export class ListWatch<T> {
  readonly #options: ListWatchOptions<T>;
  readonly #keeper: SafeKeeper<T>;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  readonly #progress: WatchProgress<T>;
  readonly #currency: Currency;
  #fillBy: 'stream' | 'pages' = 'stream';
  #suspect = false;
  #endedEarly = false;
  #missing = 0;
  #filled = false;
  #begunAtMs = 0;
  #trouble: Trouble | undefined;
  /** Stays while the collection is followed: the last list was not complete. */
  #standing: Trouble | undefined;

  constructor(options: ListWatchOptions<T>) {
    this.#options = options;
    this.#keeper = new SafeKeeper(options.collection, options.keeper);
    this.#currency = new Currency(options.client.contact);
    this.#progress = new WatchProgress(options.collection);
    this.#backoff = new Backoff(options.times.backoffMs, options.random);
  }

  /** Everything that there was at the start has been handed over. */
  get filled(): boolean {
    return this.#filled;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** When what is kept was last known to be current; 0 before the first time. */
  get freshAtMs(): number {
    return this.#currency.atMs;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#fill();
        await this.#follow();
      } catch (error) {
        await this.#recover(error).catch(() => this.#pause(this.#options.times.longestBackoffMs));
      }
    }
  }

  /** Leaves a version to watch from, or none where the watch itself brings the list. */
  async #fill(): Promise<void> {
    if (this.#progress.version !== undefined && this.#endedEarly) {
      await this.#checkVersion();
    }
    if (this.#progress.version !== undefined) {
      return;
    }
    if (this.#suspect) {
      await this.#pause(this.#options.times.suspectListMs);
      this.#accept(await this.#list('fresh'));
    } else if (this.#fillBy === 'pages') {
      await this.#takePages(await this.#list('pooled'));
    }
  }

  /** After a restored etcd our version lies in the server's future, and a watch from there is silent. */
  async #checkVersion(): Promise<void> {
    const { client, collection, times } = this.#options;
    const now = await currentVersion(client, collection, times, this.#stop.signal);
    if (runsBackwards(this.#progress.version ?? '', now)) {
      this.#progress.begin(undefined);
    }
  }

  #list(connection: 'pooled' | 'fresh'): Promise<Listing<T>> {
    const { client, collection, times } = this.#options;
    return listCollection(client, collection, times, this.#stop.signal, connection);
  }

  async #takePages(listing: Listing<T>): Promise<void> {
    if (this.#doubt(listing)) {
      await this.#fill();
    } else {
      this.#accept(listing);
    }
  }

  /** True if the list must be confirmed; what it has is taken in, what it lacks stays. */
  #doubt(listing: Listing<T>): boolean {
    const listed = listing.entries.length;
    this.#suspect = listing.extent === 'complete' && isSuspect(this.#keeper.size, listed);
    if (this.#suspect) {
      const rule = `came back with ${listed} of ${this.#keeper.size}; nothing is removed until a second list agrees`;
      this.#say({ kind: 'suspect', rule });
      this.#keeper.replace(listing.entries, 'partial');
    }
    return this.#suspect;
  }

  #accept(listing: Listing<T>, version: string | undefined = listing.resourceVersion): void {
    this.#suspect = false;
    this.#missing = 0;
    this.#progress.begin(version);
    this.#currency.known();
    this.#keeper.replace(listing.entries, listing.extent);
    this.#standing =
      listing.extent === 'complete'
        ? undefined
        : { kind: 'incomplete', rule: 'have an object that is too large and was left out' };
    this.#markFilled();
  }

  #markFilled(): void {
    if (!this.#filled) {
      this.#filled = true;
      this.#options.onNotice();
    }
  }

  async #follow(): Promise<void> {
    const { collection, times, random } = this.#options;
    const seconds = secondsOfWatch(times, random());
    this.#begunAtMs = Date.now();
    this.#progress.begin(this.#progress.version);
    const end = await this.#read(watchRequest(collection, seconds, this.#progress.version));
    this.#endedEarly = end === 'useless' || (end === 'ended' && isEarly(this.#openMs(), seconds));
    if (!this.#endedEarly) {
      return;
    }
    if (end === 'ended' && this.#backoff.attempts >= EARLY_ENDS) {
      this.#say(ENDS_EARLY);
    }
    await this.#pause(this.#backoff.next(times.longestBackoffMs));
  }

  /** `mute`: contact with the API server was lost meanwhile, so the watch may lag behind. */
  async #read(request: ApiRequest): Promise<'ended' | 'useless' | 'mute'> {
    const { client, times } = this.#options;
    const limit = new WatchLimit(this.#currency, times.initialSilentMs, this.#stop.signal);
    try {
      for await (const events of watchBatches(client, request, times, limit.signal)) {
        if (!this.#apply(request, this.#progress.take(events))) {
          return 'useless';
        }
        this.#heard();
        limit.heard(this.#progress.version === undefined ? times.initialSilentMs : times.silentMs);
      }
      return 'ended';
    } catch (error) {
      return limit.judge(error, request);
    } finally {
      limit.clear();
      this.#currency.closed();
      if (this.#openMs() >= times.healthyMs) {
        this.#backoff.reset();
      }
    }
  }

  #openMs(): number {
    return Date.now() - this.#begunAtMs;
  }

  /** A watch that opens is no proof yet if those before it ended at once. */
  #heard(): void {
    if (this.#progress.version !== undefined) {
      this.#currency.opened();
    }
    if (this.#trouble !== ENDS_EARLY || this.#openMs() >= this.#options.times.healthyMs) {
      this.#say(this.#standing);
    }
  }

  /** False if the watch is of no use any more. */
  #apply(request: ApiRequest, step: Step<T>): boolean {
    if (this.#stop.signal.aborted) {
      return false;
    }
    if (step.listing !== undefined) {
      if (this.#doubt(step.listing)) {
        this.#progress.begin(undefined);
        return false;
      }
      this.#accept(step.listing, this.#progress.version);
    }
    this.#keeper.change(step.changes);
    if (step.failure !== undefined) {
      throw step.failure as Error;
    }
    if (step.end?.kind === 'error') {
      throw eventError(request, step.end.object);
    }
    if (step.end?.kind === 'rewound') {
      this.#progress.begin(undefined);
    }
    return step.end === undefined;
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) {
      return;
    }
    if (this.#progress.version === undefined && this.#fillBy === 'stream' && isNotUnderstood(error)) {
      this.#fillBy = 'pages';
      return;
    }
    this.#endedEarly = true;
    const verdict = judgeFailure(error, this.#options.times, this.#trouble);
    if (verdict.relist) {
      this.#progress.begin(undefined);
    }
    if (verdict.trouble.kind === 'malformed') {
      // Pages can leave out an object that is too large for a line.
      this.#fillBy = 'pages';
    }
    this.#say(verdict.trouble);
    this.#countMissing(error);
    await this.#pause(this.#backoff.after(verdict));
  }

  /** What was there before a kind seemed to be missing stays: its deletion would have been an event each. */
  #countMissing(error: unknown): void {
    if (!this.#options.collection.mayBeMissing || !isMissingKind(error)) {
      return;
    }
    this.#missing++;
    this.#currency.known();
    if (this.#missing >= MISSING_ANSWERS) {
      this.#markFilled();
    }
  }

  #say(trouble: Trouble | undefined): void {
    const changed = trouble?.rule !== this.#trouble?.rule;
    this.#trouble = trouble;
    if (changed) {
      this.#options.onNotice();
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
