// Events about what began to hold: wanted events -> events.k8s.io/v1 objects, one when a reason appears on an
// object, a higher count on the same one when it comes back within some minutes. `kubectl describe` shows
// them. At most 25 at once and one each five seconds after, for each kind of object, warnings apart from news, so that
// nobody waits for a warning because many Services were given addresses; in between the newest wanted ones
// supersede the others, and what does not hold any more is never said. One that is forbidden, by RBAC, a quota or an
// admission webhook, is tried again now and then for as long as it holds, and keeps no other back.

import { Budget } from './budget.ts';
import { NEVER, type Lane, type LaneContext } from './lane.ts';
import { MERGE } from './leader-client.ts';
import { microTime } from '../lease/lease-record.ts';
import type { JsonRecord } from '../transport/json.ts';
import type { WantedEvent } from './wanted-status.ts';
import { REFUSAL_PAUSE_MS } from './refusals.ts';
import { outcomeOf } from './write-outcome.ts';

export interface Reporter {
  /** The pod's name. */
  readonly instance: string;
}

interface Series {
  readonly path: string;
  readonly count: number;
  readonly atMs: number;
}

const REPORTING_CONTROLLER = 'heraldbgp.io/herald';
const ACTION = 'Announce';
const BURST = 25;
const INTERVAL_MS = 5000;
/** After this time without it, the same reason is a new Event. */
const SERIES_MS = 6 * 60_000;
/** The API server's limit for an Event's text. */
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 200;
/** Where Events about objects of the whole cluster live. */
const CLUSTER_NAMESPACE = 'default';

export class Events implements Lane {
  readonly kind = 'Event';
  readonly #context: LaneContext;
  readonly #reporter: Reporter;
  readonly #budgets = new Map<string, Budget>();
  readonly #series = new Map<string, Series>();
  readonly #due = new Map<string, WantedEvent>();
  /** When one that was forbidden is tried again. */
  readonly #heldUntilMs = new Map<string, number>();
  #wanted = new Map<string, WantedEvent>();
  readonly #wasSaid: (event: WantedEvent) => boolean;
  #said = new Set<string>();

  /** `wasSaid`: whether the object told this before our leadership began. */
  constructor(context: LaneContext, reporter: Reporter, wasSaid: (event: WantedEvent) => boolean) {
    this.#context = context;
    this.#reporter = reporter;
    this.#wasSaid = wasSaid;
  }

  set(events: readonly WantedEvent[]): void {
    this.#wanted = new Map(events.map((event) => [keyOf(event), event]));
    for (const key of [...this.#said, ...this.#due.keys()]) {
      if (!this.#wanted.has(key)) {
        this.#said.delete(key);
        this.#due.delete(key);
        this.#heldUntilMs.delete(key);
        this.#context.refusals.drop(this.kind, key);
      }
    }
    for (const [key, event] of this.#wanted) {
      if (!this.#said.has(key)) {
        this.#due.set(key, event);
      }
    }
    if (this.#due.size === 0) {
      this.#context.refusals.drop(this.kind);
    }
  }

  prime(): Promise<void> {
    this.#series.clear();
    this.#due.clear();
    this.#heldUntilMs.clear();
    const said = [...this.#wanted].filter(([, event]) => this.#wasSaid(event));
    this.#said = new Set(said.map(([key]) => key));
    this.set([...this.#wanted.values()]);
    return Promise.resolve();
  }

  async writeDue(): Promise<number> {
    let next = NEVER;
    for (const [key, event] of this.#due) {
      const now = this.#context.nowMs();
      const budget = this.#budgetOf(event);
      const at = Math.max(budget.nextAt(now), this.#heldUntilMs.get(key) ?? now);
      next = Math.min(next, at > now ? at : NEVER);
      if (at <= now) {
        budget.spend(now);
        next = Math.min(next, await this.#write(key, event));
      }
    }
    return next;
  }

  #budgetOf({ object, type }: WantedEvent): Budget {
    const key = `${object.kind} ${type}`;
    const budget = this.#budgets.get(key) ?? new Budget(BURST, INTERVAL_MS);
    this.#budgets.set(key, budget);
    return budget;
  }

  /** When to go on with it. */
  async #write(key: string, event: WantedEvent): Promise<number> {
    this.#due.delete(key);
    this.#heldUntilMs.delete(key);
    this.#said.add(key);
    try {
      const before = this.#recent(key);
      const series = before === undefined ? await this.#create(event) : await this.#count(before, event);
      this.#series.set(key, series);
      this.#context.refusals.clear(this.kind, key);
      return NEVER;
    } catch (error) {
      return this.#recover(key, event, error);
    }
  }

  /** An Event that was refused for what it is is not tried again, nor is one whose namespace is gone. */
  #recover(key: string, event: WantedEvent, error: unknown): number {
    const outcome = outcomeOf(error);
    if (outcome === 'gone' || outcome === 'conflict') {
      return NEVER;
    }
    if (this.#context.refusals.take(this.kind, key, error) && outcome !== 'forbidden') {
      return NEVER;
    }
    this.#said.delete(key);
    if (this.#wanted.has(key)) {
      this.#due.set(key, event);
    }
    if (outcome === 'forbidden') {
      const untilMs = this.#context.nowMs() + REFUSAL_PAUSE_MS;
      this.#heldUntilMs.set(key, untilMs);
      return untilMs;
    }
    throw error;
  }

  #recent(key: string): Series | undefined {
    for (const [other, series] of this.#series) {
      if (this.#context.nowMs() - series.atMs > SERIES_MS) {
        this.#series.delete(other);
      }
    }
    return this.#series.get(key);
  }

  async #create(event: WantedEvent): Promise<Series> {
    const { object } = event;
    const namespace = object.namespace === '' ? CLUSTER_NAMESPACE : object.namespace;
    const name = `${object.name.slice(0, LONGEST_NAME)}.${this.#suffix()}`;
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    await this.#context.client.write({ method: 'POST', path, body: this.#body(event, namespace, name) });
    return { path: `${path}/${name}`, count: 1, atMs: this.#context.nowMs() };
  }

  #body({ object, type, reason, message }: WantedEvent, namespace: string, name: string): JsonRecord {
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name },
      eventTime: microTime(this.#context.wallMs()),
      reportingController: REPORTING_CONTROLLER,
      reportingInstance: this.#reporter.instance,
      action: ACTION,
      regarding: { ...object, namespace: object.namespace === '' ? undefined : object.namespace },
      type,
      reason,
      note: message.slice(0, LONGEST_NOTE),
    };
  }

  async #count(before: Series, event: WantedEvent): Promise<Series> {
    const count = before.count + 1;
    const series = { count, lastObservedTime: microTime(this.#context.wallMs()) };
    try {
      const body = { series };
      await this.#context.client.write({ method: 'PATCH', path: before.path, contentType: MERGE, body });
      return { ...before, count, atMs: this.#context.nowMs() };
    } catch (error) {
      // Events expire.
      if (outcomeOf(error) !== 'gone') {
        throw error;
      }
      return this.#create(event);
    }
  }

  #suffix(): string {
    return (this.#context.wallMs() * 1000 + this.#series.size).toString(16);
  }
}

function keyOf({ object, reason }: WantedEvent): string {
  return `${object.kind} ${object.namespace}/${object.name} ${object.uid} ${reason}`;
}
