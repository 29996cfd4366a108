import type { PeerSession, SessionPlan } from '@herald/decision';
import { address } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  diffConfig,
  holdPeers,
  parseStatements,
  planConfig,
  renderBoot,
  renderConfig,
} from '../src/index.ts';
import type { CommandGroup, Statements } from '../src/index.ts';
import { BgpdModel } from './bgpd-model.ts';
import { LOCAL_ASN, PLACEMENT, ROUTER_ID, peer, plan, view } from './session-plan.ts';

const NOBODY: ReadonlySet<string> = new Set();

function statements(sessions: SessionPlan): Statements {
  return parseStatements(renderConfig(planConfig(sessions, PLACEMENT).config));
}

function boot(): BgpdModel {
  return new BgpdModel().run(lines(renderBoot(LOCAL_ASN, ROUTER_ID, PLACEMENT)));
}

function lines(text: string): string[] {
  const all = text.split('\n').map((line) => line.trim());
  return all.filter((line) => !['', '!', 'end', 'frr defaults traditional'].includes(line));
}

function groupsFor(
  model: BgpdModel,
  sessions: SessionPlan,
  held: ReadonlySet<string> = NOBODY,
): CommandGroup[] {
  const running = parseStatements(model.runningConfig());
  return diffConfig(running, holdPeers(statements(sessions), running, held));
}

function commandsFor(model: BgpdModel, sessions: SessionPlan, held = NOBODY): string[] {
  return groupsFor(model, sessions, held).flatMap(({ commands }) => commands);
}

function move(model: BgpdModel, sessions: SessionPlan, held = NOBODY): BgpdModel {
  return model.run(commandsFor(model, sessions, held));
}

const TOR = peer('tor-1');
const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });

const opened = (...inner: string[]): string[] => [
  'router bgp 65000',
  'neighbor 192.0.2.2 shutdown',
  ...inner,
  'no neighbor 192.0.2.2 shutdown',
  'exit',
];
const inPlace = (...inner: string[]): string[] => ['router bgp 65000', ...inner, 'exit'];
const family = (...inner: string[]): string[] => [
  'address-family ipv4 unicast',
  ...inner,
  'exit-address-family',
];

function session(index: number): fc.Arbitrary<PeerSession> {
  return fc
    .record({
      families: fc.constantFrom<PeerSession['families']>([4], [6], [4, 6]),
      holdTimeSeconds: fc.constantFrom(30, 90),
      connectTimeSeconds: fc.constantFrom(5, 9),
      password: fc.constantFrom(undefined, 'one', 'two'),
      internal: fc.boolean(),
      shutdown: fc.boolean(),
      ebgpMultiHop: fc.constantFrom(undefined, 3, 255),
      ttlSecurityHops: fc.constantFrom(undefined, undefined, 2),
      localAs: fc.constantFrom(undefined, 65100),
      port: fc.constantFrom(179, 1179),
      addPath: fc.record({ 4: fc.boolean(), 6: fc.boolean() }),
      viewed: fc.boolean(),
      restarts: fc.boolean(),
    })
    .map(({ viewed, restarts, ...changes }) =>
      peer(`peer-${index}`, {
        ...changes,
        number: index,
        address: address(`192.0.2.${index + 10}`),
        remoteAs: changes.internal ? 'internal' : 65000 + index,
        instance: viewed ? view(index) : { kind: 'shared' },
        gracefulRestart: {
          enabled: restarts,
          restartTimeSeconds: 100 * index,
          longLivedStaleTimeSeconds: index === 2 ? 600 : undefined,
        },
      }),
    );
}

const SESSION_PLANS: fc.Arbitrary<SessionPlan> = fc
  .tuple(...[1, 2, 3, 4].map((index) => fc.option(session(index), { nil: undefined })))
  .map((peers) => plan(...peers.filter((found) => found !== undefined)));

function sorted(model: BgpdModel): string[] {
  return model.runningConfig().split('\n').toSorted();
}

