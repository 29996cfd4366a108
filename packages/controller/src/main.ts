// Wires one controller: source -> loop -> feeds, bgpd, addresses, HTTP. Everything that runs is made here
// and ended here; what any of it does is decided elsewhere.

import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Settings } from '@herald/api';
import { decide, emptyMemory, explain, type Decision, type SessionState, type World } from '@herald/decision';
import { SessionOutput, VTY_BOUNDS, type VtySettings } from '@herald/frr';
import { FolderSource } from '@herald/kube';
import { PersistentMap } from '@herald/net';
import { createServer, type Server, type Views } from '@herald/server';

import { AddressOutput } from './address-output.ts';
import { BgpdDriver, instancesOf } from './bgpd-driver.ts';
import { FeedSet } from './feed-set.ts';
import { firstGeneration, nextGeneration } from './generation.ts';
import { FaultLog, logBgpd, logFeeds, logMoves } from './log-events.ts';
import type { Logger } from './logger.ts';
import { Loop } from './loop.ts';
import { worldOf } from './observe.ts';
import { placement } from './placement.ts';
import { Readiness } from './readiness.ts';
import { SharedHold } from './shared-hold.ts';
import { endSessions } from './shutdown.ts';
import { loadTerm } from './term.ts';
import { UpdateClock } from './update-clock.ts';
import { VERSION } from './version.ts';

export interface Running {
  readonly httpPort: number;
  stop(): Promise<void>;
}

export async function start(settings: Settings, logger: Logger): Promise<Running> {
  const controller = new Controller(settings, logger, await loadTerm(settings.stateDir, Date.now()));
  return await controller.start();
}

class Controller {
  readonly #settings: Settings;
  readonly #logger: Logger;
  readonly #source: FolderSource;
  readonly #leadership;
  readonly #replica = { name: hostname(), labels: {}, ordinal: 0 };
  readonly #loop: Loop;
  readonly #feeds: FeedSet;
  readonly #bgpd: BgpdDriver;
  readonly #addresses: AddressOutput;
  readonly #readiness = new Readiness();
  readonly #faultLog: FaultLog;
  readonly #clock = new UpdateClock((seconds) => this.#server?.observe.eventToUpdate(seconds));
  #server: Server | undefined;
  #sessions: PersistentMap<SessionState> = PersistentMap.empty();
  readonly #sharedHold = new SharedHold();
  /** The shared table of the last decision was not sent yet. */
  #isSharedOwed = false;
  #generation = firstGeneration(Date.now());
  #world: World;
  #decision: Decision;

