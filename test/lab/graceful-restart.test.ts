/**
 * Graceful restart towards routers, read from their kernels and tables: with one replica that dies, a router that was
 * asked to keeps its routes for just the time that it was told; one that was not drops them with the session.
 */
import { FibMonitor, notYet, waitFor, type FibEvent, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';

type Name = 'frr' | 'bird' | 'usual';
const HELPERS = ['frr', 'bird'] as const;
const NAMES = [...HELPERS, 'usual'] as const;
const ASNS = { frr: 65_001, bird: 65_002, usual: 65_003 } as const;
const PREFIXES = ['203.0.113.1/32', '203.0.113.2/32'];
/** Longer than bgpd takes to come back with its table. */
const RESTART_SECONDS = 9;
const SHORT_RESTART_SECONDS = 2;
const LONG_LIVED_SECONDS = 6;
/** What a router's timers, whole seconds all, and a busy machine add. */
const LATE_MS = 1500;
/** As BIRD and as FRR write it. */
const LLGR_STALE = /65535:6|llgrStale/;
/** Stale paths are no longer merged by FRR: one next hop is left of each prefix. */
const LONG_LIVED_HOPS = { frr: 1, bird: 2 } as const;

let scene: PeerScene<Name>;
let speaker: string;
let monitors: Record<Name, FibMonitor>;

function options(name: Name): RouterOptions {
  const neighbor = { address: speaker, asn: HERALD_ASN, multihop: 255, passive: true, holdTimeSeconds: 30 };
  const { ipv4 } = scene.topology.router(name);
  return {
    asn: ASNS[name],
    routerId: ipv4,
    neighbors: [{ ...neighbor, gracefulRestart: 'helper' }],
    // FRR keeps long-lived stale routes only where it has a time of its own; BIRD always does.
    ...(name === 'frr' && {
      extra: `router bgp ${ASNS.frr}\n bgp long-lived-graceful-restart stale-time 3600\nexit`,
    }),
  };
}

function writePeers(gracefulRestart: Readonly<Record<string, unknown>>): void {
  for (const name of NAMES) {
    const { ipv4 } = scene.topology.router(name);
    const asked = name === 'usual' ? {} : { gracefulRestart };
    scene.writePeer(name, { peerAddress: ipv4, peerASN: ASNS[name], ...asked });
  }
}

async function serves(): Promise<void> {
  for (const name of NAMES) {
    await scene.routesAre(
      name,
      PREFIXES.flatMap((prefix) => scene.through(prefix)),
    );
    for (const prefix of PREFIXES) {
      await scene.topology.router(name).forwardsTo(
        prefix,
        scene.topology.workers.map(({ ipv4 }) => ipv4),
      );
    }
  }
}

/** Kernel messages about the Services' prefixes, since the last time that was asked. */
async function heard(name: Name): Promise<FibEvent[]> {
  await monitors[name].caughtUp();
  const events = monitors[name].events.filter(({ route }) => PREFIXES.includes(route.prefix));
  monitors[name].clear();
  return events;
}

async function dropped(name: Name): Promise<number> {
  return await scene.topology.router(name).connectionsDropped(speaker);
}

async function sessionsEnd(): Promise<number> {
  const before = await Promise.all(NAMES.map(dropped));
  await scene.herald.killBgpd();
  const killedMs = Date.now();
  await waitFor('every router has lost its session', async () => {
    const now = await Promise.all(NAMES.map(dropped));
    return now.every((count, index) => count === (before[index] ?? 0) + 1) || notYet(now);
  });
  return killedMs;
}

/** When the last of the prefixes left the kernel. */
async function gone(name: Name): Promise<number> {
  let last = 0;
  await waitFor(
    `${name} has no route`,
    async () => {
      const events = await heard(name);
      last = Math.max(last, ...events.map(({ timeMs }) => timeMs));
      const fib = await scene.topology.router(name).kernelFib(4);
      return PREFIXES.every((prefix) => !fib.has(prefix)) || notYet([...fib.keys()]);
    },
    40_000,
  );
  return Math.max(last, ...(await heard(name)).map(({ timeMs }) => timeMs));
}

async function staleCommunities(name: Name): Promise<string[]> {
  const paths = await scene.topology.router(name).table(4);
  return paths.filter(({ prefix }) => PREFIXES.includes(prefix)).map(({ communities }) => communities.join());
}

/** The kernel has so many next hops for each prefix. */
async function keepsHops(name: Name, count: number): Promise<void> {
  await waitFor(`${name} keeps ${count} next hops`, async () => {
    const fib = await scene.topology.router(name).kernelFib(4);
    const counts = PREFIXES.map((prefix) => fib.get(prefix)?.length);
    return counts.every((each) => each === count) || notYet(counts);
  });
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({
    name: 'restart',
    routers: { frr: 'frr-root', bird: 'bird', usual: 'bird' },
    workers: 2,
  });
  speaker = scene.topology.podVisibleAs().ipv4;
  await Promise.all(NAMES.map((name) => scene.topology.router(name).start(options(name))));
  scene.writeService('web', ['203.0.113.1']);
  scene.writeService('api', ['203.0.113.2']);
  writePeers({ enabled: true, restartTime: `${RESTART_SECONDS}s` });
  const started = await Promise.all(
    NAMES.map((name) => FibMonitor.start(scene.topology.router(name).namespace)),
  );
  const [frr, bird, usual] = started;
  if (frr === undefined || bird === undefined || usual === undefined) {
    throw new RangeError('three monitors');
  }
  monitors = { frr, bird, usual };
  await scene.startHerald();
  await scene.established(...NAMES);
  await serves();
});

