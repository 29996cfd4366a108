// A bgpd that reads slowly, or not at all: what is written stays bounded, what is overtaken is never written, and
// nothing is called done that the kernel has not taken.

import { describe, expect, it } from 'vitest';
import type { RouteTable } from '@herald/net';
import { expectedLines, ModelTable } from '../model-table.ts';
import { attributes, manyRoutes, path, routes, tableOf } from '../tables.ts';
import { linesOf } from './taken.ts';
import { pass, ScriptedFeed, stopClock, turn } from './scripted-feed.ts';

const A = path(1, '192.0.2.1');
const LAST = '203.0.113.255/32';
const SMALL = tableOf(routes('198.51.100.7/32', A));
const MANY = 60;

/** Each path has an UPDATE of its own, of about 16 kB. */
function bulkyRoutes(count: number): RouteTable {
  const asPath = Array.from({ length: 4000 }, (_, i) => i + 1);
  return tableOf(
    ...Array.from({ length: count }, (_, i) =>
      routes(`10.9.${i >>> 8}.${i & 0xff}/32`, path(1, '192.0.2.1', attributes({ asPath, med: i }))),
    ),
  );
}

async function established(table: RouteTable, last?: string): Promise<ScriptedFeed> {
  const script = new ScriptedFeed(last === undefined ? {} : { last });
  script.feed.set(table);
  await script.establish();
  await turn();
  return script;
}

function modelOf(script: ScriptedFeed): ModelTable {
  const model = new ModelTable();
  for (const message of script.messages) {
    if (message.kind === 'update') {
      model.apply(message);
    }
  }
  return model;
}

describe('a bgpd that does not read', () => {
  it('is written no more than one buffer, however much there is to say', async () => {
    const script = await established(SMALL);
    const before = script.feed.counters.bytesSent;
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY)); // 1 MB
    await turn();
    expect(script.feed.counters.bytesSent - before).toBeLessThan(2 * script.socket.writableHighWaterMark);
    expect(script.socket.writableNeedDrain).toBe(true);
  });

  it('is written nothing more for tables that are set while it is full', async () => {
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    const full = script.feed.counters;
    for (let count = 1; count < 5; count++) {
      script.feed.set(bulkyRoutes(count));
      await turn();
    }
    expect(script.feed.counters).toEqual(full);
  });

  it('is written the next buffer only when the kernel took the last one', async () => {
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    const steps: number[] = [];
    for (let i = 0; i < 4; i++) {
      const before = script.feed.counters.updatesSent;
      script.socket.takeOnce();
      await turn();
      steps.push(script.feed.counters.updatesSent - before);
    }
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThan(20);
  });

  it('gets the newest table only, and nothing of those between', async () => {
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    for (let version = 0; version < 5; version++) {
      script.feed.set(manyRoutes(500, path(1, '192.0.2.1', attributes({ med: version }))));
    }
    const newest = tableOf(routes(LAST, A));
    script.feed.set(newest);
    script.socket.unblock();
    await turn();
    expect(modelOf(script).lines).toEqual(expectedLines(newest));
    // the five versions between would be 2,500 more
    expect(script.feed.counters.prefixesSent).toBeLessThanOrEqual(MANY + 2);
    expect(script.synced).toEqual([SMALL, newest]);
  });

  it('is not in sync before the kernel took the last octet', async () => {
    const script = await established(SMALL);
    script.socket.block();
    const next = tableOf(routes(LAST, A));
    script.feed.set(next);
    await turn();
    expect(script.synced).toEqual([SMALL]);
    script.socket.unblock();
    await turn();
    expect(script.synced).toEqual([SMALL, next]);
  });

  it('is in sync once for several tables that were set meanwhile', async () => {
    const script = await established(SMALL);
    script.socket.block();
    const tables = [1, 2, 3].map((count) => manyRoutes(count, A));
    for (const table of tables) {
      script.feed.set(table);
    }
    script.socket.unblock();
    await turn();
    expect(script.synced).toEqual([SMALL, tables[2]]);
  });

  it('keeps its answers to the keepalives of the clock', async () => {
    stopClock();
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    await pass(10_000);
    script.socket.unblock();
    await turn();
    expect(script.lines.filter((line) => line === 'keepalive')).toHaveLength(2);
  });

  it('ends with the hold timer like any other, although nothing can be said', async () => {
    stopClock();
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    await pass(30_000);
    expect(script.problems.map(({ reason }) => reason)).toEqual(['HoldTimerExpired']);
    expect(script.feed.state).toEqual({ kind: 'connecting' });
  });
});

