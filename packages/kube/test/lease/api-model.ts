// An API server with one Lease, electors beside it and a network between them that does what it likes, in
// simulated time: delays, lost requests and answers, watches that lag and skip, drifting clocks, frozen
// processes, operators. Everything follows from one seed.

import {
  newElection,
  mayWriteAt,
  type ElectionEvent,
  type ElectionState,
} from '../../src/lease/election-state.ts';
import { step } from '../../src/lease/election.ts';
import { wakeAt } from '../../src/lease/next-request.ts';
import type { LeaseRecord, LeaseWrite } from '../../src/lease/lease-record.ts';

const RULES = { leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 };
const WALL_MS = Date.UTC(2026, 10, 1);

export interface Replica {
  readonly name: string;
  state: ElectionState;
  readonly rate: number;
  readonly offsetMs: number;
  readonly skewMs: number;
  frozenUntil: number;
  cutOffUntil: number;
  wakes: number;
}

export interface Weather {
  readonly loss: number;
  readonly maxDelayMs: number;
  readonly watchLoss: number;
}

const CALM: Weather = { loss: 0, maxDelayMs: 50, watchLoss: 0 };

export class ApiModel {
  now = 0;
  weather: Weather;
  lease: LeaseRecord | undefined;
  version = 10;
  readonly replicas: Replica[] = [];
  /** term -> who wrote it first as holder. */
  readonly terms = new Map<number, string>();
  readonly faults: string[] = [];
  acquisitions = 0;
  #born = 0;
  readonly #queue: { at: number; order: number; run: () => void }[] = [];
  #order = 0;
  readonly #random: () => number;

  constructor(seed: number, weather: Weather) {
    this.#random = mulberry(seed);
    this.weather = weather;
  }

  chance(): number {
    return this.#random();
  }

  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  join(): Replica {
    const name = `replica-${++this.#born}`;
    const replica: Replica = {
      name,
      state: newElection({ ...RULES, identity: name }),
      rate: this.between(0.9, 1.1),
      offsetMs: this.between(0, 1e6),
      skewMs: this.between(-500, 500),
      frozenUntil: 0,
      cutOffUntil: 0,
      wakes: 0,
    };
    this.replicas.push(replica);
    this.deliver(replica, { kind: 'tick' });
    return replica;
  }

  at(at: number, run: () => void): void {
    this.#queue.push({ at: Math.max(at, this.now), order: this.#order++, run });
  }

  runUntil(end: number): void {
    for (let next = this.#pop(end); next !== undefined; next = this.#pop(end)) {
      this.now = next.at;
      next.run();
      this.#check();
    }
    this.now = end;
  }

  calm(): void {
    this.weather = CALM;
  }

  writers(): Replica[] {
    return this.replicas.filter((replica) => mayWriteAt(replica.state, this.#clock(replica)));
  }

  deliver(replica: Replica, event: ElectionEvent): void {
    if (this.now < replica.frozenUntil) {
      this.at(replica.frozenUntil, () => this.deliver(replica, event));
      return;
    }
    const moment = {
      clockMs: this.#clock(replica),
      wallMs: WALL_MS + this.now + replica.skewMs,
      chance: this.chance(),
    };
    const { state, request } = step(replica.state, event, moment);
    replica.state = state;
    if (request !== undefined) {
      const { id, timeoutMs } = request;
      const lost = { kind: 'failed', id, failure: 'lost', message: '', retryAfterMs: 0 } as const;
      this.at(this.now + timeoutMs / replica.rate, () => this.deliver(replica, lost));
      this.#send(replica, id, request.kind === 'write' ? request.write : undefined);
    }
    this.#wake(replica);
  }

  /** Somebody else's hand on the Lease. */
  change(lease: Partial<LeaseRecord> | undefined): void {
    const resourceVersion = String(++this.version);
    this.lease =
      lease === undefined || this.lease === undefined
        ? undefined
        : { ...this.lease, ...lease, resourceVersion };
    this.#show();
  }

  restore(old: LeaseRecord): void {
    this.lease = { ...old, resourceVersion: String(++this.version) };
    this.#show();
  }

  #clock(replica: Replica): number {
    return replica.offsetMs + replica.rate * this.now;
  }

  #wake(replica: Replica): void {
    const wake = ++replica.wakes;
    const at = wakeAt(replica.state);
    if (at < Number.POSITIVE_INFINITY) {
      // A millisecond late, as timers are, so that no rounding leaves it short of its time.
      this.at((at - replica.offsetMs) / replica.rate + 1, () => {
        if (replica.wakes === wake) {
          this.deliver(replica, { kind: 'tick' });
        }
      });
    }
  }

