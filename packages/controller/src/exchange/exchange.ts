// Replicas tell each other how they are, past the API server: each asks the others twice a second and says of itself
// what it is asked. Out: the World's freshness, with a signal when it changed, and whether others serve a router. An
// answer is believed for a few seconds; where nobody listens any more, not at all. Addresses come from whoever
// knows them and are kept by them while the API server is away.

import { randomUUID } from 'node:crypto';

import type { Freshness } from '@herald/decision';
import { ALONE, keepEqual } from '@herald/decision';
import { readKeys, type ExchangeView, type ReplicaReport } from '@herald/server';

import type { Logger } from '../logger.ts';
import { askReplica, type Answer } from './ask-replica.ts';
import { coveredRouters, isStale, known, othersFreshUntil, regained, type KnownReplica } from './coverage.ts';

export interface ExchangeParts {
  readonly keyFile: string | undefined;
  readonly staleMs: number;
  readonly logger: Logger;
  /** URLs of the other replicas, as far as known. */
  urls(): readonly string[];
  /** When there last was contact, in milliseconds since the epoch; 0: never. */
  freshAtMs(): number;
  /** What this replica says of itself beside what is known here. */
  report(): Omit<ReplicaReport, 'instance' | 'stale' | 'ageMs' | 'leaving'>;
  /** The freshness changed. */
  onChange(): void;
  /** A term that another replica knows. */
  onTerm(term: number): void;
}

interface Heard {
  readonly report: ReplicaReport;
  /** Of the process, when it was asked. */
  readonly atMs: number;
}

/** Another one in any of them is another freshness. */
const FIELDS = [
  'stale',
  'regainedAtMs',
  'covered',
  'othersFreshUntilMs',
  'handsOver',
] as const satisfies (keyof Freshness)[];
const INTERVAL_MS = 500;
/** How long an answer is believed: five questions may stay without one. */
const BELIEVED_MS = 2500;

