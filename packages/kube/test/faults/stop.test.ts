// Stopping, in whatever state the loops are: it returns, nothing is asked any more, no connection stays.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { nothing, silence, status, type Behaviour } from './api-server.ts';
import { NODES, beginRig, fill, nodes, syncedRig, type Rig } from './rig.ts';

/** How long after stopping nothing may have been asked: several pauses. */
const AFTER_MS = 150;
const PAUSES = { backoffMs: 30, longestBackoffMs: 30, hopelessBackoffMs: 30, suspectListMs: 30 };

/** Every collection has been asked for at least once. */
async function failing(behave: Behaviour): Promise<Rig> {
  const rig = await beginRig({
    times: PAUSES,
    prepare: (server) => server.misbehave(NODES, 'any', behave, 1000),
  });
  await rig.until(() => new Set(rig.server.requests.map(({ path }) => path)).size === 7);
  return rig;
}

const states: readonly [string, () => Promise<Rig>][] = [
  ['idle', () => syncedRig()],
  ['in a back-off', () => failing(status(500, 'InternalError', 'no'))],
  ['told to stay away', () => failing(status(429, 'TooManyRequests', 'no', { 'retry-after': '600' }))],
  ['waiting for an answer', () => failing(nothing)],
  ['waiting for the first event', () => failing(silence)],
  [
    'waiting for a second list',
    async () => {
      const rig = await syncedRig({ times: PAUSES, prepare: (server) => fill(server, NODES, nodes(4)) });
      rig.server.forget(
        NODES,
        nodes(4).map(({ metadata }) => metadata.name),
      );
      rig.server.write(NODES, { type: 'ERROR', object: { code: 410 } });
      return rig;
    },
  ],
];

describe('stopping', () => {
  it.each(states)('while %s leaves nothing behind', async (_, begin) => {
    await using rig = await begin();
    await rig.source.close();
    await rig.until(() => rig.server.openWatches === 0);
    const asked = rig.server.requests.length;
    await sleep(AFTER_MS);
    expect(rig.server.requests).toHaveLength(asked);
    await rig.client.close();
    await rig.until(() => rig.server.openConnections === 0);
  });

  it('twice is stopping once', async () => {
    await using rig = await syncedRig();
    await Promise.all([rig.source.close(), rig.source.close()]);
    expect(rig.source.synced).toBe(true);
  });
});
