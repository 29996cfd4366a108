// A peer that moves between the shared table and a view of its own, step by step: it leaves the one before it
// enters the other, the view's feed comes before its router, and what nobody uses goes last.

import type { PeerSession } from '@herald/decision';
import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { diffConfig, holdPeers, parseStatements, planConfig, planReset, renderConfig } from '../src/index.ts';
import type { AppliedPeer, AppliedPlan, CommandGroup, Statements } from '../src/index.ts';
import { PLACEMENT, peer, plan, view } from './session-plan.ts';

const SHARED = 'router bgp 65000';
const VIEW = 'router bgp 65000 view plain-7';
const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });

const statements = (of: AppliedPlan): Statements =>
  parseStatements(renderConfig(planConfig(of, PLACEMENT).config));

function groups(before: AppliedPlan, after: AppliedPlan): CommandGroup[] {
  const running = statements(before);
  return diffConfig(running, holdPeers(statements(after), running, planConfig(after, PLACEMENT).held));
}

/** What each group is about, and its first and last command of note. */
function steps(before: AppliedPlan, after: AppliedPlan): string[] {
  return groups(before, after).map(({ subject, commands }) => {
    switch (subject.kind) {
      case 'neighbor':
        return `${commands[0]}: ${subject.peer ?? 'feed'} ${commands[1]?.startsWith('no ') === true ? 'goes' : 'comes'}`;
      case 'instance':
        return `${subject.header}: ${commands[0]?.startsWith('no ') === true ? 'goes' : 'settings'}`;
      case 'filters':
        return `filters ${commands.every((command) => command.startsWith('no ')) ? 'go' : 'come'}`;
      case 'process':
        return 'process';
    }
  });
}

const inView = (changes: Partial<PeerSession> = {}): PeerSession =>
  peer('tor-1', { instance: view(7), addPath: { 4: false, 6: false }, ...changes });
const inShared = (changes: Partial<PeerSession> = {}): PeerSession => peer('tor-1', changes);
const staged = (of: PeerSession): AppliedPeer => ({ ...of, staged: true });
const unresolved = (of: PeerSession): AppliedPeer => ({ ...of, unresolved: true });

describe('the steps', () => {
  it.each<[string, AppliedPeer[], AppliedPeer[], string[]]>([
    [
      'into a view',
      [inShared(), OTHER],
      [inView(), OTHER],
      [
        `${SHARED}: tor-1 goes`,
        `${VIEW}: settings`,
        `${VIEW}: feed comes`,
        `${VIEW}: tor-1 comes`,
        'filters go',
      ],
    ],
    [
      'out of a view',
      [inView(), OTHER],
      [inShared(), OTHER],
      [`${VIEW}: goes`, 'filters come', `${SHARED}: tor-1 comes`],
    ],
    [
      'into a view, its table first',
      [inShared(), OTHER],
      [staged(inView()), OTHER],
      [`${VIEW}: settings`, `${VIEW}: feed comes`],
    ],
    [
      'a new peer, staged in a view',
      [OTHER],
      [staged(inView()), OTHER],
      [`${VIEW}: settings`, `${VIEW}: feed comes`],
    ],
    ['a new peer, staged in the shared table', [OTHER], [staged(inShared()), OTHER], ['filters come']],
    [
      'a peer that may be spoken to at last',
      [staged(inShared()), OTHER],
      [inShared(), OTHER],
      [`${SHARED}: tor-1 comes`],
    ],
    [
      'a peer in a view that may be spoken to at last',
      [staged(inView()), OTHER],
      [inView(), OTHER],
      [`${VIEW}: tor-1 comes`],
    ],
    ['a peer that loses its Secret', [inShared(), OTHER], [unresolved(inShared()), OTHER], []],
    ['a peer in a view that loses its Secret', [inView(), OTHER], [unresolved(inView()), OTHER], []],
    ['a peer that loses its Secret as it moves in', [inShared(), OTHER], [unresolved(inView()), OTHER], []],
    ['a peer that loses its Secret as it moves out', [inView(), OTHER], [unresolved(inShared()), OTHER], []],
    [
      'a peer that knows us by another AS number and loses its Secret',
      [inShared({ localAs: 65100 }), OTHER],
      [unresolved(inShared({ localAs: 65100 })), OTHER],
      ['filters go'],
    ],
    [
      'a peer in a view that knows us by another AS number and loses its Secret',
      [inView({ localAs: 65100 }), OTHER],
      [unresolved(inView({ localAs: 65100 })), OTHER],
      [],
    ],
    [
      'an internal peer that loses its Secret as it becomes external',
      [inShared({ internal: true, remoteAs: 'internal' }), OTHER],
      [unresolved(inShared()), OTHER],
      [],
    ],
    ['a new peer without its Secret', [OTHER], [unresolved(inShared()), OTHER], []],
    ['a new peer without its Secret, in a view', [OTHER], [unresolved(inView()), OTHER], []],
    [
      'a peer whose Secret is back',
      [OTHER],
      [inShared({ password: 'one' }), OTHER],
      ['filters come', `${SHARED}: tor-1 comes`],
    ],
    ['a peer that is gone from a view', [inView(), OTHER], [OTHER], [`${VIEW}: goes`]],
    ['a peer that is gone', [inShared(), OTHER], [OTHER], [`${SHARED}: tor-1 goes`, 'filters go']],
  ])('of %s', (_, before, after, expected) => {
    const found = steps(plan(...before), plan(...after));
    expect(found).toEqual(expected);
  });
});

