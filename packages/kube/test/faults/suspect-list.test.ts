// Lists that lack most of what is known: nothing is removed before a second one, on a connection of its own
// and some time later, lacks it too. And versions that run backwards: a new list, no withdrawal.

import { describe, expect, it } from 'vitest';
import { answers, says, status, type FakeApiServer } from './api-server.ts';
import { NODES, PEERS, fill, node, nodes, peer, syncedRig, type Rig, type RigOptions } from './rig.ts';

const gone = { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } };
const initialEnd = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '1001', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};
const emptyStream = says(`${JSON.stringify(initialEnd)}\n`);
const emptyList = answers({ kind: 'List', metadata: { resourceVersion: '1001' }, items: [] });

function four(options: RigOptions = {}): Promise<Rig> {
  return syncedRig({ ...options, prepare: (server) => fill(server, NODES, nodes(4)) });
}

const everything = ['n0', 'n1', 'n2', 'n3'];
const wait = { times: { suspectListMs: 80 } };

describe('a list after a reconnect', () => {
  it.each([
    ['streamed', 'offered', 'stream', emptyStream],
    ['paged', 'refused', 'list', emptyList],
  ] as const)(
    'that is %s and empty is asked for again before it is believed',
    async (_, streaming, kind, empty) => {
      await using rig = await syncedRig({
        ...wait,
        prepare: (server) => {
          server.streaming = streaming;
          fill(server, NODES, nodes(4));
        },
      });
      const lists = rig.server.seen(NODES, 'list').length;
      const first = kind === 'list' ? 1 : 0;
      rig.server.misbehave(NODES, kind, empty);
      rig.server.write(NODES, gone);
      await rig.until(() => rig.source.faults().some(({ message }) => /0 of 4/.test(message)));
      expect(rig.nodes()).toEqual(everything);
      const knownConnections = new Set(rig.server.requests.map(({ connection }) => connection));
      await rig.until(() => rig.server.seen(NODES, 'list').length > lists + first);
      const again = rig.server.seen(NODES, 'list')[lists + first];
      const doubted = rig.server.seen(NODES, kind).at(first === 1 ? lists : -1);
      expect(knownConnections.has(again!.connection)).toBe(false);
      expect(again!.query.has('resourceVersion')).toBe(false);
      expect(again!.atMs - doubted!.atMs).toBeGreaterThanOrEqual(75);
      await rig.until(() => rig.server.watches(NODES) === 1 && rig.source.faults().length === 0);
      expect(rig.nodes()).toEqual(everything);
    },
  );

  it('that is confirmed removes what both lack', async () => {
    await using rig = await four(wait);
    rig.server.forget(NODES, ['n0', 'n1', 'n2']);
    rig.server.write(NODES, gone);
    await rig.until(() => rig.source.faults().some(({ message }) => /1 of 4/.test(message)));
    expect(rig.nodes()).toEqual(everything);
    await rig.until(() => rig.nodes().length === 1);
    expect(rig.nodes()).toEqual(['n3']);
  });

  it('that is confirmed still takes in what is new meanwhile', async () => {
    await using rig = await four({ times: { suspectListMs: 600_000 } });
    rig.server.forget(NODES, ['n0', 'n1', 'n2']);
    rig.server.put(NODES, node('fresh'));
    rig.server.compact();
    rig.server.put(NODES, node('fresh', { zone: 'a' }));
    rig.server.compact();
    // 1 of 5 as seen from here, since the event of the new one came through the open watch.
    rig.server.forget(NODES, ['n3']);
    rig.server.write(NODES, gone);
    await rig.until(() => rig.source.faults().length > 0);
    expect(rig.nodes()).toEqual(['fresh', ...everything]);
  });

  it('that lacks half or less removes at once', async () => {
    await using rig = await four({ times: { suspectListMs: 600_000 } });
    rig.server.forget(NODES, ['n0', 'n1']);
    rig.server.write(NODES, gone);
    await rig.until(() => rig.nodes().length === 2);
    expect(rig.source.faults()).toEqual([]);
  });

  it('that cannot be confirmed is never believed', async () => {
    await using rig = await four();
    rig.server.misbehave(NODES, 'list', status(500, 'InternalError', 'no'), 4);
    rig.server.misbehave(NODES, 'stream', emptyStream);
    rig.server.write(NODES, gone);
    await rig.until(() => rig.server.seen(NODES, 'list').length >= 4);
    expect(rig.nodes()).toEqual(everything);
    await rig.until(() => rig.server.watches(NODES) === 1 && rig.source.faults().length === 0);
    expect(rig.nodes()).toEqual(everything);
  });

  it('that is empty at the very start is believed, since nothing is lost by it', async () => {
    await using rig = await syncedRig({ times: { suspectListMs: 600_000 } });
    expect(rig.nodes()).toEqual([]);
  });

  it('of one object, which is gone, is confirmed as well', async () => {
    await using rig = await syncedRig({ ...wait, prepare: (server) => server.put(PEERS, peer('a')) });
    rig.server.forget(PEERS, ['a']);
    rig.server.write(PEERS, gone);
    await rig.until(() => rig.source.faults().length > 0);
    expect(rig.source.snapshot().peers.size).toBe(1);
    await rig.until(() => rig.source.snapshot().peers.size === 0);
  });
});

describe('deletions that the watch reports', () => {
  it('are believed at once, however many', async () => {
    await using rig = await four({ times: { suspectListMs: 600_000 } });
    everything.forEach((name) => rig.server.remove(NODES, name));
    await rig.until(() => rig.nodes().length === 0);
    expect(rig.source.faults()).toEqual([]);
  });
});

const rewinds: readonly [string, (server: FakeApiServer) => void][] = [
  ['behind a broken connection', (server) => server.resetWatches(NODES)],
  ['behind a watch that ended', (server) => server.endWatches(NODES)],
  [
    'in an open watch',
    (server) => {
      server.put(NODES, node('n0', { touched: 'yes' }));
      server.put(NODES, node('n0', { touched: 'again' }));
    },
  ],
  ['in a bookmark', (server) => server.bookmark(NODES)],
];

describe('a version that runs backwards', () => {
  it.each(rewinds)('%s leads to a new list, and nothing is lost', async (_, happens) => {
    await using rig = await four();
    const lists = rig.server.seen(NODES, 'stream').length;
    let least = 4;
    rig.source.onChange(() => {
      least = Math.min(least, rig.nodes().length);
    });
    rig.server.rewind(500);
    happens(rig.server);
    await rig.until(() => rig.server.seen(NODES, 'stream').length > lists);
    await rig.until(() => rig.server.watches(NODES) === 1);
    rig.server.put(NODES, node('restored'));
    await rig.until(() => rig.nodes().includes('restored'));
    expect(least).toBe(4);
  });

  it('does not hang a watch that would wait for the future', async () => {
    await using rig = await four();
    rig.server.rewind(500);
    rig.server.resetWatches(NODES);
    await rig.until(() => rig.server.seen(NODES, 'probe').length === 1);
    await rig.until(() => rig.server.watches(NODES) === 1);
    expect(rig.server.seen(NODES, 'watch')).toEqual([]);
  });
});