describe('the commands between two plans', () => {
  it.each<[string, PeerSession, PeerSession, string[]]>([
    ['nothing', TOR, TOR, []],
    [
      'connect time, in place',
      TOR,
      peer('tor-1', { connectTimeSeconds: 9 }),
      inPlace('neighbor 192.0.2.2 timers connect 9'),
    ],
    ['hold time', TOR, peer('tor-1', { holdTimeSeconds: 90 }), opened('neighbor 192.0.2.2 timers 10 90')],
    ['password set', TOR, peer('tor-1', { password: 'one' }), opened('neighbor 192.0.2.2 password one')],
    [
      'password rotated: one command, no moment without',
      peer('tor-1', { password: 'one' }),
      peer('tor-1', { password: 'two' }),
      opened('neighbor 192.0.2.2 password two'),
    ],
    [
      'password taken away, its value not repeated',
      peer('tor-1', { password: 'one' }),
      TOR,
      opened('no neighbor 192.0.2.2 password'),
    ],
    [
      'multihop to GTSM: what excludes comes off first',
      peer('tor-1', { ebgpMultiHop: 255 }),
      peer('tor-1', { ttlSecurityHops: 3 }),
      opened('no neighbor 192.0.2.2 ebgp-multihop', 'neighbor 192.0.2.2 ttl-security hops 3'),
    ],
    [
      'GTSM to multihop',
      peer('tor-1', { ttlSecurityHops: 3 }),
      peer('tor-1', { ebgpMultiHop: 4 }),
      opened('no neighbor 192.0.2.2 ttl-security hops 3', 'neighbor 192.0.2.2 ebgp-multihop 4'),
    ],
    ['remote ASN', TOR, peer('tor-1', { remoteAs: 65002 }), opened('neighbor 192.0.2.2 remote-as 65002')],
    [
      'several at once are one reset',
      TOR,
      peer('tor-1', { port: 1179, sourceAddress: ROUTER_ID }),
      opened('neighbor 192.0.2.2 port 1179', 'neighbor 192.0.2.2 update-source 192.0.2.1'),
    ],
    [
      'ADD-PATH off',
      TOR,
      peer('tor-1', { addPath: { 4: false, 6: false } }),
      opened(...family('no neighbor 192.0.2.2 addpath-tx-all-paths')),
    ],
    [
      'shutdown stays shut',
      TOR,
      peer('tor-1', { shutdown: true, holdTimeSeconds: 90 }),
      inPlace('neighbor 192.0.2.2 shutdown', 'neighbor 192.0.2.2 timers 10 90'),
    ],
    ['opened again', peer('tor-1', { shutdown: true }), TOR, opened()],
    [
      'family added: its filters before its activation',
      TOR,
      peer('tor-1', { families: [4, 6] }),
      opened(
        'address-family ipv6 unicast',
        'neighbor 192.0.2.2 addpath-tx-all-paths',
        'neighbor 192.0.2.2 route-map herald-deny in',
        'neighbor 192.0.2.2 route-map herald-out-7 out',
        'neighbor 192.0.2.2 attribute-unchanged next-hop med',
        'neighbor 192.0.2.2 activate',
        'exit-address-family',
      ),
    ],
  ])('%s', (_name, before, after, expected) => {
    const model = move(boot(), plan(before, OTHER));
    expect(commandsFor(model, plan(after, OTHER))).toEqual(expected);
  });

  // What is prepended differs, so it has a filter of another name: none is ever edited.
  it.each([
    [
      'eBGP to iBGP: the next hop is then kept by reflection',
      peer('tor-1', { remoteAs: 'internal', internal: true }),
      'herald-out-7-internal',
      [
        'neighbor 192.0.2.2 remote-as internal',
        ...family(
          'no neighbor 192.0.2.2 attribute-unchanged',
          'neighbor 192.0.2.2 route-map herald-out-7-internal out',
        ),
      ],
    ],
    [
      'another AS number shown',
      peer('tor-1', { localAs: 65100 }),
      'herald-out-7-as65100',
      [
        'neighbor 192.0.2.2 local-as 65100 no-prepend replace-as',
        ...family('neighbor 192.0.2.2 route-map herald-out-7-as65100 out'),
      ],
    ],
  ])('%s', (_name, after, filter, expected) => {
    const commands = commandsFor(move(boot(), plan(TOR, OTHER)), plan(after, OTHER));
    const start = commands.indexOf('router bgp 65000');
    expect(commands.slice(start, -1)).toEqual(opened(...expected));
    expect(commands.slice(0, start)).toContain(`route-map ${filter} permit 20`);
    expect(commands.at(-1)).toBe('no route-map herald-out-7');
  });

  it('of a new peer: filters, then the neighbour behind shutdown, opened last', () => {
    expect(commandsFor(boot(), plan(TOR))).toEqual([
      'bgp large-community-list standard herald-peer-7 seq 10 permit 4294967295:1:7',
      'bgp large-community-list standard herald-peer-7 seq 20 permit 4294967295:1:0',
      'route-map herald-out-7 deny 10',
      'match ip address prefix-list herald-marker',
      'exit',
      'route-map herald-out-7 permit 15',
      'match large-community herald-dressed',
      'call herald-well-known',
      'on-match next',
      'exit',
      'route-map herald-out-7 permit 16',
      'match large-community herald-dressed',
      'call herald-prepend',
      'on-match next',
      'exit',
      'route-map herald-out-7 permit 20',
      'match large-community herald-peer-7',
      'set large-comm-list herald-tags delete',
      'exit',
      'route-map herald-out-7 deny 30',
      'exit',
      'router bgp 65000',
      'neighbor 192.0.2.2 remote-as 65001',
      'neighbor 192.0.2.2 shutdown',
      'neighbor 192.0.2.2 description peer tor-1',
      'neighbor 192.0.2.2 timers 10 30',
      'neighbor 192.0.2.2 timers connect 5',
      'neighbor 192.0.2.2 graceful-restart-disable',
      'address-family ipv4 unicast',
      'neighbor 192.0.2.2 addpath-tx-all-paths',
      'neighbor 192.0.2.2 route-map herald-deny in',
      'neighbor 192.0.2.2 route-map herald-out-7 out',
      'neighbor 192.0.2.2 attribute-unchanged next-hop med',
      'neighbor 192.0.2.2 activate',
      'exit-address-family',
      'no neighbor 192.0.2.2 shutdown',
      'exit',
    ]);
  });

  it('of a peer that goes: the neighbour, then its filters in reverse', () => {
    expect(commandsFor(move(boot(), plan(TOR, OTHER)), plan(OTHER))).toEqual([
      'router bgp 65000',
      'no neighbor 192.0.2.2',
      'exit',
      'no route-map herald-out-7',
      'no bgp large-community-list standard herald-peer-7 seq 10 permit 4294967295:1:7',
      'no bgp large-community-list standard herald-peer-7 seq 20 permit 4294967295:1:0',
    ]);
  });

  it('of a peer that moves into its view: gone from the one before it comes in the other', () => {
    const moved = peer('tor-1', { instance: view(7) });
    const commands = commandsFor(move(boot(), plan(TOR, OTHER)), plan(moved, OTHER));
    expect(commands.slice(0, 3)).toEqual(['router bgp 65000', 'no neighbor 192.0.2.2', 'exit']);
    expect(commands.indexOf('neighbor 127.1.0.7 remote-as 65000')).toBeGreaterThan(3);
    expect(commands).toContain('neighbor 192.0.2.2 route-map herald-view-out out');
  });

  it('of a view that goes names it in the way that spares the default instance', () => {
    const model = move(boot(), plan(peer('tor-1', { instance: view(7) })));
    expect(commandsFor(model, plan())).toEqual(['no router bgp 65000 vrf plain-7']);
  });

  it('of another local ASN: views first, then the default instance, then everything anew', () => {
    const sessions = plan(peer('tor-1', { instance: view(7) }), OTHER);
    const commands = commandsFor(move(boot(), sessions), { ...sessions, asn: 65100 });
    expect(commands.filter((command) => command.includes('router bgp'))).toEqual([
      'no router bgp 65000 vrf plain-7',
      'no router bgp 65000',
      'router bgp 65100',
      'router bgp 65100 view plain-7',
      'router bgp 65100',
      'router bgp 65100',
      'router bgp 65100 view plain-7',
      'router bgp 65100 view plain-7',
    ]);
  });

  it('of the last long-lived stale time takes the setting back', () => {
    const restarting = peer('tor-1', {
      gracefulRestart: { enabled: true, restartTimeSeconds: 300, longLivedStaleTimeSeconds: 600 },
    });
    const commands = commandsFor(move(boot(), plan(restarting)), plan(TOR));
    expect(commands.slice(0, 4)).toEqual([
      'router bgp 65000',
      'no bgp graceful-restart restart-time',
      'no bgp long-lived-graceful-restart stale-time',
      'exit',
    ]);
  });

  it('leaves what others configured, but no neighbour of theirs', () => {
    const model = boot().run([
      'route-map operator permit 10',
      'exit',
      'router bgp 65000',
      'bgp bestpath med missing-as-worst',
      'neighbor 192.0.2.99 remote-as 65099',
      'exit',
    ]);
    expect(commandsFor(model, plan())).toEqual(['router bgp 65000', 'no neighbor 192.0.2.99', 'exit']);
  });

  it('of a group are about one peer, so that a refused one costs no other', () => {
    const groups = groupsFor(boot(), plan(TOR, OTHER));
    expect(groups.map(({ subject }) => subject)).toEqual([
      { kind: 'filters' },
      { kind: 'neighbor', address: '192.0.2.2', peer: 'tor-1' },
      { kind: 'neighbor', address: '192.0.2.3', peer: 'tor-2' },
    ]);
  });
});

