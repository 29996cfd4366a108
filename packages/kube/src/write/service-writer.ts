// Addresses into Services, many at once: writes that the decision wants -> one PATCH of each Service's status,
// made for exactly the object that was decided about. A write for an object that is another one by now is
// dropped: the source shows the new one and the next tick decides anew.
//
// Does not retry what the API server refuses, and says it; an API server that cannot be reached ends the
// whole batch with its error. Where something else undoes each write, the next one waits longer.

import { fault, projectService, sameProjected, type Fault, type Service } from '@herald/api';
import type { CurrentService } from '../cluster/cluster-source.ts';
import type { AddressWrite, AddressWriter } from '../source.ts';
import type { Clock } from '../lease/clock.ts';
import type { ApiClient } from '../transport/api-client.ts';
import { LeaderClient, STRATEGIC_MERGE, type WriteGate } from './leader-client.ts';
import { readNamed, servicesOf } from './read-raw.ts';
import { REFUSAL_PAUSE_MS } from './refusals.ts';
import {
  addressPatch,
  ingressEntries,
  serviceStatusPath,
  versionOf,
  type Version,
} from './service-status.ts';
import { UndoneWrites } from './undone-writes.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

export interface ServiceWriterOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly elector: WriteGate;
  readonly clock: Clock;
  current(serviceKey: string): CurrentService | undefined;
  /** A write that had to wait may be made now, if it is still wanted. */
  readonly onDue: () => void;
}

/** Below the number of pooled connections, so that a renewal of the Lease never waits for one. */
const CONCURRENCY = 12;
/** Of one write, after conflicts; then its object changes too fast, and the source will show how. */
const RETRIES = 3;

interface Refusal {
  readonly service: Service;
  readonly untilMs: number;
  readonly fault: Fault;
}

/** For a Service whose addresses something else takes away. */
interface Wait {
  readonly end: AbortController;
  readonly faults: readonly Fault[];
}

/** What a patch is made from: the version, and the entries that are there. */
interface Base {
  readonly version: Version;
  readonly entries: readonly unknown[];
}

export class ServiceWriter implements AddressWriter {
  readonly #client: LeaderClient;
  readonly #options: ServiceWriterOptions;
  /** The version that an object was written from: until the source shows a later one, it is done. */
  readonly #written = new WeakMap<Service, string>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #undone = new UndoneWrites();
  readonly #waits = new Map<string, Wait>();
  readonly #end = new AbortController();
  #isAsking = false;
  #underWay = 0;

  constructor(options: ServiceWriterOptions) {
    this.#options = options;
    this.#client = new LeaderClient(options.client, options.elector);
  }

  /** Whether addresses are being written; everything less urgent waits. */
  get busy(): boolean {
    return this.#underWay > 0;
  }

  /**
   * What the API server refuses, in its own words, and what somebody else undoes again and again. What a leader was
   * refused is no fault of a replica that leads no more.
   */
  faults(): readonly Fault[] {
    this.#forgetOldRefusals();
    const refusals = this.#options.elector.leadership.leading ? [...this.#refusals.values()] : [];
    const refused = refusals.map((refusal) => refusal.fault);
    return [...refused, ...[...this.#waits.values()].flatMap(({ faults }) => faults)];
  }

  /**
   * Rejects when the API server could not be reached, or this leader is in doubt for the moment: then some
   * writes were not tried. A replica that does not lead writes nothing, and that is no error.
   */
  async applyAllocations(writes: readonly AddressWrite[]): Promise<void> {
    this.#forgetOldRefusals();
    const queue = writes[Symbol.iterator]();
    const failures: unknown[] = [];
    this.#underWay += 1;
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#drain(queue, failures)));
    } finally {
      this.#underWay -= 1;
    }
    if (failures.length > 0 && this.#options.elector.leadership.leading) {
      throw failures[0];
    }
  }

  async #drain(queue: Iterator<AddressWrite>, failures: unknown[]): Promise<void> {
    for (let next = queue.next(); next.done !== true && failures.length === 0; next = queue.next()) {
      try {
        await this.#apply(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  }

  async #apply(write: AddressWrite): Promise<void> {
    const current = this.#options.current(write.serviceKey);
    if (current === undefined || current.service !== write.decidedFrom || current.service.uid !== write.uid) {
      return;
    }
    if (this.#written.get(current.service) === current.resourceVersion || this.#isRefused(write)) {
      return;
    }
    const { service, resourceVersion } = current;
    if (this.#hasToWait(service)) {
      return;
    }
    // A Service without addresses has no entry to keep; for any other they are read first.
    const known = { version: { uid: service.uid, resourceVersion }, entries: [] };
    const base = service.ingress.length === 0 ? known : undefined;
    await this.#attempt(write, base, resourceVersion, RETRIES);
  }

  /** A conflict by something that the decision does not read leaves the decision right: again, then. */
  async #attempt(
    write: AddressWrite,
    known: Base | undefined,
    decidedAt: string,
    triesLeft: number,
  ): Promise<void> {
    try {
      const base = known ?? (await this.#readBase(write));
      if (base !== undefined) {
        await this.#patch(write, base);
        this.#noteWritten(write, decidedAt);
      }
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'conflict' && triesLeft > 0) {
        await this.#attempt(write, undefined, decidedAt, triesLeft - 1);
      } else {
        this.#settle(write, outcome, error as Error);
      }
    }
  }

  #noteWritten({ serviceKey, decidedFrom, addresses }: AddressWrite, decidedAt: string): void {
    this.#written.set(decidedFrom, decidedAt);
    this.#refusals.delete(serviceKey);
    const texts = addresses.map(({ text }) => text);
    this.#undone.wrote(decidedFrom, texts, this.#options.clock.nowMs());
  }

