// The end of a feed: the words of the goodbye, and that nothing stays open in whatever state it was.

import { describe, expect, it } from 'vitest';
import { communicationOf } from '../../src/index.ts';
import { expectedLines } from '../model-table.ts';
import { freePort } from '../receiver.ts';
import { manyRoutes } from '../tables.ts';
import { A, B, dialling, feedFor, receiverFor, syncedWith, TABLE } from './loopback.ts';

describe('closing', () => {
  it('says Cease / Administrative Shutdown with words, and frees everything', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.feed.close();
    await setup.receiver.until(() => setup.receiver.session.ended);
    const said = setup.receiver.session.notification;
    expect(said).toMatchObject({ code: 6, subcode: 2 });
    expect(said && communicationOf(said)).toBe('the feed was closed');
    expect(setup.feed.state).toEqual({ kind: 'idle' });
    expect(setup.feed.counters.sessionsLost).toBe(0);
  });

  it('sends what was written before', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const next = manyRoutes(500, B);
    setup.feed.set(next);
    await setup.feed.close();
    await setup.receiver.until(() => setup.receiver.session.ended);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(next));
  });

  it('is final: a later table dials nobody', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.feed.close();
    setup.feed.set(manyRoutes(3, A));
    expect(setup.feed.state).toEqual({ kind: 'idle' });
    await expect(setup.feed.close()).resolves.toBeUndefined();
    expect(setup.receiver.sessions).toHaveLength(1);
  });

  it('works before anything was set, while dialling and while pausing', async () => {
    const unused = await dialling();
    await unused.feed.close();
    const early = await dialling();
    early.feed.set(TABLE);
    await early.feed.close();
    const refused = feedFor(receiverFor(), { port: await freePort() });
    refused.feed.set(TABLE);
    await refused.receiver.until(() => refused.problems.length > 0);
    await refused.feed.close();
    expect([unused, early, refused].map(({ feed }) => feed.state.kind)).toEqual(['idle', 'idle', 'idle']);
  });
});
