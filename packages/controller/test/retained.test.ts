// What an earlier process left in bgpd, asked of a bgpd that may not answer.

import { VtyError, type BgpdSessions, type FeedNeighbor } from '@herald/frr';
import { PersistentMap } from '@herald/net';
import { expect, test } from 'vitest';

import { retainedTables } from '../src/retained.ts';
import { collectedLog } from './collected-log.ts';

const FEED: FeedNeighbor = {
  established: false,
  waiting: true,
  connectionsDropped: 1,
  paths: { 4: 1, 6: 0 },
};

function sessions(...instances: readonly string[]): BgpdSessions {
  const feeds = new Map(instances.map((instance) => [instance, FEED]));
  return { sessions: PersistentMap.empty(), traffic: new Map(), feeds };
}

const rows: (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
  ['a bgpd that runs nothing is not asked', [], [], []],
  ['the default instance and views', ['default', 'plain-7'], [], ['', 'plain-7']],
  ['what one of them does not say is not known', ['default', 'plain-7'], ['default'], ['plain-7']],
  ['a bgpd that went away', ['default'], ['default'], []],
];
test.each(rows)('%s', async (_name, instances, silent, expected) => {
  const { logger, lines } = collectedLog();
  const read = (instance: string) =>
    silent.includes(instance)
      ? Promise.reject(new VtyError('Unreachable', 'show', 'no socket'))
      : Promise.resolve(new Map([[instance, []]]));
  const tables = await retainedTables(sessions(...instances), read, logger);
  expect([...tables.keys()]).toEqual(expected);
  expect(lines.map(({ event }) => event)).toEqual(silent.map(() => 'ranks-unknown'));
});

test('an error that is not of bgpd ends the start', async () => {
  const broken = new TypeError('a bug');
  const read = () => Promise.reject(broken);
  await expect(retainedTables(sessions('default'), read, collectedLog().logger)).rejects.toBe(broken);
});