describe('peers that are held', () => {
  const viewed = peer('tor-1', { instance: view(7), password: 'one' });
  it.each<[string, PeerSession, SessionPlan]>([
    ['absent from the plan', TOR, plan(OTHER)],
    ['in the plan, without their password', peer('tor-1', { password: 'one' }), plan(TOR, OTHER)],
    ['in a view of their own', viewed, plan(OTHER)],
    ['about to move into a view', TOR, plan(peer('tor-1', { instance: view(7) }), OTHER)],
    ['about to leave their view', viewed, plan(TOR, OTHER)],
    ['with another address', TOR, plan(peer('tor-1', { address: ROUTER_ID }), OTHER)],
  ])('%s: nothing of theirs changes', (_name, running, next) => {
    const model = move(boot(), plan(running, OTHER));
    const before = model.linesOf('192.0.2.2');
    model.touched.clear();
    move(model, next, new Set(['tor-1']));
    expect([...model.touched]).toEqual([]);
    expect(model.linesOf('192.0.2.2')).toEqual(before);
  });

  it('are not created while they are held', () => {
    expect(commandsFor(boot(), plan(TOR), new Set(['tor-1'])).join('\n')).not.toContain('192.0.2.2');
  });

  it('do not keep another peer from changing', () => {
    const model = move(boot(), plan(TOR, OTHER));
    const next = plan({ ...OTHER, connectTimeSeconds: 9 });
    expect(commandsFor(model, next, new Set(['tor-1']))).toEqual([
      'router bgp 65000',
      'neighbor 192.0.2.3 timers connect 9',
      'exit',
    ]);
  });

  it('are let go with the instance when the local ASN changes', () => {
    const model = move(boot(), plan(viewed));
    const next = { ...plan(), asn: 65100 };
    move(model, next, new Set(['tor-1']));
    expect(model.runningConfig()).not.toContain('65000');
  });
});