  /** Whether something else undid the last write so lately that there is no use in another one. */
  #hasToWait(service: Service): boolean {
    const at = this.#undone.mayWriteAt(service);
    const leftMs = at === undefined ? 0 : at - this.#options.clock.nowMs();
    if (leftMs > 0 && !this.#waits.has(service.key)) {
      void this.#wait(service, leftMs);
    }
    return leftMs > 0;
  }

  async #wait(service: Service, ms: number): Promise<void> {
    const { clock, onDue } = this.#options;
    const end = new AbortController();
    this.#waits.set(service.key, {
      end,
      faults: this.#undone.isFight(service) ? [undoneFault(service)] : [],
    });
    await clock.sleep(ms, end.signal);
    this.#waits.delete(service.key);
    if (!end.signal.aborted) {
      onDue();
    }
  }

  /** Nothing that waits is waited for any longer. */
  close(): void {
    this.#end.abort();
    this.#waits.forEach(({ end }) => end.abort());
  }

  #settle(write: AddressWrite, outcome: WriteOutcome, error: Error): void {
    if (outcome === 'unreachable' || outcome === 'not-leading') {
      throw error;
    }
    if (outcome === 'refused' || outcome === 'forbidden') {
      this.#refuse(write, error.message);
    }
  }

  /** undefined when the object is not the one that was decided about any more. */
  async #readBase({ serviceKey, decidedFrom }: AddressWrite): Promise<Base | undefined> {
    const { collection, name } = servicesOf(serviceKey);
    const raw = await readNamed(this.#client, collection, name);
    const projected = projectService(raw);
    const same = projected.ok && sameProjected(projected.value, decidedFrom);
    return same ? { version: versionOf(raw), entries: ingressEntries(raw) } : undefined;
  }

  async #patch({ serviceKey, addresses, term }: AddressWrite, base: Base): Promise<void> {
    const texts = addresses.map((address) => address.text);
    await this.#client.write({
      method: 'PATCH',
      path: serviceStatusPath(serviceKey),
      contentType: STRATEGIC_MERGE,
      body: addressPatch(base.version, texts, term, base.entries),
    });
  }

  #refuse({ serviceKey, decidedFrom }: AddressWrite, words: string): void {
    this.#refusals.set(serviceKey, {
      service: decidedFrom,
      untilMs: this.#options.clock.nowMs() + REFUSAL_PAUSE_MS,
      fault: fault(`Service ${serviceKey}`, 'status.loadBalancer', `was not written: ${words}`),
    });
    void this.#askAgain();
  }

  /** Where nothing else happens, nobody would decide about it again. */
  async #askAgain(): Promise<void> {
    if (this.#isAsking) {
      return;
    }
    const { clock, onDue } = this.#options;
    this.#isAsking = true;
    while (this.#refusals.size > 0 && !this.#end.signal.aborted) {
      await clock.sleep(REFUSAL_PAUSE_MS, this.#end.signal);
      if (!this.#end.signal.aborted) {
        onDue();
      }
    }
    this.#isAsking = false;
  }

  #isRefused({ serviceKey, decidedFrom }: AddressWrite): boolean {
    const refusal = this.#refusals.get(serviceKey);
    return refusal?.service === decidedFrom && this.#options.clock.nowMs() < refusal.untilMs;
  }

  #forgetOldRefusals(): void {
    for (const [key, { service }] of this.#refusals) {
      if (this.#options.current(key)?.service !== service) {
        this.#refusals.delete(key);
      }
    }
  }
}

function undoneFault({ key }: Service): Fault {
  const rule = 'is taken away by something else as often as it is written';
  return fault(`Service ${key}`, 'status.loadBalancer', rule, 'AddressNotOurs');
}
