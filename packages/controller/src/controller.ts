// Wires one controller: backend -> loop -> feeds, bgpd, addresses, status, HTTP. Everything that runs is made
// here and ended here; what any of it does is decided elsewhere.

import type { Fault, Settings } from '@herald/api';
import { decide, emptyMemory, explain } from '@herald/decision';
import type { Decision, DecisionSettings, RetainedTables, SessionState, World } from '@herald/decision';
import { readRetained } from '@herald/frr';
import { withOneUnreachable } from '@herald/kube';
import { PersistentMap } from '@herald/net';
import { createServer } from '@herald/server';
import type { NotReady, Server, Views } from '@herald/server';

import { AddressOutput } from './address-output.ts';
import type { Backend, Situation } from './backend.ts';
import { sessionOutput, vtySettings } from './bgpd-access.ts';
import { BgpdDriver, instancesOf } from './bgpd-driver.ts';
import { vtyPort } from './bgpd-port.ts';
import { NOBODY_ELSE } from './company.ts';
import { OtherReplicas } from './exchange/other-replicas.ts';
import type { ControllerParts, Running } from './controller-parts.ts';
import { FeedSet } from './feed-set.ts';
import { firstGeneration, nextGeneration } from './generation.ts';
import { HealthProber } from './health-prober.ts';
import { listen } from './listen.ts';
import { FaultLog, logBgpd, logFeeds, logMoves } from './log-events.ts';
import type { Logger } from './logger.ts';
import { Loop } from './loop.ts';
import { decisionSettings, worldOf } from './observe.ts';
import { Readiness } from './readiness.ts';
import { replicaOf, type ReplicaIdentity } from './replica-identity.ts';
import { NOTHING_RETAINED, retainedTables } from './retained.ts';
import { SharedHold } from './shared-hold.ts';
import { endSessions } from './shutdown.ts';
import { UpdateClock } from './update-clock.ts';
import { VERSION } from './version.ts';
import { feedView, runningPeers } from './view-parts.ts';

export class Controller {
  readonly #settings: Settings;
  readonly #decisionSettings: DecisionSettings;
  readonly #logger: Logger;
  readonly #backend: Backend;
  readonly #identity: ReplicaIdentity;
  readonly #ordinal: number;
  readonly #loop: Loop;
  readonly #feeds: FeedSet;
  readonly #bgpd: BgpdDriver;
  readonly #addresses: AddressOutput;
  readonly #prober = new HealthProber(() => this.#loop.raise());
  readonly #readiness = new Readiness();
  readonly #others: OtherReplicas;
  readonly #faultLog: FaultLog;
  readonly #clock = new UpdateClock((seconds) => this.#server?.observe.eventToUpdate(seconds));
  #server: Server | undefined;
  #sessions: PersistentMap<SessionState> = PersistentMap.empty();
  /** undefined until it was read: nothing is decided before. */
  #retained: RetainedTables | undefined;
  readonly #sharedHold = new SharedHold();
  /** The shared table of the last decision was not sent yet. */
  #isSharedOwed = false;
  #generation = firstGeneration(Date.now());
  #world: World;
  #decision: Decision;