  #isLost(replica: Replica): boolean {
    return this.now < replica.cutOffUntil || this.chance() < this.weather.loss;
  }

  #delay(): number {
    return this.weather.maxDelayMs * this.chance() ** 3;
  }

  #send(replica: Replica, id: number, write: LeaseWrite | undefined): void {
    if (this.#isLost(replica)) {
      return;
    }
    this.at(this.now + this.#delay(), () => {
      const event = write === undefined ? this.#read(id) : this.#write(replica, id, write);
      if (!this.#isLost(replica)) {
        this.at(this.now + this.#delay(), () => this.deliver(replica, event));
      }
    });
  }

  #read(id: number): ElectionEvent {
    return { kind: 'answered', id, lease: this.lease };
  }

  #write(replica: Replica, id: number, write: LeaseWrite): ElectionEvent {
    const failed = (failure: 'conflict' | 'missing'): ElectionEvent => ({
      kind: 'failed',
      id,
      failure,
      message: '',
      retryAfterMs: 0,
    });
    if (write.previous !== undefined && this.lease === undefined) {
      return failed('missing');
    }
    const { uid, resourceVersion } = this.lease ?? {};
    if (uid !== write.previous?.uid || resourceVersion !== write.previous?.resourceVersion) {
      return failed('conflict');
    }
    this.#account(replica, write);
    this.version += 1;
    this.lease = {
      uid: uid ?? `uid-${this.version}`,
      resourceVersion: String(this.version),
      holder: write.holder,
      term: write.term,
      durationMs: write.durationMs,
      acquireTime: '',
      transitions: 0,
      metadata: {},
    };
    this.#show();
    return { kind: 'answered', id, lease: this.lease };
  }

  /**
   * A create only puts the Lease there; who replaces it with a term of its own leads. So what is created may show a
   * term that another leads in, where its writer could not see that one and both took it from the same second.
   */
  #account({ name }: Replica, { holder, term, previous }: LeaseWrite): void {
    if (previous === undefined) {
      return;
    }
    const owner = this.terms.get(term);
    if (owner !== undefined && owner !== name) {
      this.faults.push(`${this.now}: ${name} uses term ${term} of ${owner}`);
    }
    if (holder !== '' && owner === undefined) {
      const highest = Math.max(0, ...this.terms.keys());
      this.acquisitions += 1;
      this.terms.set(term, name);
      if (term <= highest) {
        this.faults.push(`${this.now}: ${name} acquired term ${term} after ${highest}`);
      }
    }
  }

  #show(): void {
    const { lease } = this;
    for (const replica of this.replicas) {
      if (this.chance() >= this.weather.watchLoss && this.now >= replica.cutOffUntil) {
        this.at(this.now + this.#delay(), () => this.deliver(replica, { kind: 'seen', lease }));
      }
    }
  }

  #check(): void {
    const writers = this.writers();
    if (writers.length > 1) {
      this.faults.push(`${this.now}: ${writers.map(({ name }) => name).join(' and ')} may write`);
    }
  }

  #pop(end: number): { at: number; run: () => void } | undefined {
    let first = 0;
    for (let i = 1; i < this.#queue.length; i++) {
      const [a, b] = [this.#queue[i], this.#queue[first]];
      if (a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order))) {
        first = i;
      }
    }
    const next = this.#queue[first];
    if (next === undefined || next.at > end) {
      return undefined;
    }
    this.#queue.splice(first, 1);
    return next;
  }
}

/** A small generator with a full period (mulberry32). */
export function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