describe('a first table that meets back-pressure', () => {
  it('still ends with the last prefix and the End-of-RIBs, in order', async () => {
    const script = new ScriptedFeed({ last: LAST });
    script.feed.set(bulkyRoutes(MANY).set(LAST, routes(LAST, A)));
    const establishing = script.establish();
    script.socket.block();
    await establishing;
    const newest = bulkyRoutes(MANY / 2).set(LAST, routes(LAST, path(1, '192.0.2.2')));
    script.feed.set(newest);
    expect(script.feed.state).toMatchObject({ kind: 'established', endOfRibSent: false });
    script.socket.unblock();
    await turn();
    expect(script.lines.slice(-3)).toEqual([`+${LAST}`, 'end-of-rib 4', 'end-of-rib 6']);
    expect(script.lines.filter((line) => line === `+${LAST}`)).toHaveLength(1);
    expect(modelOf(script).lines).toEqual(expectedLines(newest));
  });

  it('tells its End-of-RIBs when they are written, and sync when they are taken', async () => {
    const script = new ScriptedFeed();
    script.feed.set(SMALL);
    const establishing = script.establish();
    script.socket.block();
    await establishing;
    expect(script.synced).toEqual([]);
    script.socket.unblock();
    await turn();
    expect(script.feed.state).toMatchObject({ kind: 'established', endOfRibSent: true });
    expect(script.synced).toEqual([SMALL]);
  });
});

/** A version of the last prefix, known by its MED. */
const version = (med: number): RouteTable => tableOf(routes(LAST, path(1, '192.0.2.1', attributes({ med }))));

describe('a change of the last prefix under back-pressure', () => {
  it('comes after what was set while the socket was full', async () => {
    const script = await established(version(0), LAST);
    script.socket.block();
    script.feed.set(version(1).with(bulkyRoutes(50)));
    script.feed.set(version(2).with(bulkyRoutes(50)).set('198.51.100.7/32', routes('198.51.100.7/32', A)));
    script.socket.unblock();
    await turn();
    const said = script.messages
      .filter((message) => message.kind === 'update')
      .filter((message) => linesOf(message).includes(`+${LAST}`));
    expect(script.lines.at(-1)).toBe(`+${LAST}`);
    expect(said.map((message) => message.attributes.med)).toEqual([0, 2]);
  });
});

describe('closing under back-pressure', () => {
  it('waits a second for the kernel, and no longer', async () => {
    stopClock();
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(bulkyRoutes(MANY));
    const closing = script.feed.close();
    await pass(999);
    expect(script.socket.destroyed).toBe(false);
    await pass(1);
    expect(script.socket.destroyed).toBe(true);
    await closing;
    expect(script.feed.state).toEqual({ kind: 'idle' });
  });

  it('lets the kernel have what was written, the goodbye last', async () => {
    stopClock();
    const script = await established(SMALL);
    script.socket.block();
    script.feed.set(tableOf(routes(LAST, A)));
    const closing = script.feed.close();
    script.socket.unblock();
    await turn();
    script.socket.destroy(); // the peer ends it too
    await closing;
    expect(script.lines.slice(-3)).toEqual([`+${LAST}`, '-198.51.100.7/32', 'notification 6/2']);
    expect(script.socket.finished).toBe(true);
  });
});
