// A feed that dials, over sockets: handshake, first table, changes, what it counts and says.

import { describe, expect, it } from 'vitest';
import { capabilityOf } from '../../src/index.ts';
import { expectedLines } from '../model-table.ts';
import { manyIpv6Routes, manyRoutes, path, routes } from '../tables.ts';
import { A, B, dialling, holds, LAST, syncedWith, TABLE } from './loopback.ts';

describe('a feed that dials', () => {
  it('does nothing before the first table', async () => {
    const { feed, receiver, states } = await dialling();
    expect(feed.state).toEqual({ kind: 'idle' });
    expect(states).toEqual([]);
    expect(receiver.sessions).toEqual([]);
  });

  it('offers what bgpd needs to keep its routes', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const open = setup.receiver.session.remoteOpen;
    expect(open).toMatchObject({ asn: 65000, holdTimeSeconds: 30, identifier: { text: '10.0.0.2' } });
    expect(open && capabilityOf(open, 'graceful-restart')).toEqual({
      kind: 'graceful-restart',
      restarting: true,
      notification: true,
      restartTimeSeconds: 4095,
      families: [
        { afi: 1, safi: 1, forwarding: true },
        { afi: 2, safi: 1, forwarding: true },
      ],
    });
    expect(open?.capabilities.map(({ kind }) => kind)).toEqual([
      'multiprotocol',
      'multiprotocol',
      'route-refresh',
      'extended-message',
      'four-octet-asn',
      'add-path',
      'graceful-restart',
    ]);
  });

  it('comes from its own address', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    expect(setup.receiver.session.socket.remoteAddress).toBe('127.0.0.2');
  });

  it('sends the first table, then both End-of-RIBs, and says so', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.receiver.session.log.slice(-2)).toEqual(['end-of-rib 4', 'end-of-rib 6']);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE));
    expect(setup.states.map(({ kind }) => kind)).toEqual([
      'connecting',
      'open-sent',
      'open-confirm',
      'established',
      'established',
    ]);
    expect(setup.states.slice(-2)).toMatchObject([{ endOfRibSent: false }, { endOfRibSent: true }]);
    expect(setup.feed.state).toEqual(setup.states.at(-1));
    expect(setup.problems).toEqual([]);
  });

  it('sends the prefix named last right before the End-of-RIBs', async () => {
    const setup = await dialling({ last: LAST });
    await syncedWith(setup, manyRoutes(3000, A).set(LAST, routes(LAST, A)));
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.receiver.session.log.slice(-3)).toEqual([`update ${LAST}`, 'end-of-rib 4', 'end-of-rib 6']);
  });

  it('sends changes only, and no second End-of-RIB', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const before = setup.feed.counters;
    const next = TABLE.set('10.0.0.3/32', routes('10.0.0.3/32', B)).set(LAST, routes(LAST, A));
    await syncedWith(setup, next);
    await holds(setup.receiver, expectedLines(next));
    const { counters } = setup.feed;
    expect(counters.prefixesSent - before.prefixesSent).toBe(1);
    expect(counters.withdrawnSent - before.withdrawnSent).toBe(1);
    expect(counters.updatesSent - before.updatesSent).toBe(2);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
    expect(setup.receiver.sessions).toHaveLength(1);
  });

  it('is in sync at once with a table that says the same', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const before = setup.feed.counters;
    await syncedWith(setup, manyRoutes(20, A, B).with(TABLE));
    expect(setup.feed.counters).toEqual(before);
  });

  it('counts what it sent', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 2);
    expect(setup.feed.counters).toMatchObject({ prefixesSent: 60, withdrawnSent: 0, sessionsLost: 0 });
    expect(setup.feed.counters.updatesSent).toBe(setup.receiver.session.updates);
    expect(setup.feed.counters.bytesSent).toBeGreaterThan(60 * 9);
  });

  it('sends a family again when asked', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const { prefixesSent } = setup.feed.counters;
    setup.receiver.session.send({ kind: 'route-refresh', afi: 1, safi: 1, subtype: 0 });
    await setup.receiver.until(() => setup.receiver.session.log.length > 6);
    expect(setup.feed.counters.prefixesSent - prefixesSent).toBe(40);
    expect(setup.receiver.session.endsOfRib).toEqual([4, 6]);
  });

  it('says which paths it cannot send, once for each next hop', async () => {
    const setup = await dialling();
    const odd = manyRoutes(50, A).with(manyIpv6Routes(50, A, path(2, '2001:db8::2')));
    await syncedWith(setup, odd);
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['NextHopOfOtherFamily']);
    expect(setup.feed.counters.prefixesSent).toBe(100);
  });
});
