// Wires one controller: backend -> loop -> feeds, bgpd, addresses, status, HTTP. Everything that runs is made
// here and ended here; what any of it does is decided elsewhere.

import type { Fault, Settings } from '@herald/api';
import { decide, emptyMemory, explain } from '@herald/decision';
import type { Decision, DecisionSettings, SessionState, World } from '@herald/decision';
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
import { HealthProber } from './health-prober.ts';
import { KeptTable } from './kept/kept-table.ts';
import { listen } from './listen.ts';
import { FaultLog, logBgpd, logMoves } from './log-events.ts';
import type { Logger } from './logger.ts';
import { Loop } from './loop.ts';
import { decisionSettings, worldOf } from './observe.ts';
import { Readiness } from './readiness.ts';
import { replicaOf, type ReplicaIdentity } from './replica-identity.ts';
import { NOTHING_RETAINED, Retained } from './retained.ts';
import { endSessions } from './shutdown.ts';
import { TableOutput } from './table-output.ts';
import { UpdateClock } from './update-clock.ts';
import { VERSION } from './version.ts';
import { feedView, runningPeers } from './view-parts.ts';

export class Controller {
  readonly #settings: Settings;
  readonly #decisionSettings: DecisionSettings;
  readonly #logger: Logger;
  readonly #backend: Backend;
  readonly #identity: ReplicaIdentity;
  readonly #place: ControllerParts['place'];
  readonly #loop: Loop;
  readonly #bgpd: BgpdDriver;
  readonly #addresses: AddressOutput;
  readonly #raise = (): void => this.#loop.raise();
  readonly #prober = new HealthProber(this.#raise);
  readonly #readiness = new Readiness();
  readonly #kept: KeptTable;
  readonly #others: OtherReplicas;
  readonly #faultLog: FaultLog;
  readonly #clock = new UpdateClock((seconds) => this.#server?.observe.eventToUpdate(seconds));
  #server: Server | undefined;
  #sessions: PersistentMap<SessionState> = PersistentMap.empty();
  /** Nothing is decided before it was read. */
  readonly #retained: Retained;
  readonly #output: TableOutput;
  #world: World;
  #decision: Decision;

