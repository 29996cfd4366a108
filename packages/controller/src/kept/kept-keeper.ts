// Keeps the file of the kept table like the last decision that live data stands behind. Decisions come as often as they
// like and cost a comparison; the file is written some moments after a change and then not again for a while, in pieces.
// While nothing changes, its content is confirmed from time to time. What a stale replica decides is not kept: what
// it withdrew was not gone.

import { keptTables, type Decision, type KeptTables, type Memory } from '@herald/decision';

import { inSlices } from '../in-slices.ts';
import type { Logger } from '../logger.ts';
import type { StandbyPlace } from '../standby-order.ts';
import { encodeKept } from './encode-kept.ts';
import { keptSessions, type KeptContent, type KeptOwner } from './kept-content.ts';
import type { KeptFile } from './kept-file.ts';

/** What is decided now. */
export interface Newest {
  readonly decision: Pick<Decision, 'tables' | 'sessions'>;
  readonly memory: Memory;
  readonly others: readonly string[];
  readonly stale: boolean;
}

type Written = Pick<Newest, 'decision' | 'others'>;

export interface KeeperParts {
  readonly file: KeptFile;
  readonly owner: KeptOwner;
  readonly place: Pick<StandbyPlace, 'ordinal'>;
  readonly logger: Logger;
}

/** From a change to the beginning of a write: a burst is written once. */
const SETTLE_MS = 500;
/** From one write to the next. */
const INTERVAL_MS = 10_000;
/** Of the first one: until then the table itself is on its way to bgpd, and what an earlier process kept is there. */
const FIRST_MS = 5000;
const CONFIRM_MS = 30_000;

export class KeptKeeper {
  readonly #parts: KeeperParts;
  #newest: Newest | undefined;
  /** What the file holds. */
  #written: Written | undefined;
  #tables: KeptTables | undefined;
  #notBeforeMs = performance.now() + FIRST_MS;
  #failed = false;
  #timer: NodeJS.Timeout | undefined;
  #confirming: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  keep(newest: Newest): void {
    this.#newest = newest.stale && this.#newest ? { ...this.#newest, stale: true } : newest;
    this.#confirming ??= setInterval(() => void this.#confirm(), CONFIRM_MS).unref();
    this.#arm();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearInterval(this.#confirming);
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#isOwed()) {
      await this.#write();
    }
    clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#timer === undefined && this.#writing === undefined && this.#isOwed()) {
      const waitMs = Math.max(SETTLE_MS, this.#notBeforeMs - performance.now());
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.#write();
      }, waitMs).unref();
    }
  }

  #isOwed(): boolean {
    return this.#newest !== undefined && !this.#newest.stale && !isSame(this.#newest, this.#written);
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeNewest().finally(() => {
      this.#writing = undefined;
      this.#notBeforeMs = performance.now() + INTERVAL_MS;
      this.#arm();
    });
    return this.#writing;
  }

  async #writeNewest(): Promise<void> {
    const newest = this.#newest;
    const { file, owner, place, logger } = this.#parts;
    this.#tables = newest && (await inSlices(keptTables(newest.memory, place.ordinal, this.#tables)));
    if (newest === undefined || this.#tables === undefined) {
      return;
    }
    try {
      const content = contentOf(newest, this.#tables);
      await file.write(encodeKept({ content, keptAtMs: Date.now() }, owner));
      this.#written = { decision: newest.decision, others: newest.others };
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) {
        logger.warn({ event: 'table-not-kept', err: error }, 'the last table cannot be kept');
      }
      this.#failed = true;
    }
  }

  async #confirm(): Promise<void> {
    if (this.#newest !== undefined && !this.#newest.stale && isSame(this.#newest, this.#written)) {
      await this.#parts.file.confirm(Date.now()).catch(() => (this.#written = undefined));
      this.#arm();
    }
  }
}

function contentOf({ decision, others }: Newest, { tables }: KeptTables): KeptContent {
  return { sessions: keptSessions(decision.sessions), tables, others };
}

function isSame({ decision, others }: Newest, written: Written | undefined): boolean {
  return (
    written !== undefined &&
    decision.tables === written.decision.tables &&
    decision.sessions === written.decision.sessions &&
    others.join() === written.others.join()
  );
}