export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #instance = randomUUID();
  readonly #heard = new Map<string, Heard>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #problems = new Map<string, string>();
  /** By URL; of those that are known of, and not of this replica itself. */
  #known: ReadonlyMap<string, KnownReplica> = new Map();
  readonly #own = new Set<string>();
  readonly #startedMs = Date.now();
  #freshness: Freshness = ALONE;
  #leaving = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  start(): void {
    this.#timer = setInterval(() => void this.round(), INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The others no longer rely on this replica. */
  leave(leading: Freshness['handsOver']): void {
    this.#leaving = true;
    this.#become({ ...this.#freshness, handsOver: leading });
  }

  /** What another replica is told. */
  answer(): string {
    const { staleMs } = this.#parts;
    const freshAtMs = this.#parts.freshAtMs();
    const nowMs = Date.now();
    const report: ReplicaReport = {
      ...this.#parts.report(),
      instance: this.#instance,
      stale: freshAtMs === 0 || isStale(freshAtMs, nowMs, staleMs),
      ageMs: freshAtMs === 0 ? 0 : Math.max(0, Math.round(nowMs - freshAtMs)),
      leaving: this.#leaving,
    };
    return JSON.stringify(report);
  }

  /** Of all that answered lately, this one not among them. */
  reports(): readonly ReplicaReport[] {
    return Array.from(this.#believed().values(), ({ report }) => report);
  }

  /** For people. */
  get view(): ExchangeView {
    const startedMs = Date.now() - performance.now();
    const heard = Array.from(this.#believed().values(), ({ report, atMs }) => ({
      report,
      heardAtMs: startedMs + atMs,
    }));
    return { stale: this.#freshness.stale, heard, problems: this.#problems };
  }

  /** By URL. */
  #believed(): ReadonlyMap<string, Heard> {
    const oldest = performance.now() - BELIEVED_MS;
    return new Map([...this.#heard].filter(([, { atMs }]) => atMs >= oldest));
  }

  #othersFreshUntilMs(nowMs: number): number | undefined {
    if (this.#parts.keyFile === undefined) {
      return undefined;
    }
    const believed = this.#believed();
    const others = this.#parts.urls().filter((url) => !this.#own.has(url));
    this.#known = new Map(
      others.map((url) => [url, known(this.#known.get(url), believed.get(url)?.report, nowMs)]),
    );
    return othersFreshUntil([...this.#known.values()], nowMs);
  }

  /** Asks all, and resolves when each has answered or had its time. */
  async round(): Promise<void> {
    this.#look();
    const urls = new Set(this.#parts.urls());
    for (const told of [this.#heard, this.#problems]) {
      [...told.keys()].filter((url) => !urls.has(url)).forEach((url) => told.delete(url));
    }
    const key = urls.size === 0 ? undefined : await this.#key();
    if (key !== undefined) {
      await Promise.all(Array.from(urls, (url) => this.#ask(url, key)));
    }
    this.#look();
  }

  async #key(): Promise<string | undefined> {
    const { keyFile } = this.#parts;
    if (keyFile === undefined) {
      return undefined;
    }
    try {
      const [key] = await readKeys(keyFile);
      this.#problems.delete(keyFile);
      return key;
    } catch (error) {
      this.#say(keyFile, (error as Error).message);
      return undefined;
    }
  }

  #ask(url: string, key: string): Promise<void> {
    const asking = this.#asking.get(url) ?? this.#hear(url, key).finally(() => this.#asking.delete(url));
    this.#asking.set(url, asking);
    return asking;
  }

  async #hear(url: string, key: string): Promise<void> {
    const atMs = performance.now();
    const answer = await askReplica(url, key);
    if (answer.kind === 'answered') {
      this.#take(url, answer.report, atMs);
    } else {
      this.#miss(url, answer);
    }
  }

  #take(url: string, report: ReplicaReport, atMs: number): void {
    if (report.instance === this.#instance) {
      this.#own.add(url);
      return;
    }
    if (this.#problems.delete(url) || !this.#heard.has(url)) {
      this.#parts.logger.info(
        { event: 'replica-answers', url, replica: report.replica },
        'a replica answers',
      );
    }
    this.#heard.set(url, { report, atMs });
    this.#parts.onTerm(report.term);
  }

  /** Silence may pass; where nobody listens nobody serves. */
  #miss(url: string, { kind, problem }: Exclude<Answer, { kind: 'answered' }>): void {
    if (kind === 'gone') {
      this.#heard.delete(url);
    }
    this.#say(url, problem);
  }

  #say(subject: string, problem: string): void {
    if (this.#problems.get(subject) !== problem) {
      this.#problems.set(subject, problem);
      this.#parts.logger.warn({ event: 'exchange-problem', subject }, problem);
    }
  }

  #look(): void {
    const freshAtMs = this.#parts.freshAtMs();
    const { regainedAtMs, handsOver } = this.#freshness;
    const contact = {
      freshAtMs,
      startedMs: this.#startedMs,
      nowMs: Date.now(),
      staleMs: this.#parts.staleMs,
    };
    this.#become({
      stale: isStale(freshAtMs, contact.nowMs, contact.staleMs),
      regainedAtMs: regained(contact, regainedAtMs),
      covered: keepEqual(coveredRouters(this.reports()), this.#freshness.covered),
      othersFreshUntilMs: this.#othersFreshUntilMs(contact.nowMs),
      handsOver,
    });
  }

  #become(next: Freshness): void {
    const before = this.#freshness;
    if (next.stale !== before.stale) {
      const sentence = next.stale ? 'contact was lost for too long' : 'there is contact again';
      this.#parts.logger.warn({ event: next.stale ? 'stale' : 'fresh' }, sentence);
    }
    if (FIELDS.some((field) => next[field] !== before[field])) {
      this.#freshness = next;
      this.#parts.onChange();
    }
  }
}
