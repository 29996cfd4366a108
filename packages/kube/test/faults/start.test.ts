// Starting against a server that is not ready, lacks rights or kinds: synced only with everything that
// there is, and never held up by what an administrator has to see to.

import { describe, expect, it } from 'vitest';
import { nothing, reset, status, type Behaviour } from './api-server.ts';
import {
  NODES,
  PEERS,
  POOLS,
  SECRETS,
  SLICES,
  beginRig,
  fill,
  node,
  nodes,
  peer,
  secret,
  syncedRig,
} from './rig.ts';

const unavailable = status(503, 'ServiceUnavailable', 'not yet');
const unknownKind = status(404, 'NotFound', 'the server could not find the requested resource');
const words =
  'secrets "tor" is forbidden: User "system:serviceaccount:herald:herald" cannot list resource "secrets"';

const firsts: readonly [string, Behaviour][] = [
  ['503', unavailable],
  ['500', status(500, 'InternalError', 'no')],
  ['429', status(429, 'TooManyRequests', 'no', { 'retry-after': '0.02' })],
  ['a reset', reset],
  ['403, the right coming later', status(403, 'Forbidden', 'not yet')],
];

describe('a first list that is answered with', () => {
  it.each(firsts)('%s is asked for again, and synced waits for it', async (_, behave) => {
    await using rig = await beginRig({
      prepare: (server) => {
        fill(server, NODES, nodes(4));
        server.misbehave(NODES, 'any', behave, 3);
      },
    });
    await rig.until(() => rig.server.seen(NODES).length === 3);
    expect(rig.source.synced).toBe(false);
    await rig.until(() => rig.source.synced);
    expect(rig.nodes()).toHaveLength(4);
  });

  it('403 after the server was away for long is asked for again soon: it has not read its own roles yet', async () => {
    const away = 14;
    await using rig = await beginRig({
      times: { longestBackoffMs: 1, hopelessBackoffMs: 1_000_000 },
      prepare: (server) => {
        server.misbehave(NODES, 'any', reset, away);
        server.misbehave(NODES, 'any', status(403, 'Forbidden', 'no roles yet'), 2);
      },
    });
    await rig.until(() => rig.source.synced);
    expect(rig.server.seen(NODES).length).toBe(away + 3);
  });

  it('nothing is given up after the limit', async () => {
    await using rig = await beginRig({
      times: { requestMs: 400 },
      prepare: (server) => server.misbehave(NODES, 'any', nothing, 2),
    });
    await rig.until(() => rig.source.synced);
    expect(rig.server.seen(NODES).length).toBeGreaterThanOrEqual(3);
  });
});

describe('a server without streamed lists', () => {
  it('is asked for pages, once and for all', async () => {
    await using rig = await syncedRig({
      prepare: (server) => {
        server.streaming = 'refused';
        fill(server, NODES, nodes(8));
      },
    });
    expect(rig.nodes()).toHaveLength(8);
    const pages = rig.server
      .seen(NODES, 'list')
      .map(({ query }) => [query.get('limit'), query.get('continue')]);
    expect(pages).toEqual([
      ['3', null],
      ['3', '3'],
      ['3', '6'],
    ]);
    rig.server.write(NODES, { type: 'ERROR', object: { code: 410 } });
    await rig.until(() => rig.server.seen(NODES, 'list').length === 6);
    expect(rig.server.seen(NODES, 'stream')).toHaveLength(1);
  });

  it.each([
    ['an expired page', status(410, 'Expired', 'continue token is too old')],
    ['a page that fails', unavailable],
  ] as const)('that answers with %s is asked for the whole list again', async (_, behave) => {
    await using rig = await beginRig({
      prepare: (server) => {
        server.streaming = 'refused';
        fill(server, NODES, nodes(8));
        let page = 0;
        server.misbehave(
          NODES,
          'list',
          (seen, response) => ++page === 2 && behave(seen, response) !== false,
          9,
        );
      },
    });
    await rig.until(() => rig.source.synced);
    expect(rig.nodes()).toHaveLength(8);
    expect(rig.server.seen(NODES, 'list').map(({ query }) => query.get('continue'))).toEqual([
      null,
      '3',
      null,
      '3',
      '6',
    ]);
  });

  it('that would hand out one page for ever is not asked for ever', async () => {
    const page = { kind: 'List', metadata: { resourceVersion: '9', continue: 'same' }, items: [node('a')] };
    await using rig = await beginRig({
      prepare: (server) => {
        server.streaming = 'refused';
        server.misbehave(NODES, 'list', (_, response) => void response.end(JSON.stringify(page)), 4);
      },
    });
    await rig.until(() => rig.source.faults().some(({ message }) => /does not end/.test(message)));
    await rig.until(() => rig.source.synced);
    expect(rig.source.snapshot().nodes.size).toBe(0);
  });

  it('and sends 5,000 objects in one page, all are there', async () => {
    await using rig = await syncedRig({
      times: { pageSize: 5000 },
      prepare: (server) => {
        server.streaming = 'refused';
        fill(server, NODES, nodes(5000));
      },
    });
    expect(rig.source.snapshot().nodes.size).toBe(5000);
    expect(rig.server.seen(NODES, 'list')).toHaveLength(1);
  });
});

