// What bgpd holds of an earlier process, read before the first decision: (instances that bgpd runs) -> tables. A
// bgpd that does not answer, or not in time, holds nothing that could be adopted: it is then filled like an empty one.

import type { RetainedPath, RetainedTables } from '@herald/decision';
import { VtyError, type BgpdSessions } from '@herald/frr';

import type { Logger } from './logger.ts';

export const NOTHING_RETAINED: RetainedTables = new Map();

type ReadInstance = (instance: string) => Promise<ReadonlyMap<string, readonly RetainedPath[]>>;

export interface RetainedParts {
  /** What bgpd runs, as it was seen last. */
  state(): Pick<BgpdSessions, 'feeds'>;
  readonly read: ReadInstance;
  readonly logger: Logger;
}

/** One reading at a time, kept until it was used. */
export class Retained {
  readonly #parts: RetainedParts;
  #tables: RetainedTables | undefined;
  #reading: Promise<void> | undefined;

  constructor(parts: RetainedParts) {
    this.#parts = parts;
  }

  /** undefined until they were read. */
  get tables(): RetainedTables | undefined {
    return this.#tables;
  }

  read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** What was read has been adopted; nothing of it is needed again. */
  adopted(): void {
    this.#tables = NOTHING_RETAINED;
  }

  /** bgpd is being given something else: it has to be read again. */
  outdated(): void {
    this.#tables = undefined;
  }

  async #readOnce(): Promise<void> {
    const { read, logger } = this.#parts;
    this.#tables = await retainedTables(this.#parts.state(), read, logger);
  }
}

export async function retainedTables(
  { feeds }: Pick<BgpdSessions, 'feeds'>,
  read: ReadInstance,
  logger: Logger,
): Promise<RetainedTables> {
  const tables = new Map<string, ReadonlyMap<string, readonly RetainedPath[]>>();
  for (const instance of feeds.keys()) {
    try {
      tables.set(tableName(instance), await read(instance));
    } catch (error) {
      if (!(error instanceof VtyError)) {
        throw error;
      }
      logger.warn({ event: 'ranks-unknown', err: error }, 'bgpd does not say what it holds');
    }
  }
  return tables;
}

/** A decision calls the table of the default instance by no name. */
function tableName(instance: string): string {
  return instance === 'default' ? '' : instance;
}
