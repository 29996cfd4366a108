/**
 * Session plans applied to a real bgpd in an unprivileged pod, with real routers: what the configuration makes of
 * the routes that the feed sends, and that no change to one peer is felt by another.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerSession } from '@herald/decision';
import { SessionOutput, VTY_BOUNDS, readMarkerSeen, readSessions, renderBoot, runShow } from '@herald/frr';
import type { AppliedPeer, AppliedPlan, ApplyOutcome, VtySettings } from '@herald/frr';
import { FibMonitor, FrrRouter, Lab, Topology, notYet, waitFor } from '@herald/lab';
import type { Pod, Program, RouterPath } from '@herald/lab';
import { address } from '@herald/net';
import { BEHAVIOURS } from '../../packages/frr/test/behaviours.ts';
import { findVtysh } from '../../packages/frr/test/frr-program.ts';
import { PLACEMENT, peer, view } from '../../packages/frr/test/session-plan.ts';
import type { FeedRoute } from './frr-feed.ts';

type RouterName = 'frr-1' | 'frr-2' | 'frr-3' | 'bird-1';
const ASN = 65_000;
const FEED_PROGRAM = new URL('frr-feed.ts', import.meta.url).pathname;

let lab: Lab;
let topology: Topology<RouterName>;

beforeAll(async () => {
  lab = await Lab.create('frr-apply');
  topology = await Topology.create(lab, {
    routers: { 'frr-1': 'frr', 'frr-2': 'frr-root', 'frr-3': 'frr-root', 'bird-1': 'bird' },
    workers: 2,
    controlPlanes: 3,
  });
});

afterAll(() => lab.close());

/** bgpd of one pod and what is told to it. */
class Speaker {
  readonly pod: Pod;
  readonly vty: VtySettings;
  readonly #output: SessionOutput;
  #feed: Program | undefined;
  #marker = 0;

  constructor(pod: Pod) {
    this.pod = pod;
    this.vty = { socketPath: join(pod.sharedDirectory, 'bgpd.vty'), ...VTY_BOUNDS };
    const configDir = lab.folder(pod.name, 'config');
    const vtysh = findVtysh();
    this.#output = new SessionOutput({ vty: this.vty, vtysh, configDir, placement: PLACEMENT });
  }

  get configFile(): string {
    return join(lab.folder(this.pod.name, 'config'), 'frr.conf');
  }

  async start(): Promise<Program> {
    return this.pod.runBgpd(renderBoot(ASN, address(this.pod.ipv4), PLACEMENT));
  }

  apply(peers: readonly AppliedPeer[]): Promise<ApplyOutcome> {
    const plan: AppliedPlan = { asn: ASN, routerId: address(this.pod.ipv4), peers };
    return this.#output.apply(plan);
  }

  /** Sends a whole table and waits until the marker behind it is in bgpd. */
  async send(name: string, listenAddress: string, table: readonly FeedRoute[]): Promise<void> {
    this.#feed ??= this.pod.runNode([FEED_PROGRAM]);
    this.#marker += 1;
    const tag = `4294967295:2:${this.#marker}`;
    const marker = { prefix: '192.0.0.8/32', nextHops: ['192.0.0.8'], communities: [tag], med: 0 };
    const line = { name, listenAddress, asn: ASN, routes: [...table, marker] };
    this.#feed.write(`${JSON.stringify(line)}\n`);
    if (name === 'default') {
      await waitFor(`marker ${tag}`, () => readMarkerSeen(this.vty, name, tag));
    }
  }

  async dropped(): Promise<Record<string, number>> {
    const { sessions, feeds } = await readSessions(this.vty);
    return {
      ...Object.fromEntries([...sessions].map(([name, state]) => [name, state.connectionsDropped])),
      ...Object.fromEntries([...feeds].map(([name, feed]) => [`feed ${name}`, feed.connectionsDropped])),
    };
  }

  async established(name: string): Promise<void> {
    await waitFor(`${name} is established`, async () => {
      const { sessions } = await readSessions(this.vty);
      const state = sessions.get(name);
      return state?.state === 'Established' || notYet(state);
    });
  }
}

function routesOf(paths: readonly RouterPath[]): string[] {
  return paths
    .map(({ prefix, nextHop, communities, med }) => [prefix, nextHop, `med ${med}`, ...communities].join(' '))
    .sort();
}

