// What becomes of a feed whose session is lost: it dials again, and bgpd has the newest table again.

import { beforeEach, describe, expect, it } from 'vitest';
import { capabilityOf, notification } from '../../src/index.ts';
import { expectedLines } from '../model-table.ts';
import { freePort } from '../receiver.ts';
import { manyRoutes, routes } from '../tables.ts';
import {
  A,
  B,
  dialling,
  feedFor,
  holds,
  LAST,
  receiverFor,
  redial,
  stopTimers,
  syncedWith,
  TABLE,
} from './loopback.ts';

describe('a lost session', () => {
  beforeEach(stopTimers);

  it('is dialled again and gets everything again, with its End-of-RIBs', async () => {
    const setup = await dialling({ last: LAST });
    const table = TABLE.set(LAST, routes(LAST, A));
    await syncedWith(setup, table);
    setup.receiver.session.socket.destroy();
    await redial(setup, 200);
    await setup.receiver.until(
      () => setup.receiver.sessions.length === 2 && setup.receiver.session.endsOfRib.length === 2,
    );
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(table));
    expect(setup.receiver.session.log.at(-3)).toBe(`update ${LAST}`);
    expect(setup.feed.counters.sessionsLost).toBe(1);
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['ConnectionLost']);
  });

  it('is not called a restart of ours', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.socket.destroy();
    await redial(setup, 200);
    await setup.receiver.until(() => setup.receiver.sessions[1]?.remoteOpen !== undefined);
    const opens = setup.receiver.sessions.map(({ remoteOpen }) => remoteOpen);
    const restarting = opens.map((open) => open && capabilityOf(open, 'graceful-restart')?.restarting);
    expect(restarting).toEqual([true, false]);
  });

  it('gets the newest table, not the one of its time', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.socket.destroy();
    await redial(setup, 200);
    const next = manyRoutes(7, B);
    await syncedWith(setup, next);
    await holds(setup.receiver, expectedLines(next));
    expect(setup.receiver.sessions).toHaveLength(2);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
  });

  it('says what the peer said', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    setup.receiver.session.send(notification(6, 4));
    await setup.receiver.until(() => setup.problems.length > 0);
    expect(setup.problems).toEqual([{ reason: 'NotificationReceived', text: 'code 6 subcode 4' }]);
  });

  it('follows octets that are no message, after the right NOTIFICATION', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const [first] = setup.receiver.sessions;
    first?.socket.write(new Uint8Array(40));
    await setup.receiver.until(() => first?.notification !== undefined && first.ended);
    expect(first?.notification).toMatchObject({ code: 1, subcode: 1 });
    await redial(setup, 200);
    await setup.receiver.until(() => setup.receiver.sessions.length === 2);
    expect(setup.problems).toEqual([{ reason: 'MalformedMessage', text: 'the marker is not all ones' }]);
  });

  it('waits for a bgpd that is not there yet', async () => {
    const port = await freePort();
    const receiver = receiverFor();
    const setup = feedFor(receiver, { port });
    setup.feed.set(TABLE);
    await receiver.until(() => setup.problems.length === 1);
    await redial(setup, 200);
    await receiver.until(() => setup.problems.length === 2);
    await receiver.listen(port);
    await redial(setup, 400);
    await receiver.until(() => setup.synced.length > 0);
    await holds(receiver, expectedLines(TABLE));
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['ConnectFailed', 'ConnectFailed']);
  });
});