describe('the commands', () => {
  it('into a view, exactly', () => {
    const [gone, , feed, router, filters] = groups(plan(inShared(), OTHER), plan(inView(), OTHER));
    expect(gone?.commands).toEqual([SHARED, 'no neighbor 192.0.2.2', 'exit']);
    expect(feed?.commands).toEqual([
      VIEW,
      'neighbor 127.1.0.7 remote-as 65000',
      'neighbor 127.1.0.7 shutdown',
      'neighbor 127.1.0.7 description feed',
      'neighbor 127.1.0.7 port 1791',
      'neighbor 127.1.0.7 update-source 127.0.0.1',
      'neighbor 127.1.0.7 timers connect 1',
      'neighbor 127.1.0.7 timers 10 30',
      'neighbor 127.1.0.7 graceful-restart-helper',
      ...['ipv4', 'ipv6'].flatMap((family) => [
        `address-family ${family} unicast`,
        'neighbor 127.1.0.7 route-reflector-client',
        'neighbor 127.1.0.7 route-map herald-deny out',
        'neighbor 127.1.0.7 activate',
        'exit-address-family',
      ]),
      'no neighbor 127.1.0.7 shutdown',
      'exit',
    ]);
    expect(router?.commands).toEqual([
      VIEW,
      'neighbor 192.0.2.2 remote-as 65001',
      'neighbor 192.0.2.2 shutdown',
      'neighbor 192.0.2.2 description peer tor-1',
      'neighbor 192.0.2.2 timers 10 30',
      'neighbor 192.0.2.2 timers connect 5',
      'neighbor 192.0.2.2 graceful-restart-disable',
      'address-family ipv4 unicast',
      'neighbor 192.0.2.2 route-map herald-deny in',
      'neighbor 192.0.2.2 route-map herald-view-out out',
      'neighbor 192.0.2.2 attribute-unchanged next-hop med',
      'neighbor 192.0.2.2 activate',
      'exit-address-family',
      'no neighbor 192.0.2.2 shutdown',
      'exit',
    ]);
    expect(filters?.commands).toContain('no route-map herald-out-7');
    expect(filters?.commands.filter((command) => /herald-(?:peer|out)-8/.test(command))).toEqual([]);
  });

  it('out of a view spare the default instance', () => {
    const [gone] = groups(plan(inView(), OTHER), plan(inShared(), OTHER));
    expect(gone?.commands).toEqual(['no router bgp 65000 vrf plain-7']);
  });

  it.each(['staged', 'unresolved'] as const)('never name the router of a peer that is %s', (state) => {
    for (const next of [inShared({ port: 1179 }), inView({ port: 1179 })]) {
      const commands = groups(plan(inShared(), OTHER), plan({ ...next, [state]: true }, OTHER)).flatMap(
        (group) => group.commands,
      );
      expect(commands.filter((command) => command.includes('192.0.2.2'))).toEqual([]);
      expect(commands).not.toContain('no route-map herald-out-7');
    }
  });

  it('keep what the filter of a held peer calls, and take away only what nobody uses', () => {
    const router = inShared({ localAs: 65100 });
    const commands = groups(plan(router, OTHER), plan(unresolved(router), OTHER)).flatMap(
      (group) => group.commands,
    );
    expect(commands).toEqual(['no route-map herald-view-out-as65100']);
  });

  it.each<[string, AppliedPeer]>([
    ['unresolved', { ...OTHER, unresolved: true }],
    ['refused for its password', { ...OTHER, password: 'two words' }],
    ['staged', { ...OTHER, staged: true }],
  ])('leave the restart times of the instance to a peer that is %s', (_, held) => {
    const gracefulRestart = { enabled: true, restartTimeSeconds: 300, longLivedStaleTimeSeconds: 600 };
    const before = plan(inShared(), { ...OTHER, gracefulRestart });
    const after = plan(inShared(), { ...held, gracefulRestart });
    expect(groups(before, after)).toEqual([]);
  });

  it('are predicted: a move ends the session of the peer that moves, and only that', () => {
    const resets = planReset(plan(inShared(), OTHER), plan(inView(), OTHER));
    expect(resets).toEqual([
      {
        peer: 'tor-1',
        field: 'instance',
        message: 'the peer moves between the shared table and a table of its own',
      },
    ]);
    expect(planReset(plan(inView(), OTHER), plan(inShared(), OTHER))).toEqual(resets);
    expect(planReset(plan(inView(), OTHER), plan(unresolved(inShared()), OTHER))).toEqual([]);
  });
});
