// Runs the election of election.ts against the API server: sends its requests, keeps the watch of a replica
// that does not lead, wakes it in time, and answers "may I write now?". A leader needs no watch, because its
// own renewals show it the Lease; so an idle cluster sees one renewal a period and one watch a standby.
// While nobody renews, a standby reads about every fourth period, so its contact does not end with the leader.
//
// It never retries on its own and never throws: what failed is an event of the election.

import { fault, type ElectionSettings, type Fault } from '@herald/api';
import type { ApiClient } from '../transport/api-client.ts';
import { ApiError } from '../transport/api-error.ts';
import { list, record, text, type JsonRecord } from '../transport/json.ts';
import type { Clock } from './clock.ts';
import { step } from './election.ts';
import type { ElectionEvent, ElectionRequest, ElectionState, Failure, Leadership } from './election-state.ts';
import { leadershipOf, mayWriteAt, newElection, writeTimeAt } from './election-state.ts';
import { leaseBody, parseLease, type LeaseRecord, type LeaseWrite } from './lease-record.ts';
import { wakeAt } from './next-request.ts';
import { leasePlace, watchLease, type LeasePlace } from './watch-lease.ts';

export interface ElectorOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly namespace: string;
  /** Who we are in the Lease: the pod's name. No two processes that live may share it. */
  readonly identity: string;
  readonly settings: ElectionSettings;
  readonly clock: Clock;
  random(): number;
  /** Whenever leading, term or holder changed. */
  onChange(leadership: Leadership): void;
}

/** A watch without a renewal for so many periods: the leader is away, or the watch is mute. A read tells. */
const QUIET_PERIODS = 3;
const CONFLICT = 409;
const NOT_FOUND = 404;
const FORBIDDEN = new Set([401, 403]);

