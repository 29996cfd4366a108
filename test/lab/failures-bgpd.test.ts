/**
 * What a router sees of Herald with 10,000 routes when parts of it start, die, stop and come back, read from the wire: the
 * whole table and then End-of-RIB, once, or nothing at all. One router takes several paths, the other one path.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { notYet, waitFor, FrrRouter, UPLINK, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { logged } from '../support/herald-log.ts';
import { advertisement, node, pool, service, slice } from '../support/manifests.ts';
import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';
import { WireLog } from '../support/wire-log.ts';

type Name = 'full' | 'plain';
const NAMES = ['full', 'plain'] as const;
const ASNS = { full: 65_001, plain: 65_002 } as const;
const SERVICES = 2500;
const NODES = 4;
/** Routes of each router's table. */
const ROUTES = { full: SERVICES * NODES, plain: SERVICES } as const;
/** Longer than the ten seconds that bgpd is stopped for. */
const HOLD_SECONDS = 30;
const STOPPED_MS = 10_000;
const FLAPS = 20;
const FULL_TABLE_MS = 60_000;

let scene: PeerScene<Name>;
let speaker: string;

function options(name: Name): RouterOptions {
  const neighbor = { address: speaker, asn: HERALD_ASN, multihop: 255, gracefulRestart: 'helper' as const };
  const plain = name === 'plain' ? { addPathReceive: [] } : {};
  const neighbors = [{ ...neighbor, ...plain, passive: true, holdTimeSeconds: HOLD_SECONDS }];
  return { asn: ASNS[name], routerId: scene.topology.router(name).ipv4, neighbors };
}

function writeColour(colour: number): void {
  scene.manifests.write('advertisement', advertisement('default', { communities: [`65000:${colour}`] }));
}

/** Every route of the table has the community, and there are no others. */
async function whole(name: Name, colour: number): Promise<void> {
  await waitFor(
    `${name} has its whole table in colour ${colour}`,
    async () => {
      const paths = (await scene.topology.router(name).table(4)).filter(({ prefix }) =>
        prefix.startsWith('100.64.'),
      );
      const coloured = paths.filter(({ communities }) => communities.join() === `65000:${colour}`);
      return (
        (paths.length === ROUTES[name] && coloured.length === paths.length) ||
        notYet([paths.length, coloured.length])
      );
    },
    FULL_TABLE_MS,
  );
}

async function bothWhole(colour: number): Promise<void> {
  await Promise.all(NAMES.map((name) => whole(name, colour)));
}

async function dropped(): Promise<number[]> {
  return await Promise.all(NAMES.map((name) => scene.topology.router(name).connectionsDropped(speaker)));
}

async function captures(): Promise<Record<Name, WireLog>> {
  const { lab, topology } = scene;
  const [full, plain] = await Promise.all([
    WireLog.start(lab, topology.router('full'), speaker),
    WireLog.start(lab, topology.router('plain'), speaker, []),
  ]);
  return { full, plain };
}

/** In each session: the whole table before End-of-RIB, and End-of-RIB once; `last` are the routes of the last one. */
function toldInOrder(wire: WireLog, last: number): void {
  expect(wire.problems.join()).toBe('');
  for (const session of wire.sessions) {
    const words = wire.updates(session);
    const first = words.indexOf('end-of-rib 4');
    const before = new Set(words.slice(0, first).filter((word) => word.startsWith('+')));
    expect(words.filter((word) => word.startsWith('end-of-rib'))).toEqual(['end-of-rib 4']);
    expect(new Set(prefixesIn(before)).size).toBe(SERVICES);
    if (session === wire.sessions.at(-1)) {
      expect(before.size).toBe(last);
    }
  }
}

function prefixesIn(words: Iterable<string>): string[] {
  return Array.from(words, (word) => word.slice(1).split(' ')[0] ?? '');
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({
    name: 'fail-bgpd',
    routers: { full: 'frr-root', plain: 'bird' },
    workers: 0,
  });
  speaker = scene.topology.podVisibleAs().ipv4;
  await Promise.all(NAMES.map((name) => scene.topology.router(name).start(options(name))));
  const names = Array.from({ length: NODES }, (_, index) => `node-${index}`);
  const services = Array.from({ length: SERVICES }, (_, index) => {
    const addresses = [`100.64.${index >> 8}.${index & 255}`];
    return [service(`bulk-${index}`, { addresses }), slice(`bulk-${index}`, names)];
  });
  const nodes = names.map((name, index) => node(name, { ipv4: `192.0.2.${201 + index}` }));
  scene.manifests.write('pool', pool('bulk', ['100.64.0.0/16']));
  scene.manifests.write('nodes', ...nodes);
  scene.manifests.writeMany('services', services.flat());
  writeColour(1);
  for (const name of NAMES) {
    scene.writePeer(name, { peerAddress: scene.topology.router(name).ipv4, peerASN: ASNS[name] });
  }
});

afterAll(() => scene?.close());

