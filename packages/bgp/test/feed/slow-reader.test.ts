// A bgpd that stops reading real sockets while tables change; back-pressure.test.ts has the details.

import { describe, expect, it } from 'vitest';
import { expectedLines } from '../model-table.ts';
import { manyRoutes, routes } from '../tables.ts';
import { A, B, dialling, holds, LAST } from './loopback.ts';

describe('a bgpd that does not read', () => {
  it('does not make the first table and its End-of-RIBs come out of order', async () => {
    const setup = await dialling({ last: LAST });
    setup.feed.set(manyRoutes(4000, A, B).set(LAST, routes(LAST, A)));
    await setup.receiver.until(() => setup.receiver.sessions[0]?.remoteOpen !== undefined);
    setup.receiver.session.pause();
    const newest = manyRoutes(4000, A).set(LAST, routes(LAST, A));
    setup.feed.set(newest);
    setup.receiver.session.resume();
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    await setup.receiver.until(() => setup.synced.at(-1) === newest);
    await holds(setup.receiver, expectedLines(newest));
    const { log } = setup.receiver.session;
    const end = log.indexOf('end-of-rib 4');
    expect(log[end - 1]).toBe(`update ${LAST}`);
    expect(log[end + 1]).toBe('end-of-rib 6');
  });
});
