// What this replica says about itself: its HeraldReplica object, made when it is missing and owned by the pod,
// so that it goes with it. Each replica writes its own, whether it leads or not; nobody else writes it.
//
// Counts move all the time and are written at most each ten seconds; role, term and session states at once,
// but not more than once a second. The time of the last contact alone is no reason to write.

import { isDeepStrictEqual } from 'node:util';
import { API_VERSION, fault, type Fault, type HeraldReplicaStatus } from '@herald/api';
import type { Clock } from '../lease/clock.ts';
import type { ApiClient } from '../transport/api-client.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { list, record, type JsonRecord } from '../transport/json.ts';
import { MERGE } from './leader-client.ts';
import { mergeStatus } from './merge-status.ts';
import { OBJECT_INTERVAL_MS, URGENT_INTERVAL_MS } from './object-statuses.ts';
import { timeText } from './service-conditions.ts';
import { REFUSAL_PAUSE_MS } from './refusals.ts';
import { outcomeOf } from './write-outcome.ts';
import { WriteLoop } from './write-loop.ts';
import { NEVER } from './lane.ts';

export interface ReplicaWriterOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly clock: Clock;
  readonly namespace: string;
  /** The pod, whose name the object has too. */
  readonly pod: { readonly name: string; readonly uid: string };
  /** Milliseconds since the epoch. */
  wallMs(): number;
}

const FIELD_MANAGER = 'herald-replica';

export class ReplicaWriter {
  readonly #options: ReplicaWriterOptions;
  readonly #collection: string;
  readonly #loop: WriteLoop;
  #wanted: HeraldReplicaStatus | undefined;
  /** What the object holds; undefined: not known. */
  #there: JsonRecord | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #refusal: string | undefined;

  constructor(options: ReplicaWriterOptions) {
    this.#options = options;
    this.#collection = `/apis/${API_VERSION}/namespaces/${options.namespace}/heraldreplicas`;
    this.#loop = new WriteLoop(options.clock, () => this.#turn());
  }

  /** Newest wins. */
  set(status: HeraldReplicaStatus): void {
    this.#wanted = status;
    this.#loop.wake();
  }

  faults(): readonly Fault[] {
    const { namespace, pod } = this.#options;
    return this.#refusal === undefined
      ? []
      : [fault(`HeraldReplica ${namespace}/${pod.name}`, '', `was not written: ${this.#refusal}`)];
  }

  async close(): Promise<void> {
    await this.#loop.close();
  }

  async #turn(): Promise<number> {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#options.clock.nowMs() < this.#notBeforeMs) {
      return wanted === undefined ? NEVER : this.#notBeforeMs;
    }
    try {
      const there = (this.#there ??= await this.#read());
      return await this.#consider(there, wanted);
    } catch (error) {
      return this.#recover(error);
    }
  }

  async #consider(there: JsonRecord, wanted: HeraldReplicaStatus): Promise<number> {
    const time = timeText(this.#options.wallMs());
    const { status, patch } = mergeStatus(there, { ...wanted }, time);
    if (patch === undefined || isDeepStrictEqual(lasting(status), lasting(there))) {
      return NEVER;
    }
    const urgent = !isDeepStrictEqual(newsOf(status), newsOf(there));
    const at = this.#writtenAtMs + (urgent ? URGENT_INTERVAL_MS : OBJECT_INTERVAL_MS);
    const now = this.#options.clock.nowMs();
    if (at > now) {
      return at;
    }
    this.#writtenAtMs = now;
    await this.#send({
      method: 'PATCH',
      path: `${this.#collection}/${this.#options.pod.name}/status`,
      contentType: MERGE,
      body: { status: patch },
    });
    this.#there = status;
    this.#refusal = undefined;
    return NEVER;
  }

  /** The object went (with an older pod of this name, or by hand): it is looked for, and made, again. */
  #recover(error: unknown): number {
    const outcome = outcomeOf(error);
    const now = this.#options.clock.nowMs();
    if (outcome === 'gone' || outcome === 'conflict') {
      this.#there = undefined;
      return now + URGENT_INTERVAL_MS;
    }
    if (outcome === 'forbidden' || outcome === 'refused') {
      this.#refusal = (error as Error).message;
      this.#notBeforeMs = now + REFUSAL_PAUSE_MS;
      return this.#notBeforeMs;
    }
    throw error;
  }

  async #read(): Promise<JsonRecord> {
    const query = { fieldSelector: `metadata.name=${this.#options.pod.name}` };
    const answer = record(
      await this.#options.client.request({ method: 'GET', path: this.#collection, query }),
    );
    const [found] = list(answer['items']);
    return record(record(found ?? (await this.#create()))['status']);
  }

  async #create(): Promise<unknown> {
    const { namespace, pod } = this.#options;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid };
    return this.#send({
      method: 'POST',
      path: this.#collection,
      body: {
        apiVersion: API_VERSION,
        kind: 'HeraldReplica',
        metadata: { name: pod.name, namespace, ownerReferences: [owner] },
      },
    });
  }

  async #send(request: ApiRequest): Promise<unknown> {
    return this.#options.client.request({ ...request, query: { fieldManager: FIELD_MANAGER } });
  }
}

function lasting(status: JsonRecord): JsonRecord {
  return { ...status, lastContact: undefined };
}

/** What is worth a write of its own. */
function newsOf(status: JsonRecord): unknown {
  const sessions = list(status['peers'])
    .map(record)
    .map(({ name, state }) => [name, state]);
  const conditions = list(status['conditions'])
    .map(record)
    .map(({ type, status: holds }) => [type, holds]);
  return [status['role'], status['term'], sessions, conditions];
}