describe('D7 the start gate', () => {
  test('D7 a router sees the whole table, then End-of-RIB once, in every session', async () => {
    const wires = await captures();
    await scene.startHerald();
    await scene.sessionAfter('plain', 1, FULL_TABLE_MS);
    await bothWhole(1);
    await Promise.all(NAMES.map((name) => wires[name].stop()));
    NAMES.forEach((name) => toldInOrder(wires[name], ROUTES[name]));
    expect(NAMES.map((name) => wires[name].sessions.length)).toEqual([1, 2]);
    expect(await dropped()).toEqual([0, 1]);
  });

  test('D1 the controller is killed and starts again: nothing is said to any router but what changed', async () => {
    const before = await dropped();
    const wires = await captures();
    await scene.herald.killController();
    scene.manifests.write(
      'late',
      service('late', { addresses: ['100.64.200.1'] }),
      slice('late', ['node-0']),
    );
    scene.herald.startController();
    await waitFor(
      'the new Service is everywhere',
      async () => {
        const words = NAMES.map((name) => wires[name].updates());
        return words.every(({ length }) => length > 0) || notYet(words);
      },
      FULL_TABLE_MS,
    );
    await settled();
    await Promise.all(NAMES.map((name) => wires[name].stop()));
    const announced = ['+100.64.200.1/32 192.0.2.201'];
    expect(NAMES.map((name) => wires[name].updates())).toEqual([announced, announced]);
    expect(await dropped()).toEqual(before);
    expect(logged(scene.herald.controller, 'peer-moved')).toEqual([]);
    scene.manifests.remove('late');
    await bothWhole(1);
  });

  test('D1 bgpd is killed and starts again: one reset, the whole table, End-of-RIB once; the peer stays in its table', async () => {
    const before = await dropped();
    const wires = await captures();
    await scene.herald.killBgpd();
    await waitFor('the sessions are lost', async () =>
      (await dropped()).every((count, index) => count > (before[index] ?? 0)),
    );
    scene.herald.startBgpd();
    await Promise.all(
      NAMES.map((name, index) => scene.sessionAfter(name, (before[index] ?? 0) + 1, FULL_TABLE_MS)),
    );
    await bothWhole(1);
    await Promise.all(NAMES.map((name) => wires[name].stop()));
    NAMES.forEach((name) => toldInOrder(wires[name], ROUTES[name]));
    expect(NAMES.map((name) => wires[name].sessions.length)).toEqual([1, 1]);
    expect(await dropped()).toEqual(before.map((count) => count + 1));
  });

  test('D1 both are killed and start again: the whole table, End-of-RIB once in each session', async () => {
    const [full = 0, plain = 0] = await dropped();
    const wires = await captures();
    await Promise.all([scene.herald.killController(), scene.herald.killBgpd()]);
    writeColour(2);
    scene.herald.startController();
    scene.herald.startBgpd();
    // Nothing is left that says what the plain router takes: it is found out, and the peer moves, once more.
    await Promise.all([
      scene.sessionAfter('full', full + 1, FULL_TABLE_MS),
      scene.sessionAfter('plain', plain + 2, FULL_TABLE_MS),
    ]);
    await bothWhole(2);
    await Promise.all(NAMES.map((name) => wires[name].stop()));
    NAMES.forEach((name) => toldInOrder(wires[name], ROUTES[name]));
    expect(NAMES.map((name) => wires[name].sessions.length)).toEqual([1, 2]);
  });
});

/** Every table of the controller is counted in bgpd. */
async function settled(): Promise<void> {
  await waitFor('Herald is ready', async () => {
    const status = await scene.herald.get<{ ready: boolean; feeds: { state: string }[] }>('/api/v1/status');
    return (status.ready && status.feeds.every(({ state }) => state === 'established')) || notYet(status);
  });
}

async function loop(): Promise<{ readonly ticks: number }> {
  return (await scene.herald.get<{ loop: { ticks: number } }>('/api/v1/status')).loop;
}

describe('D5 bgpd is slow', () => {
  test('D5 bgpd is stopped for 10 s while 10,000 routes change five times: the newest arrive, no session is lost', async () => {
    const before = await dropped();
    scene.herald.signalBgpd('SIGSTOP');
    const stopped = delay(STOPPED_MS);
    for (const colour of [3, 4, 5, 6, 7]) {
      const { ticks } = await loop();
      writeColour(colour);
      await waitFor(`colour ${colour} was decided`, async () => (await loop()).ticks > ticks);
    }
    await stopped;
    scene.herald.signalBgpd('SIGCONT');
    await bothWhole(7);
    expect(await dropped()).toEqual(before);
  });
});

describe('D4 routers', () => {
  test.each(NAMES)('D4 %s restarts: the whole table again, and no other router notices', async (name) => {
    const router = scene.topology.router(name);
    const other = name === 'full' ? 'plain' : 'full';
    const wire = await WireLog.start(
      scene.lab,
      scene.topology.router(other),
      speaker,
      name === 'full' ? [] : [4, 6],
    );
    const before = await scene.topology.router(other).connectionsDropped(speaker);
    await router.stop();
    await router.start(options(name));
    await whole(name, 7);
    await wire.stop();
    expect(await scene.topology.router(other).connectionsDropped(speaker)).toBe(before);
    expect(wire.updates()).toEqual([]);
  });

  test("D4 the router's bgpd is killed: the whole table again", async () => {
    const router = scene.topology.router('full');
    expect(router).toBeInstanceOf(FrrRouter);
    await (router as FrrRouter).restartBgpd();
    await whole('full', 7);
  });

  test('D4 its link flaps 20 times: no reset, or one that ends with the whole table', async () => {
    const { namespace } = scene.topology.router('full');
    for (let flap = 0; flap < FLAPS; flap++) {
      await namespace.linkDown(UPLINK);
      await namespace.linkUp(UPLINK);
    }
    writeColour(8);
    await bothWhole(8);
    const { full, plain } = Object.fromEntries(await scene.peers());
    expect([full?.instance, plain?.instance]).toEqual(['shared', expect.stringMatching(/^plain-/)]);
  });
});
