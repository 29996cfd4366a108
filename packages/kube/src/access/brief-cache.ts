// Answers that are kept for a short time, at most so many. An answer that is still on its way is shared by
// all who ask for it meanwhile; one that failed is not kept. Keys in, promises out; the oldest entry gives
// way to the newest.

interface Entry<T> {
  readonly answer: Promise<T>;
  readonly askedAtMs: number;
}

export interface BriefCacheOptions {
  readonly keptMs: number;
  readonly entries: number;
  readonly nowMs: () => number;
}

export class BriefCache<T> {
  readonly #options: BriefCacheOptions;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: BriefCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#options.nowMs();
    const known = this.#entries.get(key);
    if (known !== undefined && this.#isFresh(known, now)) {
      return known.answer;
    }
    const entry = { answer: ask(), askedAtMs: now };
    this.#entries.delete(key);
    this.#makeRoom();
    this.#entries.set(key, entry);
    entry.answer.catch(() => this.#forget(key, entry));
    return entry.answer;
  }

  /** Counted from the question, not from the answer; a clock that was set back makes nothing last longer. */
  #isFresh({ askedAtMs }: Entry<T>, nowMs: number): boolean {
    const ageMs = nowMs - askedAtMs;
    return ageMs >= 0 && ageMs < this.#options.keptMs;
  }

  /** Entries stand in the order in which they were asked for. */
  #makeRoom(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#options.entries) {
      this.#entries.delete(oldest);
    }
  }

  #forget(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) {
      this.#entries.delete(key);
    }
  }
}
