// Contact with the API server that was lost and is back: what an open watch should have brought is sent again late,
// so it is followed anew, and what is kept counts as current only then.

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Contact } from '../../src/transport/contact.ts';
import { nothing } from './api-server.ts';
import { NODES, fill, node, nodes, syncedRig, type Rig } from './rig.ts';

const LOST_MS = 60;
const OTHER = { method: 'GET', path: '/apis/coordination.k8s.io/v1/leases' } as const;

/** Nothing is answered for longer than contact may be silent; a node comes meanwhile, which no watch shows. */
async function losesContact({ server }: Rig): Promise<void> {
  server.muteWatches(NODES);
  server.put(NODES, node('meanwhile'));
  await delay(2 * LOST_MS);
}

function rigWith(lostMs: number): Promise<Rig> {
  return syncedRig({ limits: { lostMs }, prepare: (server) => fill(server, NODES, nodes(2)) });
}

describe('contact that was lost', () => {
  it('an answer on another connection makes each watch begin anew from where it was', async () => {
    await using rig = await rigWith(LOST_MS);
    await losesContact(rig);
    const before = rig.server.requests.length;
    await rig.client.request(OTHER);
    await rig.until(() => rig.nodes().includes('meanwhile'));
    expect(rig.server.seen(NODES, 'stream')).toHaveLength(1);
    expect(rig.server.seen(NODES, 'watch')).toHaveLength(1);
    expect(rig.server.requests.slice(before).every(({ kind }) => kind === 'watch' || kind === 'list')).toBe(
      true,
    );
    expect(rig.source.faults()).toEqual([]);
  });

  it('what is kept is not current before its watch was answered', async () => {
    await using rig = await rigWith(LOST_MS);
    await losesContact(rig);
    rig.server.misbehave(NODES, 'any', nothing);
    await rig.client.request(OTHER);
    await rig.until(() => rig.server.seen(NODES, 'watch').length === 1);
    expect(rig.client.contact.answeredAtMs - rig.source.freshAtMs).toBeGreaterThanOrEqual(LOST_MS);
  });

  it('for less than that no watch is disturbed, and every answer counts for all', async () => {
    await using rig = await rigWith(60_000);
    await losesContact(rig);
    const before = Date.now();
    await rig.client.request(OTHER);
    expect(rig.source.freshAtMs).toBeGreaterThanOrEqual(before);
    rig.server.put(NODES, node('later'));
    await rig.client.request(OTHER);
    expect(rig.server.seen(NODES, 'watch')).toEqual([]);
    expect(rig.nodes()).toEqual(['n0', 'n1']);
  });

  it('a first answer ends no silence', () => {
    const contact = new Contact(10);
    let told = 0;
    contact.onRegained(() => told++);
    [1000, 1009, 1018].forEach((atMs) => contact.answered(atMs));
    expect(told).toBe(0);
    contact.answered(1028);
    expect(told).toBe(1);
  });
});