export class Elector {
  readonly #options: ElectorOptions;
  readonly #place: LeasePlace;
  readonly #ended = Promise.withResolvers<void>();
  #state: ElectionState;
  #leadership: Leadership;
  #listVersion = '';
  #watch: AbortController | undefined;
  #nap = new AbortController();
  #started = false;
  /** Of terms that were heard before the start. */
  #heardTerm = 0;
  /** Why the Lease may not be watched, in the server's words. */
  #watchRefusal: string | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#place = leasePlace(options.namespace, options.settings.leaseName);
    this.#state = newElection({ ...options.settings, identity: options.identity });
    this.#leadership = leadershipOf(this.#state);
  }

  start(): void {
    this.#started = true;
    this.#take({ kind: 'term', term: this.#heardTerm });
  }

  get leadership(): Leadership {
    return this.#leadership;
  }

  /** Whether a read has shown who holds the Lease, or that nobody does. */
  get hasSeenLease(): boolean {
    return this.#state.observed !== undefined;
  }

  /** When the last renewal that succeeded was sent, in milliseconds since the epoch; undefined while not leading. */
  get renewedAtMs(): number | undefined {
    const { held } = this.#state;
    return held === undefined ? undefined : Date.now() - (this.#options.clock.nowMs() - held.sentAtMs);
  }

  /** Leading, and less than the renew deadline since before the last successful renewal was sent. */
  mayWrite(): boolean {
    return mayWriteAt(this.#state, this.#options.clock.nowMs());
  }

  /** How long a write that begins now may take; 0 when none may begin. */
  writeTimeoutMs(): number {
    return writeTimeAt(this.#state, this.#options.clock.nowMs());
  }

  /** A term that was told by another replica or seen on a route; no later term of ours will be lower. */
  sawTerm(term: number): void {
    if (this.#started) {
      this.#take({ kind: 'term', term });
    } else {
      this.#heardTerm = Math.max(this.#heardTerm, term); // a step would count a request as sent that is not
    }
  }

  faults(): readonly Fault[] {
    const { namespace, settings } = this.#options;
    const object = `Lease ${namespace}/${settings.leaseName}`;
    const forbidden = (verbs: string, words: string | undefined): readonly Fault[] =>
      words === undefined ? [] : [fault(object, '', `may not be ${verbs}: ${words}`, 'Forbidden')];
    return [
      ...forbidden('read or written', this.#state.refusal),
      // A leader needs no watch.
      ...forbidden(
        'watched, and is listed instead',
        this.#leadership.leading ? undefined : this.#watchRefusal,
      ),
    ];
  }

  /** Stops writing at once, then gives the Lease up if it is held; bounded by the renew deadline. */
  async release(): Promise<void> {
    this.#take({ kind: 'release' });
    await (this.#started ? this.#ended.promise : undefined);
  }

  #take(event: ElectionEvent): void {
    const { clock } = this.#options;
    const moment = { clockMs: clock.nowMs(), wallMs: Date.now(), chance: this.#options.random() };
    const { state, request } = step(this.#state, event, moment);
    this.#state = state;
    if (!this.#started) {
      return;
    }
    this.#stopNeedlessWatch();
    this.#sleepUntil(wakeAt(state), moment.clockMs);
    if (request !== undefined) {
      void this.#send(request);
    }
    if (state.ending === 'done') {
      this.#ended.resolve();
    }
    this.#report();
  }

  #report(): void {
    const now = leadershipOf(this.#state);
    const before = this.#leadership;
    if (now.leading !== before.leading || now.term !== before.term || now.holder !== before.holder) {
      this.#leadership = now;
      this.#options.onChange(now);
    }
  }

  #sleepUntil(wakeMs: number, nowMs: number): void {
    this.#nap.abort();
    this.#nap = new AbortController();
    if (wakeMs < Number.POSITIVE_INFINITY) {
      void this.#sleep(Math.max(0, wakeMs - nowMs), this.#nap.signal);
    }
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal);
    if (!signal.aborted) {
      this.#take({ kind: 'tick' });
    }
  }

  async #send(request: ElectionRequest): Promise<void> {
    this.#take(await this.#eventOf(request));
    if (request.kind === 'read') {
      this.#watchFrom(this.#listVersion);
    }
  }

  async #eventOf(request: ElectionRequest): Promise<ElectionEvent> {
    const { id } = request;
    try {
      const lease = request.kind === 'read' ? await this.#read(request) : await this.#write(request);
      return { kind: 'answered', id, lease };
    } catch (error) {
      return { kind: 'failed', id, ...failureOf(error) };
    }
  }

  /** A list of one: it is as current as a get, and its version is where a watch begins, Lease or none. */
  async #read({ timeoutMs, connection }: ElectionRequest): Promise<LeaseRecord | undefined> {
    const { collection: path, fieldSelector } = this.#place;
    const query = { fieldSelector };
    const answer = record(
      await this.#options.client.request({ method: 'GET', path, query, timeoutMs, connection }),
    );
    this.#listVersion = text(record(answer['metadata'])['resourceVersion']);
    if (this.#listVersion === '') {
      throw new RangeError('the answer is no list of Leases');
    }
    const [item] = list(answer['items']);
    return item === undefined ? undefined : parseLease(item);
  }

  async #write(request: ElectionRequest & { kind: 'write' }): Promise<LeaseRecord> {
    const { timeoutMs, connection, write } = request;
    const target = this.#target(write);
    return parseLease(await this.#options.client.request({ ...target, timeoutMs, connection }));
  }

  #target(write: LeaseWrite): { method: 'POST' | 'PUT'; path: string; body: JsonRecord } {
    const { namespace, settings } = this.#options;
    const body = leaseBody(settings.leaseName, namespace, write, Date.now());
    const path = this.#place.collection;
    return write.previous === undefined
      ? { method: 'POST', path, body }
      : { method: 'PUT', path: `${path}/${settings.leaseName}`, body };
  }

  #isWatching(): boolean {
    const { held, pending, observed, mustRead, ending } = this.#state;
    const follows = held !== undefined || pending?.purpose === 'acquire';
    return !follows && observed !== undefined && !mustRead && ending === 'no';
  }

  #stopNeedlessWatch(): void {
    if (!this.#isWatching()) {
      this.#watch?.abort();
      this.#watch = undefined;
    }
  }

  #watchFrom(resourceVersion: string): void {
    this.#watch?.abort();
    this.#watch = undefined;
    if (this.#isWatching()) {
      this.#watch = new AbortController();
      void this.#follow(resourceVersion, this.#watch.signal);
    }
  }

  async #follow(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const onLease = (lease: LeaseRecord | undefined): void => this.#take({ kind: 'seen', lease });
    const quietMs = QUIET_PERIODS * this.#options.settings.retryPeriodMs;
    const onOpen = (): void => void (this.#watchRefusal = undefined);
    try {
      const watch = { resourceVersion, quietMs, signal, onOpen, onLease };
      await watchLease(this.#options.client, this.#place, watch);
    } catch (error) {
      // However else it ended, the next read tells more than the error would.
      const { failure, message } = failureOf(error);
      this.#watchRefusal = failure === 'forbidden' && !signal.aborted ? message : this.#watchRefusal;
    }
    if (!signal.aborted) {
      await this.#options.clock.sleep(this.#pause(), signal);
    }
    if (!signal.aborted) {
      this.#take({ kind: 'unwatched' });
    }
  }

  /** Between two watches, so that one which cannot be opened is not tried in a loop. */
  #pause(): number {
    return (this.#options.settings.retryPeriodMs * (1 + this.#options.random())) / 2;
  }
}

function failureOf(error: unknown): { failure: Failure; message: string; retryAfterMs: number } {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError) || error.status === undefined) {
    return { failure: 'lost', message, retryAfterMs: 0 };
  }
  return { failure: failureOfStatus(error.status), message, retryAfterMs: error.retryAfterMs ?? 0 };
}

function failureOfStatus(status: number): Failure {
  if (status === CONFLICT) {
    return 'conflict';
  }
  if (status === NOT_FOUND) {
    return 'missing';
  }
  return FORBIDDEN.has(status) ? 'forbidden' : 'refused';
}