afterAll(() => scene?.close());

test('bgpd is killed and comes back in time: no kernel notices where graceful restart is on', async () => {
  await Promise.all(NAMES.map(heard));
  await sessionsEnd();
  scene.herald.startBgpd();
  await scene.established(...NAMES);
  await serves();
  const [frr, bird, usual] = await Promise.all(NAMES.map(heard));
  expect({ frr, bird }).toEqual({ frr: [], bird: [] });
  const removals = usual?.filter(({ kind }) => kind === 'removed') ?? [];
  expect(new Set(removals.map(({ route }) => route.prefix))).toEqual(new Set(PREFIXES));
  // Nothing is held back as stale: what is gone now goes.
  scene.manifests.remove('service-api');
  for (const name of NAMES) {
    await scene.routesAre(name, scene.through('203.0.113.1/32'));
  }
  scene.writeService('api', ['203.0.113.2']);
  await serves();
});

test('a replica that is told to end takes its routes with it all the same', async () => {
  await scene.herald.stopController();
  const endedMs = Date.now();
  for (const name of NAMES) {
    expect((await gone(name)) - endedMs, name).toBeLessThan(LATE_MS);
  }
  scene.herald.startController();
  await scene.herald.serving();
  await scene.established(...NAMES);
  await serves();
});

test('everything is killed: the routes stay for just the restart time, elsewhere they go with the session', async () => {
  await Promise.all(NAMES.map(heard));
  await scene.herald.killController();
  const killedMs = await sessionsEnd();
  expect((await gone('usual')) - killedMs).toBeLessThan(LATE_MS);
  for (const name of HELPERS) {
    const stayedMs = (await gone(name)) - killedMs;
    expect(stayedMs, name).toBeGreaterThan(RESTART_SECONDS * 1000 - LATE_MS);
    expect(stayedMs, name).toBeLessThan(RESTART_SECONDS * 1000 + LATE_MS);
  }
});

test('with a long-lived stale time they stay on as a last resort, marked, for just that time', async () => {
  const seconds = SHORT_RESTART_SECONDS + LONG_LIVED_SECONDS;
  writePeers({
    enabled: true,
    restartTime: `${SHORT_RESTART_SECONDS}s`,
    longLivedStaleTime: `${LONG_LIVED_SECONDS}s`,
  });
  scene.herald.startBgpd();
  scene.herald.startController();
  await scene.herald.serving();
  await scene.established(...NAMES);
  await serves();
  await Promise.all(NAMES.map(heard));
  await scene.herald.killController();
  const killedMs = await sessionsEnd();
  for (const name of HELPERS) {
    await waitFor(`${name} has marked them`, async () => {
      const found = await staleCommunities(name);
      return (found.length === 4 && found.every((each) => LLGR_STALE.test(each))) || notYet(found);
    });
  }
  for (const name of HELPERS) {
    await keepsHops(name, LONG_LIVED_HOPS[name]);
  }
  expect((await gone('usual')) - killedMs).toBeLessThan(LATE_MS);
  for (const name of HELPERS) {
    const stayedMs = (await gone(name)) - killedMs;
    expect(stayedMs, name).toBeGreaterThan(seconds * 1000 - LATE_MS);
    expect(stayedMs, name).toBeLessThan(seconds * 1000 + LATE_MS);
  }
});
