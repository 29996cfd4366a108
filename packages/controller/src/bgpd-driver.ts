// What keeps bgpd's sessions as planned and knows how they are. Session plan in; session states out, as
// input of the next World. One step at a time: read the sessions, see which tables have arrived, apply
// the plan for the peers that are open (gate.ts), and come back soon while something is on its way.
//
// bgpd may be away or restart at any time: everything is read anew from it, nothing is assumed to be left.

import { VtyError, type BgpdSessions } from '@herald/frr';
import { keepEqual } from '@herald/decision';
import { PersistentMap } from '@herald/net';

import type { BgpdEvents, Plan } from './bgpd-plan.ts';
import type { BgpdPort } from './bgpd-port.ts';
import { againAtMs, identitiesOf, stage, stillStands, type Applied } from './applied.ts';
import { missingPaths, Patience } from './completeness.ts';
import { openPeers } from './gate.ts';
import { pathsOf, tableOf } from './table-size.ts';
import { instanceName } from './generation.ts';
import { markerCommunity } from './marker.ts';
import { Pace } from './pace.ts';
import { Redial } from './redial.ts';

export class BgpdDriver {
  readonly #port: BgpdPort;
  readonly #events: BgpdEvents;
  readonly #pace = new Pace();
  /** Instance -> generation of the complete table that bgpd was seen to hold. */
  readonly #seen = new Map<string, number>();
  /** Counts lost feeds: what was seen before the last loss says nothing any more. */
  #losses = 0;
  readonly #redialling = new Redial();
  readonly #patience = new Patience();
  #plan: Plan | undefined;
  #applied: Applied | undefined;
  /** Identities of the peers that this process opened last. */
  #opened: ReadonlySet<string> | undefined;
  #state: BgpdSessions = { sessions: PersistentMap.empty(), traffic: new Map(), feeds: new Map() };
  #reachProblem: string | undefined = 'not yet reached';
  #wake: (() => void) | undefined;
  /** Something was asked for since the last step began. */
  #asked = false;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(port: BgpdPort, events: BgpdEvents) {
    this.#port = port;
    this.#events = events;
  }

  get state(): BgpdSessions {
    return this.#state;
  }

  /** Whether the instance was seen to hold a complete table of this process. */
  holdsTable(instance: string): boolean {
    return this.#seen.has(instance);
  }

  /** Learns what bgpd runs before anything is decided; a bgpd that does not answer yet runs nothing. */
  async look(): Promise<void> {
    try {
      this.#setState(await this.#port.sessions());
    } catch (error) {
      if (!(error instanceof VtyError)) {
        throw error;
      }
    }
  }

  set(plan: Plan): void {
    this.#plan = plan;
    this.#pace.restart(Date.now());
    this.#running ??= this.#run();
    this.#ask();
  }

  /** The feed of an instance was lost: what bgpd holds of it is no longer known to be complete. */
  forget(instance: string): void {
    this.#losses += 1;
    this.#seen.delete(instance);
    this.#patience.forget(instance);
  }

  /** Ends what is going on; no step runs afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#ask();
    await this.#running;
  }

  #ask(): void {
    this.#asked = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#asked = false;
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
      return this.#pace.pauseMs('session', Date.now());
    }
  }

  #onFailure(error: unknown): void {
    if (error instanceof VtyError && error.code === 'Unreachable') {
      this.#forgetAll();
      this.#setReach(error.message);
      this.#setState({ sessions: PersistentMap.empty(), traffic: new Map(), feeds: new Map() });
    } else {
      this.#events.onProblem(error);
    }
  }

  #forgetAll(): void {
    [...this.#seen.keys()].forEach((instance) => this.forget(instance));
    this.#losses += 1;
    this.#applied = undefined;
  }

  async #step(): Promise<number> {
    const plan = this.#plan;
    this.#setState(await this.#port.sessions());
    if (plan === undefined) {
      return this.#pace.pauseMs('nothing', Date.now());
    }
    await this.#redial(plan);
    const waiting = await this.#lookForTables(plan);
    await this.#apply(plan);
    const made = this.#isSettled(plan) ? 'nothing' : 'session';
    return this.#pace.pauseMs(waiting ? 'table' : made, Date.now());
  }

  async #redial({ sessions }: Plan): Promise<void> {
    for (const { instance } of this.#redialling.due(sessions, this.#state.feeds, Date.now())) {
      if (instance.kind === 'view') {
        await this.#port.redial(instance.name, instance.feedAddress);
      }
    }
  }

  /** True while an instance has not shown the table of the plan's generation. */
  async #lookForTables(plan: Plan): Promise<boolean> {
    const instances = new Set(['default', ...plan.sessions.peers.map(instanceName)]);
    let waiting = false;
    for (const instance of instances) {
      if ((this.#seen.get(instance) ?? 0) < plan.generation.number) {
        const losses = this.#losses;
        const isHere = (await this.#isComplete(plan, instance)) && losses === this.#losses;
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
    if (!(await this.#port.markerSeen(instance, markerCommunity(plan.generation.number)))) {
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
    const held = [await this.#port.paths(instance, 4), await this.#port.paths(instance, 6)].flat();
    this.#events.onIncomplete(instance, missingPaths(tableOf(tables, instance), held));
  }

  async #apply(plan: Plan): Promise<void> {
    const running = instancesOf(this.#state);
    const tables = { seen: this.#seen, running, opened: this.#opened };
    const open = openPeers(plan.sessions, plan.generation, tables);
    const opened = identitiesOf(plan.sessions, open);
    if (stillStands(this.#applied, plan.sessions, opened, this.#state, Date.now())) {
      return;
    }
    const losses = this.#losses;
    const outcome = await this.#port.applyIf(
      stage(plan.sessions, open),
      () => losses === this.#losses && plan === this.#plan,
    );
    if (outcome === undefined) {
      this.#ask();
      return;
    }
    this.#opened = opened;
    this.#events.onApplied(outcome);
    this.#setState(await this.#port.sessions());
    this.#applied = {
      sessions: plan.sessions,
      opened,
      instances: new Set(this.#state.feeds.keys()),
      againAtMs: againAtMs(outcome, Date.now()),
    };
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

  async #pause(ms: number): Promise<void> {
    if (this.#asked) {
      return;
    }
    await new Promise<void>((resolve) => {
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
