// What an API server may do to a watch. In every row the nodes stay as they are while it misbehaves, the
// loop neither spins nor opens a connection for each attempt, and afterwards it follows again.

import { describe, expect, it } from 'vitest';
import {
  cleanClose,
  nothing,
  reset,
  says,
  silence,
  status,
  type Behaviour,
  type FakeApiServer,
} from './api-server.ts';
import { NODES, SHORT, fill, node, nodes, syncedRig, type Rig } from './rig.ts';
import type { WatchTimes } from '../../src/watch/watch-times.ts';

const gone = { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } };
const broken = { type: 'ERROR', object: { code: 500, reason: 'InternalError', message: 'out of order' } };
const longEvent = { type: 'ADDED', object: { metadata: { name: 'x', note: 'x'.repeat(70_000) } } };

/** Ends the watch and lets the next ones meet the behaviour. */
const nextWatches =
  (behave: Behaviour, times = 1, kind: 'watch' | 'any' = 'watch') =>
  (server: FakeApiServer): void => {
    server.misbehave(NODES, kind, behave, times);
    server.endWatches(NODES);
  };

interface Row {
  readonly name: string;
  readonly misbehave: (server: FakeApiServer) => void;
  /** Requests for nodes until it is over: at least and at most. */
  readonly requests: readonly [least: number, most: number];
  /** Connections that the faults may cost. */
  readonly connections: number;
  /** What is said meanwhile. */
  readonly fault?: RegExp;
  readonly times?: Partial<WatchTimes>;
}

const rows: readonly Row[] = [
  {
    name: 'TCP reset of an open watch',
    misbehave: (server) => server.resetWatches(NODES),
    requests: [2, 2],
    connections: 2,
    fault: /cannot be followed.*(ECONNRESET|UND_ERR_SOCKET)/,
  },
  {
    name: 'TCP reset of each attempt',
    misbehave: nextWatches(reset, 5, 'any'),
    requests: [7, 7],
    connections: 7,
    fault: /cannot be followed/,
  },
  {
    name: 'half-open: an open watch falls silent',
    misbehave: nextWatches(silence),
    // The good watches, behind it and of the other collections, fall silent as well before the test is over.
    requests: [4, 12],
    connections: 40,
    fault: /the watch is silent/,
    times: { silentMs: 300 },
  },
  {
    name: 'half-open: a watch is never answered',
    misbehave: nextWatches(nothing),
    requests: [4, 4],
    connections: 2,
    fault: /no answer in time/,
    times: { requestMs: 60 },
  },
  {
    name: 'half-open: a list is never answered',
    misbehave: nextWatches(nothing, 1, 'any'),
    requests: [3, 3],
    connections: 2,
    fault: /no answer in time/,
    times: { requestMs: 60 },
  },
  {
    name: 'clean close in a loop',
    misbehave: nextWatches(cleanClose, 6),
    requests: [14, 14],
    connections: 2,
    fault: /ends each watch/,
  },
  {
    name: '410 in the stream',
    misbehave: (server) => server.write(NODES, gone),
    requests: [1, 1],
    connections: 1,
    fault: /too old/,
  },
  {
    name: '410 in the stream, again and again',
    misbehave: (server) => {
      server.misbehave(NODES, 'any', says(`${JSON.stringify(gone)}\n`), 5);
      server.write(NODES, gone);
    },
    requests: [6, 6],
    connections: 2,
  },
  {
    name: '410 at the start of a watch',
    misbehave: (server) => {
      server.forget(NODES, []);
      server.endWatches(NODES);
    },
    requests: [3, 3],
    connections: 2,
    fault: /410/,
  },
  {
    name: '429 with Retry-After',
    misbehave: nextWatches(status(429, 'TooManyRequests', 'slow down', { 'retry-after': '0.05' }), 2),
    requests: [6, 6],
    connections: 2,
    fault: /slow down/,
  },
  {
    name: '500',
    misbehave: nextWatches(status(500, 'InternalError', 'no'), 6, 'any'),
    requests: [8, 8],
    connections: 2,
    fault: /cannot be followed: GET .*: 500 no/,
  },
  {
    name: 'ERROR event',
    misbehave: (server) => server.write(NODES, broken),
    requests: [2, 2],
    connections: 2,
    fault: /out of order/,
  },
  {
    name: 'a line that is not JSON',
    misbehave: (server) => server.writeRaw(NODES, '{"type": "ADD\n'),
    requests: [3, 4],
    connections: 3,
    fault: /a line that is not JSON/,
  },
  {
    name: 'an event of no known type',
    misbehave: (server) => server.write(NODES, { type: 'RENAMED', object: {} }),
    requests: [3, 4],
    connections: 3,
    fault: /unknown type/,
  },
  {
    name: 'an object without a name',
    misbehave: (server) => server.write(NODES, { type: 'DELETED', object: { metadata: {} } }),
    requests: [3, 4],
    connections: 3,
    fault: /without a name/,
  },
  {
    name: 'an over-long line',
    misbehave: (server) => server.write(NODES, longEvent),
    requests: [3, 4],
    connections: 3,
    fault: /a line of more than 65536 bytes/,
  },
  {
    name: 'an over-long line that never ends',
    misbehave: (server) => server.writeRaw(NODES, 'x'.repeat(100_000)),
    requests: [3, 4],
    connections: 3,
    fault: /a line of more than 65536 bytes/,
  },
];