function routes(med: number): FeedRoute[] {
  const ipv4 = topology.workers.map((worker) => worker.ipv4);
  const ipv6 = topology.workers.map((worker) => worker.ipv6);
  const user = ['65000:100', '65000:5:6'];
  return [
    { prefix: '203.0.113.1/32', nextHops: ipv4, communities: ['4294967295:1:0', ...user], med },
    { prefix: '203.0.113.2/32', nextHops: ipv4, communities: ['4294967295:1:1'], med },
    {
      prefix: '203.0.113.3/32',
      nextHops: ipv4,
      communities: ['4294967295:1:2', '4294967295:1:3'],
      med,
    },
    { prefix: '203.0.113.4/32', nextHops: ipv4, communities: [], med },
    { prefix: '2001:db8:53::1/128', nextHops: ipv6, communities: ['4294967295:1:0'], med },
  ];
}

/** What a router has to hold of `routes`, given the last numbers of its IPv4 prefixes. */
function expected(med: number, mine: readonly number[]): string[] {
  const user = ' 65000:100 65000:5:6';
  return mine
    .flatMap((last) =>
      topology.workers.map(({ ipv4 }) => `203.0.113.${last}/32 ${ipv4} med ${med}${last === 1 ? user : ''}`),
    )
    .sort();
}

async function holds(name: RouterName, med: number, mine: readonly number[]): Promise<void> {
  const router = topology.router(name);
  const wanted = expected(med, mine);
  await waitFor(`${name} holds its routes`, async () => {
    const found = routesOf((await router.table(4)).filter(isOurs));
    return JSON.stringify(found) === JSON.stringify(wanted) || notYet(found);
  });
}

function isOurs({ prefix }: RouterPath): boolean {
  return prefix.startsWith('203.0.113.');
}

