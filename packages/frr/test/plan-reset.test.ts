import type { PeerSession, SessionPlan } from '@herald/decision';
import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { planReset } from '../src/index.ts';
import type { AppliedPlan } from '../src/index.ts';
import { peer, plan, view } from './session-plan.ts';

const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });
const RESTARTING = {
  enabled: true,
  restartTimeSeconds: 120,
  longLivedStaleTimeSeconds: undefined,
};

function fields(before: SessionPlan, after: AppliedPlan): string[] {
  return planReset(before, after).map((reason) => `${reason.peer} ${reason.field}`);
}

describe('a change of a peer', () => {
  it.each<[string, Partial<PeerSession>, string[]]>([
    ['nothing', {}, []],
    ['connect time', { connectTimeSeconds: 60 }, []],
    ['limit of paths, which the table keeps', { maxPaths: 4 }, []],
    ['a multihop of one, which is none', { ebgpMultiHop: 1 }, []],
    ['port', { port: 1179 }, ['port']],
    ['hold time', { holdTimeSeconds: 90 }, ['holdTime']],
    ['keepalive time', { keepaliveTimeSeconds: 3 }, ['holdTime']],
    ['password', { password: 'one' }, ['password']],
    ['remote ASN', { remoteAs: 65002 }, ['remoteAs']],
    ['dynamic ASN', { remoteAs: 'external' }, ['remoteAs']],
    ['local ASN', { localAs: 65100 }, ['localAs']],
    ['source address', { sourceAddress: address('192.0.2.9') }, ['sourceAddress']],
    ['multihop', { ebgpMultiHop: 255 }, ['multiHop']],
    ['GTSM', { ttlSecurityHops: 2 }, ['ttlSecurity']],
    ['shutdown', { shutdown: true }, ['shutdown']],
    ['families', { families: [4, 6] }, ['addPath', 'families']],
    ['ADD-PATH', { addPath: { 4: false, 6: true } }, ['addPath']],
    ['ADD-PATH of a family that it does not have', { addPath: { 4: true, 6: false } }, []],
    ['graceful restart', { gracefulRestart: RESTARTING }, ['gracefulRestart']],
    ['its instance', { instance: view(7) }, ['instance']],
    ['address', { address: address('192.0.2.77') }, ['address']],
    ['several', { password: 'one', port: 1179 }, ['password', 'port']],
  ])('%s', (_name, changes, expected) => {
    const after = plan(peer('tor-1', changes), OTHER);
    expect(fields(plan(peer('tor-1'), OTHER), after)).toEqual(expected.map((field) => `tor-1 ${field}`));
  });
});

describe('a change of the process', () => {
  const before = plan(peer('tor-1'), OTHER);
  it.each<[string, SessionPlan, string[]]>([
    ['ASN', { ...before, asn: 65100 }, ['tor-1 asn', 'tor-2 asn']],
    ['router-id', { ...before, routerId: address('192.0.2.8') }, ['tor-1 routerId', 'tor-2 routerId']],
    ['a peer more', plan(...before.peers, peer('tor-3', { number: 9, address: address('192.0.2.4') })), []],
    ['a peer fewer', plan(OTHER), []],
  ])('%s', (_name, after, expected) => {
    expect(fields(before, after)).toEqual(expected);
  });
});

it('a peer that is shut down has no session to lose', () => {
  const shut = plan(peer('tor-1', { shutdown: true }));
  expect(planReset(shut, plan(peer('tor-1', { password: 'one' })))).toEqual([]);
});

it('a reason says why in a sentence and never says the password', () => {
  const after = plan(peer('tor-1', { password: 'geheim' }));
  const [reason] = planReset(plan(peer('tor-1', { password: 'alt' })), after);
  expect(reason).toEqual({
    peer: 'tor-1',
    field: 'password',
    message: 'the TCP MD5 key belongs to the connection',
  });
});

describe('a peer that is left as it runs', () => {
  const before = plan(peer('tor-1'));
  it.each<[string, AppliedPlan, string[]]>([
    ['unresolved', plan({ ...peer('tor-1', { port: 1179 }), unresolved: true }), []],
    ['with a password that bgpd cannot be given', plan(peer('tor-1', { password: 'two words' })), []],
    [
      'unresolved, in another instance',
      plan({ ...peer('tor-1', { instance: view(7) }), unresolved: true }),
      [],
    ],
    [
      'unresolved, but the router-id changes below it',
      { ...plan({ ...peer('tor-1'), unresolved: true }), routerId: address('192.0.2.8') },
      ['tor-1 routerId'],
    ],
    [
      'with such a password, but the ASN changes and every instance goes',
      { ...plan(peer('tor-1', { password: 'two words' })), asn: 65100 },
      ['tor-1 asn'],
    ],
  ])('%s', (_name, after, expected) => {
    expect(fields(before, after)).toEqual(expected);
  });

  it('in a view keeps the router-id of the view, but not its ASN', () => {
    const inView = peer('tor-1', { instance: view(7) });
    const after = plan({ ...inView, unresolved: true });
    expect(fields(plan(inView), { ...after, routerId: address('192.0.2.8') })).toEqual([]);
    expect(fields(plan(inView), { ...after, routerId: address('192.0.2.8'), asn: 65100 })).toEqual([
      'tor-1 asn',
    ]);
  });
});
