// The condition heraldbgp.io/Advertised of every Service: wanted conditions -> patches of those that differ,
// at most ten a second, because each write to a Service goes to every kube-proxy. Nothing else of a Service's
// status is touched, and a Service that is not wanted any more loses the condition.

import { PersistentMap } from '@herald/net';
import type { CurrentService } from '../cluster/cluster-source.ts';
import { readAll, readNamed, servicesOf } from './read-raw.ts';
import { rawMeta } from '../transport/json.ts';
import { Budget } from './budget.ts';
import { NEVER, type Lane, type LaneContext } from './lane.ts';
import { STRATEGIC_MERGE } from './leader-client.ts';
import {
  advertisedCondition,
  conditionPatch,
  serviceStatusPath,
  versionOf,
  type Version,
  type WrittenCondition,
} from './service-status.ts';
import type { ServiceCondition } from './wanted-status.ts';
import { outcomeOf } from './write-outcome.ts';

export interface ConditionSource {
  current(serviceKey: string): CurrentService | undefined;
  /** True while addresses are being written; conditions wait. */
  addressesFirst(): boolean;
}

interface KnownService {
  readonly uid: string;
  readonly condition: WrittenCondition | undefined;
}

/** What to write: a condition, or its removal. */
type Plan = { readonly condition: WrittenCondition | undefined } | undefined;

const BURST = 10;
const INTERVAL_MS = 100;
const YIELD_MS = 100;
/** After a conflict; the source has caught up by then. */
const RETRY_MS = 500;

export class ServiceConditions implements Lane {
  readonly kind = 'Service';
  readonly #context: LaneContext;
  readonly #source: ConditionSource;
  readonly #budget = new Budget(BURST, INTERVAL_MS);
  readonly #known = new Map<string, KnownService>();
  readonly #foundReasons = new Map<string, string>();
  readonly #readVersions = new Map<string, Version>();
  readonly #changed = new Set<string>();
  #wanted: PersistentMap<ServiceCondition> = PersistentMap.empty();

  constructor(context: LaneContext, source: ConditionSource) {
    this.#context = context;
    this.#source = source;
  }

  set(wanted: PersistentMap<ServiceCondition>): void {
    for (const key of wanted.changedKeys(this.#wanted)) {
      this.#changed.add(key);
    }
    this.#wanted = wanted;
  }

  /** The reason that stood on the Service when this leadership began. */
  foundReason(serviceKey: string): string | undefined {
    return this.#foundReasons.get(serviceKey);
  }

  async prime(): Promise<void> {
    this.#known.clear();
    this.#foundReasons.clear();
    for await (const raw of readAll(this.#context.client, '/api/v1/services')) {
      this.#learn(raw);
    }
    for (const [key, { condition }] of this.#known) {
      if (condition !== undefined) {
        this.#changed.add(key);
        this.#foundReasons.set(key, condition.reason);
      }
    }
    for (const key of this.#wanted.keys()) {
      this.#changed.add(key);
    }
  }

  async writeDue(): Promise<number> {
    let next = NEVER;
    // A copy, because what has to wait is put back into the set.
    for (const key of new Set(this.#changed)) {
      const current = this.#source.current(key);
      const plan = current && this.#plan(key, current.service.uid);
      if (current === undefined || plan === undefined) {
        this.#changed.delete(key);
        this.#forgetIfGone(key, current);
        continue;
      }
      const at = this.#mayWriteAt();
      if (at > this.#context.nowMs()) {
        return Math.min(next, at);
      }
      next = Math.min(next, await this.#write(key, plan, this.#versionOf(key, current)));
    }
    return next;
  }

  #forgetIfGone(key: string, current: CurrentService | undefined): void {
    if (current === undefined) {
      this.#known.delete(key);
      this.#context.refusals.drop(this.kind, key);
    }
  }

  /** What was read after a conflict is newer than what the source shows. */
  #versionOf(key: string, { service, resourceVersion }: CurrentService): Version {
    const read = this.#readVersions.get(key);
    this.#readVersions.delete(key);
    return read?.uid === service.uid ? read : { uid: service.uid, resourceVersion };
  }

  #mayWriteAt(): number {
    const now = this.#context.nowMs();
    const at = this.#source.addressesFirst() ? now + YIELD_MS : this.#budget.nextAt(now);
    return Math.max(at, this.#context.refusals.pausedUntilMs(this.kind));
  }

  #learn(raw: unknown): void {
    const { namespace, name, uid } = rawMeta(raw);
    const key = `${namespace}/${name}`;
    this.#known.set(key, { uid, condition: advertisedCondition(raw) });
  }

  #plan(key: string, uid: string): Plan {
    const known = this.#known.get(key);
    const there = known?.uid === uid ? known.condition : undefined;
    const wanted = this.#wanted.get(key);
    if (wanted === undefined) {
      return there && { condition: undefined };
    }
    if (
      there?.status === wanted.status &&
      there.reason === wanted.reason &&
      there.message === wanted.message
    ) {
      return undefined;
    }
    const { status, reason, message } = wanted;
    const lastTransitionTime =
      there?.status === status ? there.lastTransitionTime : timeText(this.#context.wallMs());
    return { condition: { status, reason, message, lastTransitionTime } };
  }

  /** When to go on with this object. */
  async #write(key: string, plan: NonNullable<Plan>, version: Version): Promise<number> {
    this.#changed.delete(key);
    this.#budget.spend(this.#context.nowMs());
    try {
      await this.#patch(key, plan, version);
      return NEVER;
    } catch (error) {
      return this.#recover(key, error);
    }
  }

  async #patch(key: string, { condition }: NonNullable<Plan>, version: Version): Promise<void> {
    const { client, refusals } = this.#context;
    await client.write({
      method: 'PATCH',
      path: serviceStatusPath(key),
      contentType: STRATEGIC_MERGE,
      body: conditionPatch(version, condition),
    });
    this.#known.set(key, { uid: version.uid, condition });
    refusals.clear(this.kind, key);
  }

  /** After a conflict the object is read, and written for what is there when its turn comes again. */
  async #recover(key: string, error: unknown): Promise<number> {
    const outcome = outcomeOf(error);
    if (this.#context.refusals.take(this.kind, key, error) && outcome !== 'forbidden') {
      return NEVER;
    }
    this.#changed.add(key);
    if (outcome === 'forbidden') {
      return this.#context.refusals.pause(this.kind);
    }
    if (outcome !== 'conflict' && outcome !== 'gone') {
      throw error;
    }
    const { collection, name } = servicesOf(key);
    const raw = await readNamed(this.#context.client, collection, name);
    if (raw === undefined) {
      this.#known.delete(key);
    } else {
      this.#learn(raw);
      this.#readVersions.set(key, versionOf(raw));
    }
    return this.#context.nowMs() + RETRY_MS;
  }
}

/** API times have whole seconds. */
export function timeText(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