  constructor({ settings, logger, backend, identity, place }: ControllerParts) {
    this.#settings = settings;
    this.#decisionSettings = decisionSettings(settings);
    this.#logger = logger;
    this.#backend = backend;
    this.#identity = identity;
    this.#place = place;
    this.#faultLog = new FaultLog(logger);
    this.#loop = new Loop({
      observe: () => this.#observe(),
      act: (world, decision) => this.#act(world, decision),
      onTick: (seconds) => this.#server?.observe.tick(seconds),
      onFailure: (error) => {
        logger.error({ event: 'tick-failed', err: error }, 'a tick failed; everything stays as it was');
        this.#announceKept();
      },
    });
    this.#bgpd = new BgpdDriver(vtyPort(vtySettings(settings), sessionOutput(settings)), this.#bgpdEvents());
    this.#output = new TableOutput({ settings, bgpd: this.#bgpd, clock: this.#clock, logger });
    const read = (instance: string) => readRetained(vtySettings(settings), instance);
    this.#retained = new Retained({ state: () => this.#bgpd.state, read, logger });
    this.#kept = new KeptTable({ settings, identity, place, logger, onChange: this.#raise });
    this.#others = new OtherReplicas({
      settings,
      logger,
      backend,
      identity,
      bgpd: this.#bgpd,
      newest: () => ({ world: this.#world, decision: this.#decision, sessions: this.#sessions }),
      moreUrls: () => this.#kept.others,
      onChange: this.#raise,
    });
    this.#addresses = new AddressOutput(backend.addresses, logger, this.#raise);
    this.#world = this.#worldNow();
    this.#decision = decide(this.#world, emptyMemory()).decision;
  }

  #bgpdEvents() {
    return logBgpd(this.#logger, {
      sessions: (sessions) => {
        this.#sessions = sessions;
        this.#loop.raise();
      },
      instances: (instances) => this.#output.instances(instances),
    });
  }

  /** What was begun is ended again if not all of it can be. */
  async start(): Promise<Running> {
    try {
      const httpPort = await this.#listen();
      this.#logger.info({ event: 'started', version: VERSION, httpPort }, 'herald has started');
      await this.#bgpd.look();
      await Promise.all([this.#backend.start(), this.#retained.read(), this.#kept.start()]);
      this.#others.start();
      this.#loop.raise();
      return { httpPort, stop: () => this.#stop() };
    } catch (error) {
      await this.#stop();
      throw error;
    }
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
    const { source, leadership, company: replicas = NOBODY_ELSE } = this.#backend;
    const objects = source.snapshot();
    return worldOf({
      objects,
      settings: this.#decisionSettings,
      replica: replicaOf(this.#identity, this.#place.among(replicas.others), objects.nodes),
      leadership,
      replicas,
      sessions: this.#sessions,
      programmed: this.#prober.programmed,
      retained: this.#retained.tables ?? NOTHING_RETAINED,
      freshness: this.#others.freshness,
      nowMs: Date.now(),
    });
  }

  #observe(): World | undefined {
    this.#clock.taken();
    if (this.#isKnown()) {
      return this.#worldNow();
    }
    this.#announceKept();
    return undefined;
  }

  /** Everything that a first decision depends on; later nothing of it is waited for again. */
  #isKnown(): boolean {
    const { source, company } = this.#backend;
    const isThere = source.synced && (this.#settings.standbyMode === 'Hot' || company !== undefined);
    const isRead = this.#retained.tables !== undefined;
    if (isThere && !isRead) {
      void this.#retained.read().then(this.#raise);
    }
    return isThere && isRead;
  }

  #act(world: World, decision: Decision): void {
    logMoves(this.#logger, this.#decision.sessions, decision.sessions);
    this.#world = world;
    this.#decision = decision;
    this.#retained.adopted();
    this.#output.give(decision);
    this.#addresses.set(decision.allocations, world.services);
    this.#prober.set(decision.joining);
    this.#backend.publish(this.#situation);
    const { others } = this.#backend;
    this.#kept.keep({ decision, memory: this.#loop.memory, others, stale: world.freshness.stale });
  }

  /** There is nothing to decide from, or no decision comes of it. */
  #announceKept(): void {
    const { covered } = this.#others.freshness;
    const running = instancesOf(this.#bgpd.state);
    const kept = this.#kept.look({ covered, retained: this.#retained.tables, running, nowMs: Date.now() });
    if (kept === undefined) {
      return;
    }
    this.#world = this.#worldNow();
    if (kept.tables !== this.#decision.tables) {
      this.#decision = { ...this.#decision, ...kept };
      this.#retained.outdated();
      this.#output.give(this.#decision);
    }
  }

  readonly #situation = (): Situation => ({
    world: this.#world,
    decision: this.#decision,
    traffic: this.#bgpd.state.traffic,
    notReady: this.#notReady(),
  });

  #notReady(): readonly NotReady[] {
    return this.#readiness.check(
      {
        synced: this.#backend.source.synced || this.#kept.view !== undefined,
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
      exchange: this.#others.view,
      keptTable: this.#kept.view,
      kubernetes,
      running: runningPeers(this.#bgpd.state),
      notReady: this.#notReady(),
      faults: this.#faults(),
      feeds: this.#output.feeds.map(feedView),
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
    await Promise.all([this.#kept.close(), this.#place.close()]);
    this.#prober.close();
    await this.#bgpd.stop();
    await endSessions(
      vtySettings(this.#settings),
      sessionOutput(this.#settings),
      { plan: this.#decision.sessions, message: `Herald replica ${this.#identity.name} ends` },
      this.#logger,
    );
    await this.#output.close();
    await this.#backend.close();
    await this.#server?.close();
    this.#logger.info({ event: 'stopped' }, 'herald has stopped');
  }
}
