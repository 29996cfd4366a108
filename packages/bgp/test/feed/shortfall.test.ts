// A bgpd that offers less than a feed wants, or sends what a feed does not take.

import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { expectedLines } from '../model-table.ts';
import { FULL } from '../receiver.ts';
import { manyRoutes } from '../tables.ts';
import { A, dialling, holds, syncedWith, TABLE, without } from './loopback.ts';

describe('what bgpd does not offer', () => {
  it('is said, and a prefix gets its first path only, without ADD-PATH', async () => {
    const setup = await dialling({}, without('add-path'));
    await syncedWith(setup, TABLE);
    await holds(setup.receiver, expectedLines(TABLE, []));
    expect(setup.problems.map(({ reason }) => reason)).toEqual([
      'AddPathNotNegotiated',
      'AddPathNotNegotiated',
    ]);
  });

  it('is said, and IPv6 left out, without its family', async () => {
    const [ipv4, , ...rest] = FULL;
    const setup = await dialling({}, { capabilities: ipv4 === undefined ? [] : [ipv4, ...rest] });
    await syncedWith(setup, TABLE);
    await setup.receiver.until(() => setup.receiver.session.endsOfRib.length === 1);
    expect(setup.receiver.session.table.lines).toEqual(expectedLines(TABLE, [4], [4]));
    expect(setup.problems.map(({ reason }) => reason)).toEqual(['FamilyNotNegotiated']);
  });

  it('keeps messages short without extended messages', async () => {
    const setup = await dialling({}, without('extended-message'));
    const table = manyRoutes(5000, A);
    await syncedWith(setup, table); // the receiver throws at a message that is too long
    await holds(setup.receiver, expectedLines(table));
    expect(setup.feed.counters.updatesSent).toBeGreaterThan(10);
  });

  it('ends the session without four-octet AS numbers', async () => {
    const setup = await dialling({}, without('four-octet-asn'));
    setup.feed.set(TABLE);
    await setup.receiver.until(() => setup.receiver.sessions[0]?.notification !== undefined);
    expect(setup.receiver.sessions[0]?.notification).toMatchObject({ code: 2, subcode: 7 });
    expect(setup.problems[0]).toMatchObject({ reason: 'OpenRefused' });
    expect(setup.feed.counters.sessionsLost).toBe(0);
  });

  it('ends the session with another AS', async () => {
    const setup = await dialling({}, { asn: 65009 });
    setup.feed.set(TABLE);
    await setup.receiver.until(() => setup.problems.length > 0);
    expect(setup.problems[0]).toEqual({ reason: 'OpenRefused', text: 'the peer is AS 65009, not 65000' });
  });
});

describe('routes from bgpd', () => {
  it('are read and ignored, and what is wrong with them is said', async () => {
    const setup = await dialling();
    await syncedWith(setup, TABLE);
    const session = setup.receiver.session;
    const announced = [{ pathId: 0, prefix: { ...manyRoutes(1, A).get('10.0.0.0/32')?.prefix } as never }];
    session.send({
      kind: 'update',
      withdrawn: [],
      attributes: { origin: 'igp', asPath: [], nextHop: address('192.0.2.1'), localPref: 100 },
      announced,
      reach: undefined,
      unreach: undefined,
    });
    session.send({
      kind: 'update',
      withdrawn: [],
      attributes: {},
      announced,
      reach: undefined,
      unreach: undefined,
    });
    await setup.receiver.until(() => setup.problems.length === 4);
    expect(new Set(setup.problems.map(({ reason }) => reason))).toEqual(new Set(['MalformedMessage']));
    expect(setup.problems[0]?.text).toBe('attribute 1 is missing (treat-as-withdraw)');
    expect(setup.feed.state.kind).toBe('established');
  });
});