describe('a kind that is not installed', () => {
  it('counts as empty after a second answer, is said, and is followed once it is there', async () => {
    await using rig = await beginRig({
      prepare: (server) => server.misbehave(POOLS, 'any', unknownKind, 1000),
    });
    await rig.until(() => rig.source.synced);
    const answers = rig.server.seen(POOLS);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(answers[1]!.atMs - answers[0]!.atMs).toBeGreaterThanOrEqual(25);
    expect(rig.source.faults().map(({ message }) => message)).toEqual([
      'IPAddressPools are not known to the API server; their definition is not installed.',
    ]);
    rig.server.behave();
    await rig.until(() => rig.server.watches(POOLS) === 1 && rig.source.faults().length === 0);
  });

  it('any more takes nothing away', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(PEERS, peer('a')) });
    rig.server.misbehave(PEERS, 'any', unknownKind, 5);
    rig.server.resetWatches(PEERS);
    await rig.until(() => rig.server.seen(PEERS).length >= 5);
    expect(rig.source.snapshot().peers.size).toBe(1);
    await rig.until(() => rig.server.watches(PEERS) === 1);
  });

  it('is a failure where the kind belongs to Kubernetes', async () => {
    await using rig = await beginRig({
      prepare: (server) => server.misbehave(SLICES, 'any', unknownKind, 4),
    });
    await rig.until(() => rig.server.seen(SLICES).length === 4);
    expect(rig.source.synced).toBe(false);
    await rig.until(() => rig.source.synced);
  });
});

const withSecret = (name: string): unknown => ({ passwordSecret: { name, key: 'password' } });

describe('a Secret that a peer names', () => {
  it('is there when synced, watched alone, and follows its changes', async () => {
    await using rig = await syncedRig({
      prepare: (server) => {
        server.put(PEERS, peer('a', withSecret('tor') as Record<string, unknown>));
        server.put(SECRETS, secret('tor', 'one'));
        server.put(SECRETS, secret('other', 'not ours'));
      },
    });
    expect([...rig.source.snapshot().secrets.keys()]).toEqual(['herald/tor']);
    expect(
      rig.server.seen(SECRETS).every(({ query }) => query.get('fieldSelector') === 'metadata.name=tor'),
    ).toBe(true);
    rig.server.put(SECRETS, secret('tor', 'two'));
    await rig.until(() => rig.source.snapshot().secrets.get('herald/tor')?.data['password'] === 'two');
  });

  it('is followed when a peer names it later, and let go when none does', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(SECRETS, secret('tor', 'one')) });
    expect(rig.server.seen(SECRETS)).toEqual([]);
    rig.server.put(PEERS, peer('a', withSecret('tor') as Record<string, unknown>));
    await rig.until(() => rig.source.snapshot().secrets.size === 1);
    rig.server.put(PEERS, peer('a'));
    await rig.until(() => rig.source.snapshot().secrets.size === 0 && rig.server.watches(SECRETS) === 0);
    rig.server.put(PEERS, peer('a', withSecret('tor') as Record<string, unknown>));
    await rig.until(() => rig.source.snapshot().secrets.size === 1);
  });

  it('that may not be read is said in the words of the API server, and holds nothing up', async () => {
    await using rig = await syncedRig({
      prepare: (server) => {
        server.put(PEERS, peer('a', withSecret('tor') as Record<string, unknown>));
        server.misbehave(SECRETS, 'any', status(403, 'Forbidden', words), 1000);
      },
    });
    const fault = rig.source.faults().find(({ object }) => object === 'Secret herald/tor');
    expect(fault?.reason).toBe('Forbidden');
    expect(fault?.message).toContain(words);
    expect(rig.source.freshAtMs).toBeGreaterThan(0);
    rig.server.behave();
    rig.server.put(SECRETS, secret('tor', 'one'));
    await rig.until(() => rig.source.snapshot().secrets.size === 1 && rig.source.faults().length === 0);
  });

  it('that does not exist holds nothing up', async () => {
    await using rig = await syncedRig({
      prepare: (server) => server.put(PEERS, peer('a', withSecret('tor') as Record<string, unknown>)),
    });
    expect(rig.source.snapshot().secrets.size).toBe(0);
    expect(rig.source.faults()).toEqual([]);
  });
});
