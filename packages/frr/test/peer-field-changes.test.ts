// Each field of a peer changed alone, there and back: exactly these commands, in this order, for this peer and
// nobody else. The same table for a peer with a view of its own and for one that is reached over IPv6.

import type { PeerSession } from '@herald/decision';
import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { diffConfig, parseStatements, planConfig, planReset, renderConfig } from '../src/index.ts';
import type { AppliedPlan, CommandGroup } from '../src/index.ts';
import { BgpdModel } from './bgpd-model.ts';
import { PLACEMENT, peer, plan, view } from './session-plan.ts';

const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });
const THIRD = peer('tor-3', { number: 9, address: address('192.0.2.4'), instance: view(9) });

function groupsBetween(before: AppliedPlan, after: AppliedPlan): CommandGroup[] {
  const [running, desired] = [before, after].map((each) =>
    parseStatements(renderConfig(planConfig(each, PLACEMENT).config)),
  );
  return running === undefined || desired === undefined ? [] : diffConfig(running, desired);
}

interface Change {
  readonly field: string;
  readonly from?: Partial<PeerSession>;
  readonly to: Partial<PeerSession>;
  /** Without "neighbor ADDRESS" in front. */
  readonly there: readonly string[];
  readonly back: readonly string[];
  /** Whether the session ends for it. */
  readonly resets: boolean;
}

/** One line that has the place of another. */
function replaced(field: string, to: Partial<PeerSession>, old: string, next: string): Change {
  return { field, to, there: [next], back: [old], resets: true };
}

/** One line that is there or is not. */
function added(field: string, to: Partial<PeerSession>, line: string, removal = line): Change {
  return { field, to, there: [line], back: [`no ${removal}`], resets: true };
}

const restart = (enabled: boolean): Partial<PeerSession> => ({
  gracefulRestart: { enabled, restartTimeSeconds: 120, longLivedStaleTimeSeconds: undefined },
});

const CHANGES: readonly Change[] = [
  replaced('remote ASN', { remoteAs: 65002 }, 'remote-as 65001', 'remote-as 65002'),
  replaced(
    'remote ASN of four octets',
    { remoteAs: 4_200_000_001 },
    'remote-as 65001',
    'remote-as 4200000001',
  ),
  replaced('remote ASN, any external', { remoteAs: 'external' }, 'remote-as 65001', 'remote-as external'),
  replaced('hold time', { holdTimeSeconds: 90 }, 'timers 10 30', 'timers 10 90'),
  replaced('keepalive time', { keepaliveTimeSeconds: 3 }, 'timers 10 30', 'timers 3 30'),
  replaced('no timers', { keepaliveTimeSeconds: 0, holdTimeSeconds: 0 }, 'timers 10 30', 'timers 0 0'),
  added('port', { port: 1179 }, 'port 1179', 'port'),
  added('password', { password: 'one' }, 'password one', 'password'),
  added('multihop without bound', { ebgpMultiHop: 255 }, 'ebgp-multihop'),
  added('multihop of two', { ebgpMultiHop: 2 }, 'ebgp-multihop 2', 'ebgp-multihop'),
  added('GTSM', { ttlSecurityHops: 1 }, 'ttl-security hops 1'),
  added(
    'source address',
    { sourceAddress: address('192.0.2.9') },
    'update-source 192.0.2.9',
    'update-source',
  ),
  replaced('graceful restart', restart(true), 'graceful-restart-disable', 'graceful-restart'),
  {
    field: 'connect time',
    to: { connectTimeSeconds: 60 },
    there: ['timers connect 60'],
    back: ['timers connect 5'],
    resets: false,
  },
  {
    field: 'another password',
    from: { password: 'one' },
    to: { password: 'two' },
    there: ['password two'],
    back: ['password one'],
    resets: true,
  },
  {
    field: 'another port',
    from: { port: 1179 },
    to: { port: 2179 },
    there: ['port 2179'],
    back: ['port 1179'],
    resets: true,
  },
  {
    field: 'another source address',
    from: { sourceAddress: address('192.0.2.9') },
    to: { sourceAddress: address('192.0.2.10') },
    there: ['update-source 192.0.2.10'],
    back: ['update-source 192.0.2.9'],
    resets: true,
  },
  {
    field: 'another distance',
    from: { ebgpMultiHop: 3 },
    to: { ebgpMultiHop: 255 },
    there: ['ebgp-multihop'],
    back: ['ebgp-multihop 3'],
    resets: true,
  },
  {
    field: 'another distance by GTSM',
    from: { ttlSecurityHops: 1 },
    to: { ttlSecurityHops: 2 },
    there: ['ttl-security hops 2'],
    back: ['ttl-security hops 1'],
    resets: true,
  },
  {
    field: 'multihop and GTSM',
    from: { ebgpMultiHop: 3 },
    to: { ttlSecurityHops: 3 },
    there: ['no ebgp-multihop', 'ttl-security hops 3'],
    back: ['no ttl-security hops 3', 'ebgp-multihop 3'],
    resets: true,
  },
];

const QUIET: readonly (readonly [string, Partial<PeerSession>, Partial<PeerSession>])[] = [
  ['nothing', {}, {}],
  ['limit of paths', {}, { maxPaths: 4 }],
  ['multihop of one', {}, { ebgpMultiHop: 1 }],
  ['multihop under GTSM', { ttlSecurityHops: 1 }, { ttlSecurityHops: 1, ebgpMultiHop: 9 }],
  ['graceful restart that is off', {}, restart(false)],
  ['the standard port, said', {}, { port: 179 }],
  ['the local ASN, said', {}, { localAs: 65000 }],
];

