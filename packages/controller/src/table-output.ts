// Gives what was decided to the feeds and to bgpd, in the order in which neither shows routers a part: a shared table
// that a peer is about to move into or out of waits until bgpd runs the peer there (shared-hold.ts), and both are told
// with which generation of peers it was tagged (generation.ts). Decisions in; tables sent and sessions planned out.

import type { Settings } from '@herald/api';
import type { Decision } from '@herald/decision';

import { instancesOf, type BgpdDriver } from './bgpd-driver.ts';
import { FeedSet, type FeedStatus } from './feed-set.ts';
import { firstGeneration, nextGeneration } from './generation.ts';
import { logFeeds } from './log-events.ts';
import type { Logger } from './logger.ts';
import { SharedHold } from './shared-hold.ts';
import type { UpdateClock } from './update-clock.ts';

export interface TableOutputParts {
  readonly settings: Settings;
  readonly bgpd: BgpdDriver;
  readonly clock: UpdateClock;
  readonly logger: Logger;
}

export class TableOutput {
  readonly #bgpd: BgpdDriver;
  readonly #clock: UpdateClock;
  readonly #feeds: FeedSet;
  readonly #sharedHold = new SharedHold();
  #decision: Decision | undefined;
  /** The shared table of the last decision was not sent yet. */
  #isSharedOwed = false;
  #generation = firstGeneration(Date.now());

  constructor({ settings, bgpd, clock, logger }: TableOutputParts) {
    this.#bgpd = bgpd;
    this.#clock = clock;
    const listeners = { lost: (instance: string) => bgpd.forget(instance), synced: () => clock.sent() };
    this.#feeds = new FeedSet(settings, logFeeds(logger, listeners));
  }

  get feeds(): readonly FeedStatus[] {
    return this.#feeds.statuses();
  }

  give(decision: Decision): void {
    const { sessions, tables } = decision;
    this.#decision = decision;
    this.#generation = nextGeneration(this.#generation, sessions);
    this.#isSharedOwed = true;
    this.#clock.held();
    this.#sendShared();
    this.#feeds.setViews(decision, this.#generation.number);
    this.#bgpd.set({ sessions, generation: this.#generation, tables });
  }

  /** bgpd runs these. */
  instances(instances: ReadonlySet<string>): void {
    this.#feeds.retire(instances);
    this.#sendShared();
  }

  async close(): Promise<void> {
    await this.#feeds.close();
  }

  #sendShared(): void {
    const running = instancesOf(this.#bgpd.state);
    const decision = this.#decision;
    if (
      decision !== undefined &&
      this.#isSharedOwed &&
      this.#sharedHold.mayReplace(decision.sessions, running, Date.now())
    ) {
      this.#isSharedOwed = false;
      this.#feeds.setShared(decision, this.#generation.number);
      this.#clock.given();
    }
  }
}
