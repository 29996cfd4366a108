// The last table, kept in the pod, and what a replica does with it that has nothing to decide from: after a settable
// time it announces it, until the first decision from live data is there. In: what bgpd holds, what is known of the other
// replicas. Out: sessions, tables and verdicts, the same object as long as nothing of them changed; the log; a view.
//
// Such a replica is stale whatever else it is: where a fresh one serves a router, nothing is announced to it.

import type { Settings } from '@herald/api';
import {
  nextCovers,
  type Covers,
  type Decision,
  type Freshness,
  type RetainedTables,
} from '@herald/decision';
import type { KeptView } from '@herald/server';

import { inSlices } from '../in-slices.ts';
import type { Logger } from '../logger.ts';
import type { ReplicaIdentity } from '../replica-identity.ts';
import { NOTHING_RETAINED } from '../retained.ts';
import type { StandbyPlace } from '../standby-order.ts';
import { VERSION } from '../version.ts';
import type { KeptContent, KeptOwner } from './kept-content.ts';
import { KeptFile } from './kept-file.ts';
import { KeptKeeper, type Newest } from './kept-keeper.ts';
import { foundTables, withoutPeers, type Found } from './kept-routes.ts';
import { keptVerdicts } from './kept-verdicts.ts';
import { parseKept } from './parse-kept.ts';

export interface KeptParts {
  readonly settings: Pick<Settings, 'asn' | 'routerId' | 'stateDir' | 'guard'>;
  readonly identity: ReplicaIdentity;
  readonly place: Pick<StandbyPlace, 'ordinal'>;
  readonly logger: Logger;
  /** There may be something to announce, or something else. */
  onChange(): void;
}

/** The part of a decision that a kept table makes. */
export type KeptDecision = Pick<Decision, 'tables' | 'sessions' | 'peers'>;

interface Surroundings {
  readonly covered: Freshness['covered'];
  /** undefined while it is being read. */
  readonly retained: RetainedTables | undefined;
  /** Peers that bgpd runs: their routers have what it holds. */
  readonly running: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

interface Announced {
  readonly found: Found;
  readonly silent: string;
  readonly decision: KeptDecision;
}

export class KeptTable {
  readonly #parts: KeptParts;
  readonly #file: KeptFile;
  readonly #owner: KeptOwner;
  readonly #keeper: KeptKeeper;
  #content: KeptContent | undefined;
  #confirmedAtMs = 0;
  #covers: Covers = new Map();
  #announced: Announced | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #wake: NodeJS.Timeout | undefined;

  constructor(parts: KeptParts) {
    const { settings, identity, place, logger } = parts;
    this.#parts = parts;
    this.#file = new KeptFile(settings.stateDir);
    this.#owner = {
      uid: identity.uid,
      asn: settings.asn,
      routerId: settings.routerId.text,
      build: VERSION,
    };
    this.#keeper = new KeptKeeper({ file: this.#file, owner: this.#owner, place, logger });
  }

  /** Reads what was kept. From then on time runs. */
  async start(): Promise<void> {
    await this.#read();
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      this.#parts.onChange();
    }, this.#parts.settings.guard.keptTableMs);
  }

  /** Of other replicas, as they were known last. */
  get others(): readonly string[] {
    return this.#content?.others ?? [];
  }

  /** undefined unless it is announced. */
  get view(): KeptView | undefined {
    return this.#announced && { confirmedAtMs: this.#confirmedAtMs, from: this.#announced.found.from };
  }

  /** What is to be announced while nothing can be decided; undefined: nothing yet, or nothing any more. */
  look(surroundings: Surroundings): KeptDecision | undefined {
    const content = this.#content;
    if (content === undefined) {
      return undefined;
    }
    const silent = this.#silent(content, surroundings);
    if (!this.#isDue) {
      return undefined;
    }
    const found = this.#announced?.found ?? this.#find(content, surroundings);
    const key = [...silent].join();
    if (found !== undefined && this.#announced?.silent !== key) {
      this.#say(found, silent);
      this.#announced = { found, silent: key, decision: decisionOf(content, found, silent, surroundings) };
    }
    return this.#announced?.decision;
  }

  /** There is a decision from live data: the kept table is of no use from now on, and kept anew. */
  keep(newest: Newest): void {
    if (this.#announced !== undefined) {
      this.#parts.logger.info(
        { event: 'kept-table-ended' },
        'what is announced is decided from live data again',
      );
    }
    this.#forget();
    this.#keeper.keep(newest);
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#keeper.close();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#wake);
    this.#content = undefined;
    this.#announced = undefined;
  }

  async #read(): Promise<void> {
    const { logger } = this.#parts;
    try {
      const file = await this.#file.read();
      const reading = file && (await inSlices(parseKept(file.text, this.#owner)));
      if (reading?.kind === 'kept') {
        this.#content = reading.kept.content;
        this.#confirmedAtMs = Math.max(reading.kept.keptAtMs, file?.confirmedAtMs ?? 0);
      } else if (reading !== undefined) {
        logger.warn({ event: 'kept-table-refused' }, `the kept table is not used: ${reading.why}`);
      }
    } catch (error) {
      logger.warn({ event: 'kept-table-refused', err: error }, 'the kept table cannot be read');
    }
  }

  /** Names of the peers that a fresh replica serves. */
  #silent({ sessions }: KeptContent, { covered, nowMs: now }: Surroundings): ReadonlySet<string> {
    const routers = sessions.peers.map(({ address }) => address.text);
    const next = nextCovers(routers, { now, freshness: { stale: true, covered } }, this.#covers);
    this.#covers = next.covers;
    clearTimeout(this.#wake);
    if (next.wakeAtMs !== undefined) {
      this.#wake = setTimeout(() => this.#parts.onChange(), Math.max(0, next.wakeAtMs - now)).unref();
    }
    const silent = sessions.peers.filter(({ address }) => next.covers.get(address.text)?.withdrawn === true);
    return new Set(silent.map(({ name }) => name));
  }

  /**
   * Once: later it is this process's own. Where no router has what bgpd holds, its ranks are nobody's any more, and none
   * of them may come back.
   */
  #find(content: KeptContent, { retained, running }: Surroundings): Found | undefined {
    return retained && foundTables(content, running.size === 0 ? NOTHING_RETAINED : retained);
  }

  #say({ tables, from }: Found, silent: ReadonlySet<string>): void {
    const ageSeconds = Math.max(0, Math.round((Date.now() - this.#confirmedAtMs) / 1000));
    const prefixes = tables.shared.size;
    this.#parts.logger.warn(
      { event: 'kept-table-announced', from, ageSeconds, prefixes, silent: [...silent] },
      'there is nothing to decide from: the last table is announced',
    );
  }
}

function decisionOf(
  { sessions }: KeptContent,
  { tables }: Found,
  silent: ReadonlySet<string>,
  { covered }: Surroundings,
): KeptDecision {
  return {
    sessions,
    tables: withoutPeers(tables, sessions.peers, silent),
    peers: keptVerdicts(sessions.peers, silent, covered),
  };
}
