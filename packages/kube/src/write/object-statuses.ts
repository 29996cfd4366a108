// Status of our own objects of one kind, all of it the leader's: wanted statuses -> merge patches of those
// that differ. Counts move all the time, so an object is written at most each ten seconds, or each second
// when a condition changes; in between the newest wanted status supersedes the others.

import { API_VERSION } from '@herald/api';
import { PersistentMap } from '@herald/net';
import { NEVER, type Lane, type LaneContext, type OwnKind } from './lane.ts';
import { list, rawMeta, record, text, type JsonRecord, type RawMeta } from '../transport/json.ts';
import { MERGE } from './leader-client.ts';
import { mergeStatus, type MergedStatus } from './merge-status.ts';
import { readAll, readNamed } from './read-raw.ts';
import { timeText } from './service-conditions.ts';
import { outcomeOf } from './write-outcome.ts';

export interface ObjectKind {
  readonly kind: OwnKind;
  readonly plural: string;
}

interface KnownObject {
  readonly meta: RawMeta;
  readonly status: JsonRecord;
}

export const OBJECT_INTERVAL_MS = 10_000;
export const URGENT_INTERVAL_MS = 1000;

export class ObjectStatuses<Status extends object> implements Lane {
  readonly #context: LaneContext;
  readonly #kind: ObjectKind;
  readonly #collection: string;
  readonly #known = new Map<string, KnownObject>();
  readonly #foundReasons = new Map<string, readonly string[]>();
  readonly #writtenAtMs = new Map<string, number>();
  readonly #changed = new Set<string>();
  #wanted: PersistentMap<Status> = PersistentMap.empty();

  constructor(context: LaneContext, kind: ObjectKind) {
    this.#context = context;
    this.#kind = kind;
    this.#collection = `/apis/${API_VERSION}/${kind.plural}`;
  }

  get kind(): string {
    return this.#kind.kind;
  }

  set(wanted: PersistentMap<Status>): void {
    for (const name of wanted.changedKeys(this.#wanted)) {
      this.#changed.add(name);
    }
    this.#wanted = wanted;
    this.#noteEdits();
  }

  /** An edit may change the spec and nothing in the status but which spec it is about. */
  #noteEdits(): void {
    for (const name of this.#wanted.keys()) {
      const said = this.#known.get(name)?.status['observedGeneration'];
      const made = this.#context.generation(this.#kind.kind, name);
      if (made !== undefined && made !== said) {
        this.#changed.add(name);
      }
    }
  }

  /** Whether a condition with this reason stood on the object when this leadership began. */
  foundReason(name: string, reason: string): boolean {
    return this.#foundReasons.get(name)?.includes(reason) ?? false;
  }

  async prime(): Promise<void> {
    this.#known.clear();
    this.#foundReasons.clear();
    for await (const raw of readAll(this.#context.client, this.#collection)) {
      const { meta, status } = this.#learn(raw);
      const reasons = list(status['conditions']).map((condition) => text(record(condition)['reason']));
      this.#foundReasons.set(meta.name, reasons);
    }
    for (const name of this.#wanted.keys()) {
      this.#changed.add(name);
    }
  }

  async writeDue(): Promise<number> {
    let next = NEVER;
    // A copy, because what has to wait is put back into the set.
    for (const name of new Set(this.#changed)) {
      const pausedUntilMs = this.#context.refusals.pausedUntilMs(this.kind);
      if (pausedUntilMs > this.#context.nowMs()) {
        return Math.min(next, pausedUntilMs);
      }
      next = Math.min(next, await this.#consider(name));
    }
    return next;
  }

  /** When the object is to be looked at again. */
  async #consider(name: string): Promise<number> {
    const isWanted = this.#wanted.has(name);
    const known = isWanted ? (this.#known.get(name) ?? (await this.#read(name))) : undefined;
    // Not before the read: something newer may be wanted after it.
    const wanted = this.#wanted.get(name);
    if (wanted === undefined || known === undefined) {
      this.#forget(name);
      return NEVER;
    }
    const merged = this.#merge(known, wanted);
    const now = this.#context.nowMs();
    const at = merged.patch === undefined ? now : this.#dueAt(name, merged);
    if (at > now) {
      return at;
    }
    this.#changed.delete(name);
    return merged.patch === undefined ? NEVER : this.#write(known, merged);
  }

  #dueAt(name: string, { urgent }: MergedStatus): number {
    const writtenAt = this.#writtenAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    return writtenAt + (urgent ? URGENT_INTERVAL_MS : OBJECT_INTERVAL_MS);
  }

  #merge({ meta, status }: KnownObject, wanted: Status): MergedStatus {
    const observed = this.#context.generation(this.#kind.kind, meta.name) ?? status['observedGeneration'];
    const generation = observed === undefined ? {} : { observedGeneration: observed };
    return mergeStatus(status, { ...generation, ...wanted }, timeText(this.#context.wallMs()));
  }

  async #write({ meta }: KnownObject, { status, patch }: MergedStatus): Promise<number> {
    const { name, uid, resourceVersion } = meta;
    this.#writtenAtMs.set(name, this.#context.nowMs());
    try {
      const answer = await this.#context.client.write({
        method: 'PATCH',
        path: `${this.#collection}/${name}/status`,
        contentType: MERGE,
        body: { metadata: { uid, resourceVersion }, status: patch },
      });
      this.#known.set(name, { meta: rawMeta(answer), status });
      this.#context.refusals.clear(this.#kind.kind, name);
      return NEVER;
    } catch (error) {
      return this.#recover(name, error);
    }
  }

  /** What is there is another object than we knew: it is read again, and written in a second. */
  #recover(name: string, error: unknown): number {
    const outcome = outcomeOf(error);
    if (this.#context.refusals.take(this.kind, name, error) && outcome !== 'forbidden') {
      return NEVER;
    }
    this.#changed.add(name);
    if (outcome === 'forbidden') {
      return this.#context.refusals.pause(this.kind);
    }
    if (outcome !== 'conflict' && outcome !== 'gone') {
      throw error;
    }
    this.#known.delete(name);
    this.#writtenAtMs.delete(name);
    return this.#context.nowMs() + URGENT_INTERVAL_MS;
  }

  #learn(raw: unknown): KnownObject {
    const known = { meta: rawMeta(raw), status: record(record(raw)['status']) };
    this.#known.set(known.meta.name, known);
    return known;
  }

  async #read(name: string): Promise<KnownObject | undefined> {
    const raw = await readNamed(this.#context.client, this.#collection, name);
    return raw === undefined ? undefined : this.#learn(raw);
  }

  #forget(name: string): void {
    this.#changed.delete(name);
    this.#known.delete(name);
    this.#writtenAtMs.delete(name);
    this.#context.refusals.drop(this.kind, name);
  }
}