  constructor(settings: Settings, logger: Logger, term: number) {
    this.#settings = settings;
    this.#logger = logger;
    this.#leadership = { leading: true, term };
    this.#faultLog = new FaultLog(logger);
    this.#source = folderSource(settings);
    this.#loop = new Loop({
      observe: () => this.#observe(),
      act: (world, decision) => this.#act(world, decision),
      onTick: (seconds) => this.#server?.observe.tick(seconds),
      onFailure: (error) =>
        logger.error({ event: 'tick-failed', err: error }, 'a tick failed; everything stays as it was'),
    });
    this.#feeds = new FeedSet(
      settings,
      logFeeds(logger, {
        lost: (instance) => this.#bgpd.forget(instance),
        synced: () => this.#clock.sent(),
      }),
    );
    this.#bgpd = new BgpdDriver(
      vtySettings(settings),
      sessionOutput(settings),
      logBgpd(logger, {
        sessions: (sessions) => {
          this.#sessions = sessions;
          this.#loop.raise();
        },
        instances: (instances) => {
          this.#feeds.retire(instances);
          this.#sendShared();
        },
      }),
    );
    this.#addresses = new AddressOutput(this.#source, logger, () => this.#loop.raise());
    this.#world = this.#worldNow();
    this.#decision = decide(this.#world, emptyMemory()).decision;
  }

  async start(): Promise<Running> {
    const unsubscribe = this.#source.onChange(() => this.#onSourceChange());
    this.#server = await createServer(
      { current: () => this.#views(), explain: (key) => this.#explain(key) },
      { version: VERSION },
    );
    const httpPort = await this.#server.listen(this.#settings.http);
    this.#logger.info({ event: 'started', version: VERSION, httpPort }, 'herald has started');
    await this.#bgpd.look();
    await this.#source.start();
    this.#loop.raise();
    return { httpPort, stop: () => this.#stop(unsubscribe) };
  }

  #onSourceChange(): void {
    this.#clock.happened();
    this.#faultLog.say(this.#source.faults());
    this.#loop.raise();
  }

  #worldNow(): World {
    return worldOf({
      objects: this.#source.snapshot(),
      settings: this.#settings,
      replica: this.#replica,
      leadership: this.#leadership,
      sessions: this.#sessions,
      nowMs: Date.now(),
    });
  }

  #observe(): World | undefined {
    this.#clock.taken();
    return this.#source.synced ? this.#worldNow() : undefined;
  }

  #act(world: World, decision: Decision): void {
    logMoves(this.#logger, this.#decision.sessions, decision.sessions);
    this.#world = world;
    this.#decision = decision;
    this.#generation = nextGeneration(this.#generation, decision.sessions);
    this.#isSharedOwed = true;
    this.#sendShared();
    this.#feeds.setViews(decision, this.#generation.number);
    this.#bgpd.set({
      sessions: decision.sessions,
      generation: this.#generation,
      tables: decision.tables,
    });
    this.#addresses.set(decision.allocations);
  }

  #sendShared(): void {
    const running = instancesOf(this.#bgpd.state);
    if (this.#isSharedOwed && this.#sharedHold.mayReplace(this.#decision.sessions, running, Date.now())) {
      this.#isSharedOwed = false;
      this.#feeds.setShared(this.#decision, this.#generation.number);
    }
  }

  #explain(serviceKey: string) {
    return explain(this.#world, this.#loop.memory, serviceKey);
  }

  #views(): Views {
    const { synced, freshAtMs } = this.#source;
    const facts = {
      synced,
      tableInBgpd: this.#bgpd.holdsTable,
      sessions: this.#decision.sessions,
      states: this.#sessions,
    };
    return {
      world: this.#world,
      decision: this.#decision,
      settings: this.#settings,
      loop: this.#loop.view,
      source: { kind: this.#settings.source.kind, synced, freshAtMs },
      notReady: this.#readiness.check(facts, Date.now()),
      faults: this.#source.faults(),
      feeds: this.#feeds.statuses().map(({ name, state, counters }) => ({
        name: name === 'default' ? 'shared' : name,
        state: state.kind,
        sinceMs: state.kind === 'established' ? state.sinceMs : undefined,
        counters,
      })),
    };
  }

  async #stop(unsubscribe: () => void): Promise<void> {
    this.#logger.info({ event: 'stopping' }, 'ending the sessions');
    unsubscribe();
    this.#loop.stop();
    await this.#bgpd.stop();
    await endSessions(
      vtySettings(this.#settings),
      sessionOutput(this.#settings),
      this.#decision.sessions,
      this.#logger,
    );
    await this.#feeds.close();
    await this.#source.close();
    await this.#server?.close();
    this.#logger.info({ event: 'stopped' }, 'herald has stopped');
  }
}

function folderSource({ source, stateDir }: Settings): FolderSource {
  if (source.kind !== 'folder') {
    throw new RangeError(`settings: source.kind must be folder, the only source of this version`);
  }
  return new FolderSource({ path: source.path, stateDir });
}

function vtySettings({ bgpd }: Settings): VtySettings {
  return { socketPath: join(bgpd.vtyDir, 'bgpd.vty'), ...VTY_BOUNDS };
}

function sessionOutput(settings: Settings): SessionOutput {
  return new SessionOutput({
    vty: vtySettings(settings),
    vtysh: { binary: settings.bgpd.vtysh, args: [] },
    configDir: settings.bgpd.configDir,
    placement: placement(settings),
  });
}