const PLACES: readonly { place: string; header: string; base: Partial<PeerSession> }[] = [
  { place: 'the shared instance', header: 'router bgp 65000', base: {} },
  {
    place: 'a view',
    header: 'router bgp 65000 view plain-7',
    base: { instance: view(7), addPath: { 4: false, 6: false } },
  },
  {
    place: 'the shared instance over IPv6',
    header: 'router bgp 65000',
    base: { address: address('2001:db8::2') },
  },
];

describe.each(PLACES)('a peer in $place', ({ header, base }) => {
  const router = peer('tor-1', base);
  const [text] = [router.address.text];
  const named = (line: string): string =>
    line.startsWith('no ') ? `no neighbor ${text} ${line.slice(3)}` : `neighbor ${text} ${line}`;
  const commands = (lines: readonly string[], resets: boolean): string[] => {
    const own = lines.map(named);
    const gated = [`neighbor ${text} shutdown`, ...own, `no neighbor ${text} shutdown`];
    return [header, ...(resets ? gated : own), 'exit'];
  };
  const subject = { kind: 'neighbor', address: text, peer: 'tor-1' };

  it.each(CHANGES)('of which $field changes', ({ from = {}, to, there, back, resets }) => {
    const before = plan(peer('tor-1', { ...base, ...from }), OTHER, THIRD);
    const after = plan(peer('tor-1', { ...base, ...to }), OTHER, THIRD);
    expect(groupsBetween(before, after)).toEqual([{ subject, commands: commands(there, resets) }]);
    expect(groupsBetween(after, before)).toEqual([{ subject, commands: commands(back, resets) }]);
    expect(planReset(before, after).length > 0).toBe(resets);
    expect(planReset(after, before).length > 0).toBe(resets);
  });

  it.each(QUIET)('of which %s changes, which bgpd does not see', (_, from, to) => {
    const before = plan(peer('tor-1', { ...base, ...from }), OTHER, THIRD);
    const after = plan(peer('tor-1', { ...base, ...to }), OTHER, THIRD);
    expect(groupsBetween(before, after)).toEqual([]);
    expect(planReset(before, after)).toEqual([]);
  });

  it('that is shut down and opened again', () => {
    const open = plan(router, OTHER, THIRD);
    const shut = plan({ ...router, shutdown: true }, OTHER, THIRD);
    expect(groupsBetween(open, shut)).toEqual([
      { subject, commands: [header, `neighbor ${text} shutdown`, 'exit'] },
    ]);
    expect(groupsBetween(shut, open)).toEqual([
      { subject, commands: [header, `neighbor ${text} shutdown`, `no neighbor ${text} shutdown`, 'exit'] },
    ]);
  });

  it('that is shut down with words: they are in the one command that ends the session', () => {
    const open = plan(router, OTHER, THIRD);
    const words = { ...router, shutdown: true, shutdownMessage: 'ends' };
    const shut = plan(words, OTHER, THIRD);
    expect(groupsBetween(open, shut)).toEqual([
      { subject, commands: [header, `neighbor ${text} shutdown message ends`, 'exit'] },
    ]);
    expect(groupsBetween(shut, shut)).toEqual([]);
    expect(groupsBetween(shut, open)).toEqual([
      { subject, commands: [header, `neighbor ${text} shutdown`, `no neighbor ${text} shutdown`, 'exit'] },
    ]);
  });

  it('that is renamed keeps its session', () => {
    const groups = groupsBetween(plan(router, OTHER), plan({ ...router, name: 'tor-one' }, OTHER));
    expect(groups.flatMap((group) => group.commands)).toEqual([
      header,
      `neighbor ${text} description peer tor-one`,
      'exit',
    ]);
  });
});

describe('any two fields at once', () => {
  const pairs = CHANGES.filter(({ from }) => from === undefined).flatMap((first, index, all) =>
    all.slice(index + 1).map((second) => ({ first, second, name: `${first.field} and ${second.field}` })),
  );

  it.each(pairs)('$name: one reset at most, only this peer', ({ first, second }) => {
    const before = plan(peer('tor-1'), OTHER, THIRD);
    const after = plan(peer('tor-1', { ...first.to, ...second.to }), OTHER, THIRD);
    const groups = groupsBetween(before, after);
    expect(groups.map(({ subject }) => subject)).toEqual([
      { kind: 'neighbor', address: '192.0.2.2', peer: 'tor-1' },
    ]);
    const commands = groups.flatMap((group) => group.commands);
    expect(commands.filter((command) => command === 'neighbor 192.0.2.2 shutdown').length).toBeLessThan(2);
    expect(commands.join('\n')).not.toMatch(/192\.0\.2\.[34]\b|127\./);
    const model = new BgpdModel().run(topLevel(before)).run(commands);
    expect(model.linesOf('192.0.2.2').toSorted()).toEqual(
      new BgpdModel().run(topLevel(after)).linesOf('192.0.2.2').toSorted(),
    );
  });
});

function topLevel(of: AppliedPlan): string[] {
  const lines = renderConfig(planConfig(of, PLACEMENT).config).split('\n');
  return lines.map((line) => line.trim()).filter((line) => !/^(?:!|end|frr defaults .*|)$/.test(line));
}