describe('one bgpd, three routers', () => {
  let speaker: Speaker;
  let tor: PeerSession;
  let spine: PeerSession;
  let reflector: PeerSession;
  const nobody = peer('nobody', { number: 9, address: address('192.0.2.250'), ebgpMultiHop: 255 });

  beforeAll(async () => {
    speaker = new Speaker(topology.pod(0));
    await startRouters();
    await speaker.start();
    tor = peer('tor', {
      number: 1,
      address: address(topology.router('frr-1').ipv4),
      remoteAs: 65_001,
      ebgpMultiHop: 255,
      families: [4, 6],
      connectTimeSeconds: 1,
    });
    spine = peer('spine', {
      number: 2,
      address: address(topology.router('frr-2').ipv6),
      remoteAs: 'external',
      ebgpMultiHop: 255,
      families: [4, 6],
      connectTimeSeconds: 1,
    });
    reflector = peer('reflector', {
      number: 3,
      address: address(topology.router('bird-1').ipv6),
      remoteAs: 'internal',
      internal: true,
      families: [4, 6],
      connectTimeSeconds: 1,
    });
    await speaker.send('default', '', routes(1));
    await speaker.apply([tor, spine, reflector]);
    for (const { name } of [tor, spine, reflector]) await speaker.established(name);
  });

  async function startRouters(): Promise<void> {
    const { ipv4, ipv6 } = topology.podVisibleAs(0);
    const neighbor = { asn: ASN, multihop: 255, passive: true, families: [4, 6] as const };
    const routerId = (name: RouterName): string => topology.router(name).ipv4;
    await topology.router('frr-1').start({
      asn: 65_001,
      routerId: routerId('frr-1'),
      neighbors: [{ ...neighbor, address: ipv4 }],
      originates: ['198.51.100.0/24'],
    });
    await topology.router('frr-2').start({
      asn: 65_002,
      routerId: routerId('frr-2'),
      neighbors: [{ ...neighbor, address: ipv6 }],
    });
    await topology.router('bird-1').start({
      asn: ASN,
      routerId: routerId('bird-1'),
      neighbors: [{ ...neighbor, asn: 'internal', address: ipv6 }],
    });
  }

  test.each<[RouterName, readonly number[]]>([
    ['frr-1', [1, 2]],
    ['frr-2', [1, 3]],
    ['bird-1', [1, 3]],
  ])('%s: the next hops of the feed, its own prefixes, no tag, every other community', async (name, mine) => {
    await holds(name, 1, mine);
    const ipv6 = routesOf(await topology.router(name).table(6));
    expect(ipv6).toEqual(topology.workers.map((worker) => `2001:db8:53::1/128 ${worker.ipv6} med 1`));
  });

  test('the routers are named with what they negotiated', async () => {
    const { sessions, traffic } = await readSessions(speaker.vty);
    for (const { name } of [tor, spine, reflector]) {
      expect(sessions.get(name)).toMatchObject({
        families: [4, 6],
        addPathReceive: { 4: true, 6: true },
        authenticated: false,
        lastError: '',
      });
      expect(traffic.get(name)?.pathsSent).toEqual({ 4: 4, 6: 2 });
    }
    expect(sessions.get('spine')?.remoteAs).toBe(65_002);
  });

  test('routes of a router do not enter our table', async () => {
    const sent = await topology.router('frr-1').table(4);
    expect(sent.map(({ prefix }) => prefix)).toContain('198.51.100.0/24');
    expect(await speaker.pod.vty('show bgp ipv4 unicast 198.51.100.0/24')).toContain('not in table');
  });

  test('the file with the passwords is for its owner only', () => {
    expect(statSync(speaker.configFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(speaker.configFile, 'utf8')).toContain('description peer tor');
  });

  test('the same plan again changes nothing', async () => {
    expect(await speaker.apply([tor, spine, reflector])).toEqual({
      changed: [],
      problems: [],
      refused: [],
    });
  });

  const RESTART = { enabled: true, restartTimeSeconds: 300, longLivedStaleTimeSeconds: 600 };
  test('every kind of change to one peer leaves the sessions of the others alone', async () => {
    const before = await speaker.dropped();
    const others = [tor, spine, reflector];
    const steps: [string, AppliedPeer[]][] = [
      ['added', [nobody]],
      ['password', [{ ...nobody, password: 'one' }]],
      ['rotated', [{ ...nobody, password: 'two' }]],
      ['held', [{ ...nobody, unresolved: true }]],
      ['GTSM', [{ ...nobody, ttlSecurityHops: 3 }]],
      ['restart', [{ ...nobody, gracefulRestart: RESTART }]],
      ['internal', [{ ...nobody, remoteAs: 'internal', internal: true }]],
      ['local-as', [{ ...nobody, localAs: 65_099, families: [4, 6] }]],
      ['viewed', [{ ...nobody, instance: view(9) }]],
      ['view held', [{ ...nobody, unresolved: true }]],
      ['shared', [nobody]],
      ['removed', []],
    ];
    for (const [name, peers] of steps) {
      const outcome = await speaker.apply([...others, ...peers]);
      expect({ name, problems: outcome.problems }).toEqual({ name, problems: [] });
      expect({ name, nothingLeft: (await speaker.apply([...others, ...peers])).changed }).toEqual({
        name,
        nothingLeft: [],
      });
    }
    await speaker.send('default', '', routes(2));
    await holds('frr-1', 2, [1, 2]);
    await holds('frr-2', 2, [1, 3]);
    await holds('bird-1', 2, [1, 3]);
    expect(await speaker.dropped()).toEqual(before);
    for (const router of [topology.router('frr-1'), topology.router('frr-2')]) {
      expect((await router.sessions()).map((session) => session.connectionsDropped)).toEqual([0]);
    }
  });

  test('a change that needs a reset resets that session once; one that does not, never', async () => {
    const before = await speaker.dropped();
    await speaker.apply([{ ...tor, connectTimeSeconds: 2 }, spine, reflector]);
    expect(await speaker.dropped()).toEqual(before);
    const slower = { ...tor, holdTimeSeconds: 90, keepaliveTimeSeconds: 30 };
    await speaker.apply([slower, spine, reflector]);
    await speaker.established('tor');
    await holds('frr-1', 2, [1, 2]);
    expect(await speaker.dropped()).toEqual({ ...before, tor: (before['tor'] ?? 0) + 1 });
  });

  test('a plain peer has a table of its own, and its move is felt by nobody else', async () => {
    const before = await speaker.dropped();
    const plain = { ...tor, instance: view(1), addPath: { 4: false, 6: false } };
    const [first] = topology.workers;
    const only = { prefix: '203.0.113.1/32', nextHops: [first?.ipv4 ?? ''], communities: [], med: 7 };
    await speaker.apply([plain, spine, reflector]);
    await speaker.send('plain-1', '127.1.0.1', [only]);
    await waitFor('frr-1 holds the one route of its view', async () => {
      const found = routesOf(await topology.router('frr-1').table(4));
      const wanted = `203.0.113.1/32 ${first?.ipv4} med 7`;
      const ours = found.filter((route) => route.startsWith('203.') || route.startsWith('192.0.0.'));
      return JSON.stringify(ours) === JSON.stringify([wanted]) || notYet(found);
    });
    const { traffic, feeds } = await readSessions(speaker.vty);
    expect(traffic.get('tor')).toMatchObject({ instance: 'plain-1', pathsSent: { 4: 1, 6: 0 } });
    expect(feeds.get('plain-1')).toMatchObject({ established: true, paths: { 4: 2, 6: 0 } });
    const { tor: _moved, 'feed plain-1': _new, ...others } = await speaker.dropped();
    expect({ ...others, tor: before['tor'] }).toEqual(before);
    await speaker.apply([tor, spine, reflector]);
    await speaker.established('tor');
    await holds('frr-1', 2, [1, 2]);
  });

  test('passwords: right, wrong, and rotated on both sides', async () => {
    const { ipv6 } = topology.podVisibleAs(0);
    const neighbor = { address: ipv6, asn: ASN, multihop: 255, passive: true, families: [4, 6] as const };
    const router = topology.router('frr-2');
    const secure = async (password: string): Promise<void> => {
      const neighbors = [{ ...neighbor, password }];
      await router.reconfigure({ asn: 65_002, routerId: router.ipv4, neighbors });
    };
    const before = await speaker.dropped();
    await secure('one');
    await speaker.apply([tor, { ...spine, password: 'wrong' }, reflector]);
    await waitFor('the session is down', async () => {
      const state = (await readSessions(speaker.vty)).sessions.get('spine');
      return (state?.state !== 'Established' && state?.authenticated) || notYet(state);
    });
    await speaker.apply([tor, { ...spine, password: 'one' }, reflector]);
    await speaker.established('spine');
    await secure('two');
    await speaker.apply([tor, { ...spine, password: 'two' }, reflector]);
    await speaker.established('spine');
    expect((await readSessions(speaker.vty)).sessions.get('spine')?.authenticated).toBe(true);
    await holds('frr-2', 2, [1, 3]);
    const { spine: _reset, ...others } = await speaker.dropped();
    const { spine: _before, ...othersBefore } = before;
    expect(others).toEqual(othersBefore);
  });
});

describe('any plan after any other', () => {
  test('bgpd runs exactly what was rendered, and the next look finds nothing to do', async () => {
    const speaker = new Speaker(topology.pod(1));
    await speaker.start();
    for (const [name, { peers }] of Object.entries(BEHAVIOURS)) {
      const outcome = await speaker.apply(peers);
      expect({ name, problems: outcome.problems }).toEqual({ name, problems: [] });
      expect({ name, changed: (await speaker.apply(peers)).changed }).toEqual({ name, changed: [] });
    }
    await speaker.apply([]);
    const running = await runShow(speaker.vty, 'show running-config');
    expect(running.match(/neighbor \S+ remote-as/g)).toEqual(['neighbor 127.0.0.2 remote-as']);
    const maps = new Set([...running.matchAll(/^route-map (\S+)/gm)].map(([, name]) => name));
    const common = ['deny', 'prepend', 'view-out', 'view-out-internal', 'well-known'];
    expect(maps).toEqual(new Set(common.map((name) => `herald-${name}`)));
  });
});

function frrRouter(name: RouterName): FrrRouter {
  const router = topology.router(name);
  if (!(router instanceof FrrRouter)) throw new TypeError(`${name} does not run FRR`);
  return router;
}

describe('a peer with graceful restart', () => {
  test('keeps the routes while bgpd is killed, starts anew and gets its table again', async () => {
    const speaker = new Speaker(topology.pod(2));
    const router = frrRouter('frr-3');
    const { ipv4 } = topology.podVisibleAs(2);
    const neighbor = { address: ipv4, asn: ASN, multihop: 255, passive: true };
    const neighbors = [{ ...neighbor, gracefulRestart: 'helper' as const }];
    await router.start({ asn: 65_002, routerId: router.ipv4, neighbors });
    const frozen = peer('frozen', {
      number: 5,
      address: address(router.ipv4),
      remoteAs: 65_002,
      ebgpMultiHop: 255,
      connectTimeSeconds: 1,
      gracefulRestart: {
        enabled: true,
        restartTimeSeconds: 60,
        longLivedStaleTimeSeconds: undefined,
      },
    });
    const [prefix, nextHops] = ['203.0.113.5/32', topology.workers.map((worker) => worker.ipv4)];
    const table = [{ prefix, nextHops, communities: ['4294967295:1:5'], med: 1 }];
    const bgpd = await speaker.start();
    await speaker.send('default', '', table);
    expect((await speaker.apply([frozen])).problems).toEqual([]);
    await router.forwardsTo(prefix, nextHops);
    const monitor = await FibMonitor.start(router.namespace);
    bgpd.kill('SIGKILL');
    await bgpd.exited;
    await waitFor('the router has lost the session', async () => {
      const sessions = await router.sessions();
      return sessions.every(({ isEstablished }) => !isEstablished) || notYet(sessions);
    });
    await speaker.start();
    await speaker.send('default', '', table);
    await speaker.apply([frozen]);
    await speaker.established('frozen');
    await waitFor('the paths are no longer stale', async () => {
      const shown = await router.show('show bgp ipv4 unicast');
      const fresh = nextHops.every((hop) => shown.includes(hop)) && !/^ *S[*= ]/m.test(shown);
      return fresh || notYet(shown);
    });
    expect(await router.kernelNextHops(prefix)).toEqual(nextHops);
    expect(monitor.eventsFor(prefix)).toEqual([]);
    await monitor.stop();
  });
});