/** Everything that was said, and every node that was ever missing. */
function recording(rig: Rig): { readonly faults: string[]; readonly missing: Set<string> } {
  const record = { faults: [] as string[], missing: new Set<string>() };
  const before = rig.nodes();
  rig.source.onChange(() => {
    record.faults.push(...rig.source.faults().map(({ message }) => message));
    const now = new Set(rig.nodes());
    before.filter((name) => !now.has(name)).forEach((name) => record.missing.add(name));
  });
  return record;
}

describe('a watch that meets', () => {
  it.each(rows)('$name goes on and withdraws nothing', async (row) => {
    await using rig = await syncedRig({
      times: { ...row.times },
      prepare: (server) => fill(server, NODES, nodes(4)),
    });
    const record = recording(rig);
    const { connections } = rig.server;
    const requests = rig.server.seen(NODES).length;
    row.misbehave(rig.server);
    await rig.until(() => rig.server.seen(NODES).length >= requests + row.requests[0]);
    rig.server.put(NODES, node('later'));
    await rig.until(() => rig.nodes().includes('later') && rig.server.watches(NODES) === 1);
    await rig.until(() => rig.source.faults().length === 0 || row.name === 'clean close in a loop');
    expect([...record.missing]).toEqual([]);
    expect(rig.server.seen(NODES).length - requests).toBeLessThanOrEqual(row.requests[1]);
    expect(rig.server.connections - connections).toBeLessThanOrEqual(row.connections);
    if (row.fault !== undefined) {
      expect(record.faults.join('\n')).toMatch(row.fault);
    }
  });

  it('events in front of a broken line takes them in', async () => {
    await using rig = await syncedRig({ prepare: (server) => fill(server, NODES, nodes(2)) });
    const event = {
      type: 'ADDED',
      object: { ...node('in-front'), metadata: { name: 'in-front', resourceVersion: '5000' } },
    };
    rig.server.misbehave(NODES, 'any', nothing, 100);
    rig.server.writeRaw(NODES, `${JSON.stringify(event)}\n{broken\n`);
    await rig.until(() => rig.nodes().includes('in-front'));
    expect(rig.nodes()).toEqual(['in-front', 'n0', 'n1']);
  });
});

/** Milliseconds between requests. */
function gaps(server: FakeApiServer, kind: 'watch' | 'stream'): number[] {
  const times = server.seen(NODES, kind).map(({ atMs }) => atMs);
  return times.slice(1).map((at, i) => at - (times[i] ?? 0));
}

describe('pauses between attempts', () => {
  it.each([
    ['clean closes', cleanClose],
    ['errors', status(503, 'ServiceUnavailable', 'no')],
    ['resets', reset],
    ['expired versions', says(`${JSON.stringify(gone)}\n`)],
  ] as const)('grow while there are %s, and are bounded', async (_, behave) => {
    await using rig = await syncedRig();
    rig.server.misbehave(NODES, 'any', behave, 12);
    rig.server.endWatches(NODES);
    await rig.until(() => rig.server.seen(NODES).length >= 12);
    const times = rig.server.seen(NODES).map(({ atMs }) => atMs);
    const whole = (times.at(-1) ?? 0) - (times[1] ?? 0);
    // Ten pauses: 8, 16, 32, 40, 40 ... three quarters of each, with the fixed chance of the test.
    expect(whole).toBeGreaterThan((8 + 16 + 32 + 3 * 40) * 0.75);
  });

  it('are as long as the server asks for', async () => {
    await using rig = await syncedRig();
    const behave = status(429, 'TooManyRequests', 'slow down', { 'retry-after': '0.3' });
    rig.server.misbehave(NODES, 'watch', behave, 1);
    rig.server.endWatches(NODES);
    await rig.until(() => rig.server.seen(NODES, 'watch').length === 2);
    expect(gaps(rig.server, 'watch')[0]).toBeGreaterThanOrEqual(295);
  });

  it('are no longer than the longest that a server may ask for', async () => {
    await using rig = await syncedRig({ times: { longestRetryAfterMs: 30 } });
    const behave = status(429, 'TooManyRequests', 'slow down', { 'retry-after': '86400' });
    rig.server.misbehave(NODES, 'watch', behave, 1);
    rig.server.endWatches(NODES);
    await rig.until(() => rig.server.seen(NODES, 'watch').length === 2);
    expect(rig.source.faults().length).toBeLessThanOrEqual(1);
  });

  it('start anew after a watch that was open long enough', async () => {
    await using rig = await syncedRig({ times: { healthyMs: 0, longestBackoffMs: 60_000 } });
    for (let i = 1; i <= 12; i++) {
      await rig.until(() => rig.server.watches(NODES) === 1);
      rig.server.endWatches(NODES);
      await rig.until(() => rig.server.seen(NODES, 'watch').length === i);
    }
    // With doubling it would have been 8 x 2^11 milliseconds by now.
    expect(Math.max(...gaps(rig.server, 'watch'))).toBeLessThan(5000);
  });

  it('are not made after a watch that lasted as long as it was asked to', async () => {
    await using rig = await syncedRig({
      times: { watchSeconds: [1, 1], backoffMs: 60_000, longestBackoffMs: 60_000 },
    });
    rig.server.endWatches(NODES);
    await rig.until(() => rig.server.seen(NODES, 'watch').length === 1);
    expect(rig.server.seen(NODES, 'probe')).toEqual([]);
    expect(SHORT.watchSeconds[0]).toBeGreaterThan(1000);
  });
});
