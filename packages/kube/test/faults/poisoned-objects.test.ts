// Objects that cannot be used, and takers that throw: set aside and said, while all others go on.

import type { Fault } from '@herald/api';
import { describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/transport/api-client.ts';
import type { Change, Collection, Entry, Keeper } from '../../src/watch/collection.ts';
import { ListWatch } from '../../src/watch/list-watch.ts';
import { FakeApiServer } from './api-server.ts';
import { NODES, PEERS, SHORT, accessTo, node, peer, syncedRig } from './rig.ts';

/** Keeps names, and throws at those in `poison`. */
class TouchyKeeper implements Keeper<string> {
  readonly kept = new Set<string>();
  readonly aside = new Map<string, Fault>();
  readonly #poison: ReadonlySet<string>;
  onChange: () => void = () => undefined;

  constructor(poison: readonly string[]) {
    this.#poison = new Set(poison);
  }

  get size(): number {
    return this.kept.size;
  }

  replace(entries: readonly Entry<string>[]): void {
    this.change(entries.map((entry) => ({ kind: 'set', entry })));
  }

  change(changes: readonly Change<string>[]): void {
    for (const change of changes) {
      const key = change.kind === 'set' ? change.entry.key : change.key;
      if (this.#poison.has(key)) {
        throw new TypeError(`cannot take ${key}`);
      }
      this.kept.add(key);
    }
    this.onChange();
  }

  setAside(key: string, fault: Fault): void {
    this.aside.set(key, fault);
    this.onChange();
  }
}

const names: Collection<string> = {
  title: 'Nodes',
  kind: 'Node',
  path: NODES,
  query: {},
  project: (object) => {
    const { name } = (object as { metadata: { name: string } }).metadata;
    if (name === 'unreadable') {
      throw new RangeError('secret words');
    }
    return { ok: true, value: name, faults: [] };
  },
  mayBeMissing: false,
};

describe('a taker that throws', () => {
  it.each(['offered', 'refused'] as const)(
    'loses only that object (streamed lists are %s)',
    async (streaming) => {
      await using stack = new AsyncDisposableStack();
      const server = await FakeApiServer.start();
      stack.defer(() => server.stop());
      server.streaming = streaming;
      ['a', 'bad', 'b', 'unreadable'].forEach((name) => server.put(NODES, node(name)));
      const keeper = new TouchyKeeper(['bad', 'worse']);
      const client = new ApiClient(accessTo(server));
      stack.defer(() => client.close());
      const watch = new ListWatch({
        client,
        collection: names,
        keeper,
        times: SHORT,
        random: () => 0.5,
        onNotice: () => keeper.onChange(),
      });
      stack.defer(() => watch.stop());
      const later = new Promise<void>((resolve) => {
        keeper.onChange = () => keeper.kept.has('later') && resolve();
      });
      server.onActivity(() => {
        if (server.watches(NODES) === 1 && !keeper.kept.has('later')) {
          server.put(NODES, node('worse'));
          server.put(NODES, node('later'));
        }
      });
      watch.start();
      await later;
      expect([...keeper.kept].sort()).toEqual(['a', 'b', 'later', 'unreadable']);
      expect([...keeper.aside.keys()].sort()).toEqual(['bad', 'worse']);
      expect(keeper.aside.get('bad')?.message).toMatch(/^Node bad could not be taken in \(TypeError\)/);
      expect(watch.trouble).toBeUndefined();
    },
  );
});

describe('an object that is not usable', () => {
  it('any more stays as it last was, and is said; one that never was is only said', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(PEERS, peer('good')) });
    const before = rig.source.snapshot().peers.get('good');
    rig.server.put(PEERS, peer('good', { peerAddress: 'nonsense' }));
    rig.server.put(PEERS, peer('never', { peerASN: -1 }));
    rig.server.put(NODES, node('behind'));
    await rig.until(() => rig.source.faults().length >= 2 && rig.nodes().includes('behind'));
    expect(rig.source.snapshot().peers.get('good')).toBe(before);
    expect(rig.source.snapshot().peers.size).toBe(1);
    const objects = rig.source.faults().map(({ object, field }) => `${object} ${field}`);
    expect(objects).toEqual(
      expect.arrayContaining(['BGPPeer good spec.peerAddress', 'BGPPeer never spec.peerASN']),
    );
  });

  it('goes when it is deleted, and its fault with it', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(PEERS, peer('good')) });
    rig.server.put(PEERS, peer('good', { peerAddress: 'nonsense' }));
    await rig.until(() => rig.source.faults().length === 1);
    rig.server.remove(PEERS, 'good');
    await rig.until(() => rig.source.faults().length === 0);
    expect(rig.source.snapshot().peers.size).toBe(0);
  });

  it('is usable again after its correction', async () => {
    await using rig = await syncedRig({
      prepare: (server) => server.put(PEERS, peer('a', { peerAddress: 'x' })),
    });
    expect(rig.source.faults()).toHaveLength(1);
    rig.server.put(PEERS, peer('a', { peerAddress: '192.0.2.9' }));
    await rig.until(() => rig.source.snapshot().peers.get('a')?.address.text === '192.0.2.9');
    expect(rig.source.faults()).toEqual([]);
  });
});

describe('an object that is too large', () => {
  it('is left out of a list and said; the others stay and go on', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(NODES, node('a')) });
    rig.server.put(NODES, node('huge', { note: 'x'.repeat(SHORT.maxObjectBytes) }));
    rig.server.put(NODES, node('b'));
    const words = 'Nodes have an object that is too large and was left out.';
    await rig.until(() => rig.source.faults().some(({ message }) => message === words));
    expect(rig.nodes()).toEqual(['a', 'b']);
    expect(rig.source.faults()).toHaveLength(1);
    rig.server.put(NODES, node('c'));
    await rig.until(() => rig.nodes().includes('c'));
  });

  it('keeps what could be itself, grown', async () => {
    await using rig = await syncedRig({
      prepare: (server) => ['a', 'b'].forEach((name) => server.put(NODES, node(name))),
    });
    rig.server.put(NODES, node('a', { note: 'x'.repeat(SHORT.maxObjectBytes) }));
    await rig.until(() => rig.source.faults().some(({ message }) => /was left out/.test(message)));
    expect(rig.nodes()).toEqual(['a', 'b']);
  });
});
