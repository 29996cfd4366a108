// What bgpd holds of an earlier process, read once before the first decision: (instances that bgpd runs) -> tables. A
// bgpd that does not answer, or not in time, holds nothing that could be adopted: it is then filled like an empty one.

import type { RetainedPath, RetainedTables } from '@herald/decision';
import { VtyError, type BgpdSessions } from '@herald/frr';

import type { Logger } from './logger.ts';

export const NOTHING_RETAINED: RetainedTables = new Map();

type ReadInstance = (instance: string) => Promise<ReadonlyMap<string, readonly RetainedPath[]>>;

export async function retainedTables(
  { feeds }: BgpdSessions,
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