describe('for any two plans', () => {
  it('the commands lead from the one to the other, and then there is nothing left to do', () => {
    fc.assert(
      fc.property(SESSION_PLANS, SESSION_PLANS, (before, after) => {
        const model = move(move(boot(), before), after);
        expect(commandsFor(model, after)).toEqual([]);
        const direct = move(boot(), after);
        expect(sorted(model)).toEqual(sorted(direct));
      }),
      { numRuns: 300 },
    );
  });

  it('no command touches the session of a peer that is the same in both', () => {
    fc.assert(
      fc.property(SESSION_PLANS, SESSION_PLANS, (before, after) => {
        const model = move(boot(), before);
        model.touched.clear();
        const same = before.peers.slice(-1);
        const others = after.peers.filter(({ name }) => name !== same[0]?.name);
        move(model, plan(...others, ...same));
        const untouchable = ['127.0.0.2', ...same.map((found) => found.address.text)];
        expect(untouchable.filter((found) => model.touched.has(found))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('to hold every peer is to do nothing to any of them', () => {
    fc.assert(
      fc.property(SESSION_PLANS, SESSION_PLANS, (before, after) => {
        const model = move(boot(), before);
        model.touched.clear();
        const all = new Set(['peer-1', 'peer-2', 'peer-3', 'peer-4']);
        move(model, after, all);
        expect([...model.touched]).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
