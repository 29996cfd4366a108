// What keeps bgpd's sessions as planned and knows how they are. Session plan in; session states out, as
// input of the next World. One step at a time: read the sessions, see which tables have arrived, apply
// the plan for the peers that are open (gate.ts), and come back soon while something is on its way.
//
// bgpd may be away or restart at any time: everything is read anew from it, nothing is assumed to be left.

import {
  readMarkerSeen,
  readTable,
  redialFeed,
  readSessions,
  type SessionOutput,
  VtyError,
  type BgpdSessions,
  type VtySettings,
} from '@herald/frr';
import { PersistentMap } from '@herald/net';

import type { BgpdEvents, Plan } from './bgpd-plan.ts';
import { identitiesOf, stage, stillStands, type Applied } from './applied.ts';
import { missingPaths, Patience } from './completeness.ts';
import { openPeers } from './gate.ts';
import { pathsOf, tableOf } from './table-size.ts';
import { instanceName } from './generation.ts';
import { markerCommunity } from './marker.ts';
import { keepEqual } from './keep-equal.ts';
import { Redial } from './redial.ts';

/** While a table or a session is on its way, and when all is quiet. */
const BUSY_MS = 25;
const ESTABLISHING_MS = 200;
const QUIET_MS = 1000;

export class BgpdDriver {
  readonly #vty: VtySettings;
  readonly #output: SessionOutput;
  readonly #events: BgpdEvents;
  readonly #seen = new Map<string, number>();
  readonly #redialling = new Redial();
  readonly #patience = new Patience();
  #plan: Plan | undefined;
  #applied: Applied | undefined;
  #state: BgpdSessions = { sessions: PersistentMap.empty(), traffic: new Map(), feeds: new Map() };
  #reachProblem: string | undefined = 'not yet reached';
  #wake: (() => void) | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(vty: VtySettings, output: SessionOutput, events: BgpdEvents) {
    this.#vty = vty;
    this.#output = output;
    this.#events = events;
  }

  get state(): BgpdSessions {
    return this.#state;
  }

  /** Whether the default instance was seen to hold a complete table of this process. */
  get holdsTable(): boolean {
    return this.#seen.has('default');
  }

  /** Learns what bgpd runs before anything is decided; a bgpd that does not answer yet runs nothing. */
  async look(): Promise<void> {
    try {
      this.#setState(await readSessions(this.#vty));
    } catch (error) {
      if (!(error instanceof VtyError)) {
        throw error;
      }
    }
  }

  set(plan: Plan): void {
    this.#plan = plan;
    this.#running ??= this.#run();
    this.#wake?.();
  }

  /** The feed of an instance was lost: what bgpd holds of it is no longer known to be complete. */
  forget(instance: string): void {
    this.#seen.delete(instance);
  }

  /** Ends what is going on; no step runs afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const pauseMs = await this.#safeStep();
      await this.#pause(pauseMs);
    }
  }

  async #safeStep(): Promise<number> {
    try {
      const pauseMs = await this.#step();
      this.#setReach(undefined);
      return pauseMs;
    } catch (error) {
      this.#onFailure(error);
      return ESTABLISHING_MS;
    }
  }

  #onFailure(error: unknown): void {
    if (error instanceof VtyError && error.code === 'Unreachable') {
      this.#seen.clear();
      this.#applied = undefined;
      this.#setReach(error.message);
      this.#setState({ sessions: PersistentMap.empty(), traffic: new Map(), feeds: new Map() });
    } else {
      this.#events.onProblem(error);
    }
  }

  async #step(): Promise<number> {
    const plan = this.#plan;
    this.#setState(await readSessions(this.#vty));
    if (plan === undefined) {
      return QUIET_MS;
    }
    await this.#redial(plan);
    const waiting = await this.#lookForTables(plan);
    await this.#apply(plan);
    if (waiting) {
      return BUSY_MS;
    }
    return this.#isSettled(plan) ? QUIET_MS : ESTABLISHING_MS;
  }

  async #redial({ sessions }: Plan): Promise<void> {
    for (const { instance } of this.#redialling.due(sessions, this.#state.feeds, Date.now())) {
      if (instance.kind === 'view') {
        await redialFeed(this.#vty, instance.name, instance.feedAddress);
      }
    }
  }

  /** True while an instance has not shown the table of the plan's generation. */
  async #lookForTables(plan: Plan): Promise<boolean> {
    const instances = new Set(['default', ...plan.sessions.peers.map(instanceName)]);
    let waiting = false;
    for (const instance of instances) {
      if ((this.#seen.get(instance) ?? 0) < plan.generation.number) {
        const isHere = await this.#isComplete(plan, instance);
        if (isHere) {
          this.#seen.set(instance, plan.generation.number);
        }
        waiting ||= !isHere;
      }
    }
    return waiting;
  }

  async #isComplete(plan: Plan, instance: string): Promise<boolean> {
    const feed = this.#state.feeds.get(instance);
    if (feed === undefined || !feed.established) {
      return false;
    }
    if (!(await readMarkerSeen(this.#vty, instance, markerCommunity(plan.generation.number)))) {
      return false;
    }
    // Counted just before the marker was seen: then it may still be growing, and the next step counts again.
    const held = feed.paths[4] + feed.paths[6];
    const outcome = this.#patience.judge(instance, held, pathsOf(plan.tables, instance), Date.now());
    if (outcome === 'given-up') {
      await this.#nameMissing(plan, instance);
    }
    return outcome !== 'waiting';
  }

  async #nameMissing({ tables }: Plan, instance: string): Promise<void> {
    const held = [await readTable(this.#vty, instance, 4), await readTable(this.#vty, instance, 6)];
    const table = tableOf(tables, instance);
    this.#events.onIncomplete(
      instance,
      missingPaths(
        table,
        held.flatMap(({ paths }) => paths),
      ),
    );
  }

  async #apply(plan: Plan): Promise<void> {
    const running = instancesOf(this.#state);
    const tables = { seen: this.#seen, running, opened: this.#applied?.opened };
    const open = openPeers(plan.sessions, plan.generation, tables);
    const opened = identitiesOf(plan.sessions, open);
    if (stillStands(this.#applied, plan.sessions, opened, this.#state)) {
      return;
    }
    const outcome = await this.#output.apply(stage(plan.sessions, open));
    this.#events.onApplied(outcome);
    this.#setState(await readSessions(this.#vty));
    this.#applied = { sessions: plan.sessions, opened, instances: new Set(this.#state.feeds.keys()) };
  }

  #isSettled(plan: Plan): boolean {
    return plan.sessions.peers.every(
      (peer) => peer.shutdown || this.#state.sessions.get(peer.name)?.state === 'Established',
    );
  }

  #setState(next: BgpdSessions): void {
    const sessions = keepEqual(next.sessions, this.#state.sessions);
    const isNew = sessions !== this.#state.sessions;
    this.#state = { ...next, sessions };
    if (isNew) {
      this.#events.onSessions(sessions);
    }
    this.#events.onInstances(new Set(next.feeds.keys()));
  }

  #setReach(problem: string | undefined): void {
    if (problem !== this.#reachProblem) {
      this.#reachProblem = problem;
      this.#events.onReach(problem);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wake = wake;
    });
  }
}

/** Peer name -> instance in which bgpd runs it. */
export function instancesOf({ traffic }: BgpdSessions): ReadonlyMap<string, string> {
  return new Map(Array.from(traffic, ([name, { instance }]) => [name, instance]));
}