  constructor({ settings, logger, backend, identity, ordinal }: ControllerParts) {
    this.#settings = settings;
    this.#decisionSettings = decisionSettings(settings);
    this.#logger = logger;
    this.#backend = backend;
    this.#identity = identity;
    this.#ordinal = ordinal;
    this.#faultLog = new FaultLog(logger);
    this.#loop = new Loop({
      observe: () => this.#observe(),
      act: (world, decision) => this.#act(world, decision),
      onTick: (seconds) => this.#server?.observe.tick(seconds),
      onFailure: (error) =>
        logger.error({ event: 'tick-failed', err: error }, 'a tick failed; everything stays as it was'),
    });
    this.#feeds = new FeedSet(settings, this.#feedEvents());
    this.#bgpd = new BgpdDriver(vtyPort(vtySettings(settings), sessionOutput(settings)), this.#bgpdEvents());
    this.#others = new OtherReplicas({
      settings,
      logger,
      backend,
      identity,
      bgpd: this.#bgpd,
      newest: () => ({ world: this.#world, decision: this.#decision, sessions: this.#sessions }),
      onChange: () => this.#loop.raise(),
    });
    this.#addresses = new AddressOutput(backend.addresses, logger, () => this.#loop.raise());
    this.#world = this.#worldNow();
    this.#decision = decide(this.#world, emptyMemory()).decision;
  }

  #feedEvents() {
    return logFeeds(this.#logger, {
      lost: (instance) => this.#bgpd.forget(instance),
      synced: () => this.#clock.sent(),
    });
  }

  #bgpdEvents() {
    return logBgpd(this.#logger, {
      sessions: (sessions) => {
        this.#sessions = sessions;
        this.#loop.raise();
      },
      instances: (instances) => {
        this.#feeds.retire(instances);
        this.#sendShared();
      },
    });
  }

  /** What was begun is ended again if not all of it can be. */
  async start(): Promise<Running> {
    try {
      const httpPort = await this.#listen();
      this.#logger.info({ event: 'started', version: VERSION, httpPort }, 'herald has started');
      await this.#bgpd.look();
      await Promise.all([this.#backend.start(), this.#readRetained()]);
      this.#others.start();
      this.#loop.raise();
      return { httpPort, stop: () => this.#stop() };
    } catch (error) {
      await this.#stop();
      throw error;
    }
  }

  async #readRetained(): Promise<void> {
    const read = (instance: string) => readRetained(vtySettings(this.#settings), instance);
    this.#retained = await retainedTables(this.#bgpd.state, read, this.#logger);
  }

  async #listen(): Promise<number> {
    this.#server = await createServer(
      { current: () => this.#views(), explain: (key) => explain(this.#world, this.#loop.memory, key) },
      { version: VERSION, logger: this.#logger },
    );
    const { tokens } = this.#backend;
    const listening = { settings: this.#settings, tokens, exchange: this.#others.endpoint };
    return await listen(this.#server, listening, this.#logger);
  }

  onBackendChange(): void {
    this.#clock.happened();
    this.#faultLog.say(this.#faults());
    this.#loop.raise();
  }

  #faults(): readonly Fault[] {
    return withOneUnreachable([...this.#backend.source.faults(), ...this.#backend.faults()]);
  }

  #worldNow(): World {
    const objects = this.#backend.source.snapshot();
    return worldOf({
      objects,
      settings: this.#decisionSettings,
      replica: replicaOf(this.#identity, this.#ordinal, objects.nodes),
      leadership: this.#backend.leadership,
      replicas: this.#backend.company ?? NOBODY_ELSE,
      sessions: this.#sessions,
      programmed: this.#prober.programmed,
      retained: this.#retained ?? NOTHING_RETAINED,
      freshness: this.#others.freshness,
      nowMs: Date.now(),
    });
  }

  #observe(): World | undefined {
    this.#clock.taken();
    return this.#isKnown() ? this.#worldNow() : undefined;
  }

  /** Everything that a first decision depends on; later nothing of it is waited for again. */
  #isKnown(): boolean {
    const { source, company } = this.#backend;
    const isHot = this.#settings.standbyMode === 'Hot';
    return source.synced && this.#retained !== undefined && (isHot || company !== undefined);
  }

  #act(world: World, decision: Decision): void {
    logMoves(this.#logger, this.#decision.sessions, decision.sessions);
    this.#world = world;
    this.#decision = decision;
    this.#retained = NOTHING_RETAINED;
    this.#generation = nextGeneration(this.#generation, decision.sessions);
    this.#isSharedOwed = true;
    this.#clock.held();
    this.#sendShared();
    this.#feeds.setViews(decision, this.#generation.number);
    this.#bgpd.set({
      sessions: decision.sessions,
      generation: this.#generation,
      tables: decision.tables,
    });
    this.#addresses.set(decision.allocations, world.services);
    this.#prober.set(decision.joining);
    this.#backend.publish(this.#situation);
  }

  readonly #situation = (): Situation => ({
    world: this.#world,
    decision: this.#decision,
    traffic: this.#bgpd.state.traffic,
    notReady: this.#notReady(),
  });

  #sendShared(): void {
    const running = instancesOf(this.#bgpd.state);
    if (this.#isSharedOwed && this.#sharedHold.mayReplace(this.#decision.sessions, running, Date.now())) {
      this.#isSharedOwed = false;
      this.#feeds.setShared(this.#decision, this.#generation.number);
      this.#clock.given();
    }
  }

  #notReady(): readonly NotReady[] {
    return this.#readiness.check(
      {
        synced: this.#backend.source.synced,
        tableInBgpd: this.#bgpd.holdsTable('default'),
        sessions: this.#decision.sessions,
        states: this.#sessions,
        decidedFrom: this.#world.sessions,
        running: instancesOf(this.#bgpd.state),
      },
      Date.now(),
    );
  }

  #views(): Views {
    const { source, leader, replicas, kubernetes } = this.#backend;
    const { synced, freshAtMs } = source;
    return {
      world: this.#world,
      decision: this.#decision,
      settings: this.#settings,
      loop: this.#loop.view,
      source: { kind: this.#settings.source.kind, synced, freshAtMs },
      leader,
      replicas,
      kubernetes,
      running: runningPeers(this.#bgpd.state),
      notReady: this.#notReady(),
      faults: this.#faults(),
      feeds: this.#feeds.statuses().map(feedView),
    };
  }

  /**
   * The leadership first: whoever takes over begins while our sessions still stand. Everything goes on until others
   * serve the routers, or nobody can be waited for.
   */
  async #stop(): Promise<void> {
    this.#logger.info({ event: 'stopping' }, 'handing over');
    this.#others.leave();
    await this.#backend.release();
    await this.#others.handOver();
    this.#others.close();
    await this.#loop.stop();
    this.#prober.close();
    await this.#bgpd.stop();
    await endSessions(
      vtySettings(this.#settings),
      sessionOutput(this.#settings),
      { plan: this.#decision.sessions, message: `Herald replica ${this.#identity.name} ends` },
      this.#logger,
    );
    await this.#feeds.close();
    await this.#backend.close();
    await this.#server?.close();
    this.#logger.info({ event: 'stopped' }, 'herald has stopped');
  }
}
