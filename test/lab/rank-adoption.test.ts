/**
 * A controller that is killed and begins again in another term: it finds in bgpd what it announced, with which ranks, and
 * announces just that. Read from the wire: no router hears anything but what changed meanwhile.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { notYet, waitFor, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { DUAL_STACK, advertisement, node, pool, service, slices } from '../support/manifests.ts';
import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';
import { hasTold, toldRoutes, type ToldRoute } from '../support/told-routes.ts';
import { WireLog } from '../support/wire-log.ts';

type Name = 'full' | 'plain';
const NAMES = ['full', 'plain'] as const;
const ASNS = { full: 65_001, plain: 65_002 } as const;
const SERVICES = 300;
const NODES = ['node-0', 'node-1', 'node-2', 'node-3'];
const PATIENCE_MS = 60_000;

let scene: PeerScene<Name>;
let speaker: string;

function options(name: Name): RouterOptions {
  const neighbor = { address: speaker, asn: HERALD_ASN, multihop: 255, passive: true, holdTimeSeconds: 30 };
  const plain = name === 'plain' ? { addPathReceive: [] } : {};
  const { ipv4 } = scene.topology.router(name);
  return { asn: ASNS[name], routerId: ipv4, neighbors: [{ ...neighbor, ...plain }] };
}

function address(index: number): string {
  return `100.64.${index >> 8}.${index & 255}`;
}

function writeService(index: number, names: readonly string[]): void {
  const name = `bulk-${index}`;
  const addresses = [address(index), `2001:db8:53::${index.toString(16)}`];
  scene.manifests.write(name, service(name, { addresses, spec: DUAL_STACK }), ...slices(name, names));
}

function routes(name: Name): Promise<ToldRoute[]> {
  return toldRoutes(scene.topology.router(name), speaker);
}

/** Every Service on as many nodes as the router takes, and the session that goes with them. */
async function holds(counts: Readonly<Record<Name, number>>): Promise<void> {
  for (const name of NAMES) {
    await hasTold(scene.topology.router(name), speaker, counts[name], PATIENCE_MS);
  }
}

async function ready(): Promise<void> {
  await waitFor(
    'Herald is ready',
    async () => {
      const status = await scene.herald.get<{ ready: boolean; feeds: { state: string }[] }>('/api/v1/status');
      return (status.ready && status.feeds.every(({ state }) => state === 'established')) || notYet(status);
    },
    PATIENCE_MS,
  );
}

/** What is said from the kill on: until the change is there, or Herald has its whole table in bgpd again. */
async function restart(change?: () => void, seen = ''): Promise<Record<Name, string[]>> {
  const { lab, topology } = scene;
  const wires = {
    full: await WireLog.start(lab, topology.router('full'), speaker),
    plain: await WireLog.start(lab, topology.router('plain'), speaker, []),
  };
  await scene.herald.killController();
  // The term that is kept there is what a folder has for a Lease: the next process leads in a new one.
  rmSync(join(scene.herald.pod.sharedDirectory, 'state/term'));
  change?.();
  scene.herald.startController();
  await scene.herald.serving();
  await ready();
  if (seen !== '') {
    await waitFor('the change is there', async () => {
      const words = NAMES.map((name) => wires[name].updates());
      return words.every((said) => said.some((word) => word.startsWith(seen))) || notYet(words);
    });
  }
  await Promise.all(NAMES.map((name) => wires[name].stop()));
  expect(NAMES.flatMap((name) => wires[name].problems)).toEqual([]);
  return { full: wires.full.updates(), plain: wires.plain.updates() };
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({
    name: 'adoption',
    routers: { full: 'frr-root', plain: 'bird' },
    workers: 0,
  });
  speaker = scene.topology.podVisibleAs().ipv4;
  await Promise.all(NAMES.map((name) => scene.topology.router(name).start(options(name))));
  scene.manifests.write('pool', pool('bulk', ['100.64.0.0/16', '2001:db8:53::/64']));
  const nodes = NODES.map((name, index) =>
    node(name, { ipv4: `192.0.2.${201 + index}`, ipv6: `2001:db8:7::${201 + index}` }),
  );
  scene.manifests.write('nodes', ...nodes);
  scene.manifests.write(
    'advertisement',
    advertisement('default', {
      communities: ['65000:1', 'large:65000:1:2'],
      asPathPrepend: 3,
      nextHops: { weight: 'Endpoints' },
    }),
    advertisement('quiet', { peers: ['full'], communities: ['no-export'] }),
  );
  for (let index = 0; index < SERVICES; index++) {
    writeService(index, index % 3 === 0 ? NODES : NODES.slice(0, 2));
  }
  for (const name of NAMES) {
    const { ipv4 } = scene.topology.router(name);
    scene.writePeer(name, { peerAddress: ipv4, peerASN: ASNS[name], addressFamilies: ['IPv4', 'IPv6'] });
  }
  await scene.startHerald();
});

afterAll(() => scene?.close());

const COUNTS = { full: 2 * (100 * 4 + 200 * 2), plain: 2 * SERVICES } as const;

async function tables(): Promise<Record<Name, ToldRoute[]>> {
  return { full: await routes('full'), plain: await routes('plain') };
}

describe('D1 the controller is killed and begins in another term', () => {
  test('D1 nothing changed meanwhile: nothing is said to any router', async () => {
    await holds(COUNTS);
    const before = await tables();
    expect(await restart()).toEqual({ full: [], plain: [] });
    expect(await tables()).toEqual(before);
  });

  test('D1 a Service changed meanwhile: its prefix is said, with the rank of the new term, and no other', async () => {
    const before = await tables();
    const prefixes = [`${address(1)}/32`, '2001:db8:53::1/128'];
    const said = await restart(() => writeService(1, ['node-3']), `+${prefixes[0]}`);
    const isChanged = (word: string): boolean => prefixes.some((prefix) => word.slice(1).startsWith(prefix));
    NAMES.forEach((name) => expect(said[name].filter((word) => !isChanged(word))).toEqual([]));
    await holds({ full: COUNTS.full - 2, plain: COUNTS.plain });
    const after = await tables();
    const others = (table: readonly ToldRoute[]) => table.filter(({ path }) => !isChanged(` ${path}`));
    const was = before.full.find(({ path }) => isChanged(` ${path}`));
    const now = after.full.filter(({ path }) => isChanged(` ${path}`));
    NAMES.forEach((name) => expect(others(after[name])).toEqual(others(before[name])));
    expect(now.map(({ path }) => path)).toEqual([
      `${prefixes[0]} 192.0.2.204`,
      `${prefixes[1]} 2001:db8:7::204`,
    ]);
    now.forEach(({ med }) => expect(med).toBeLessThan(was?.med ?? 0));
  });

  test('D1 and again, now that prefixes are of different terms', async () => {
    const before = await tables();
    expect(await restart()).toEqual({ full: [], plain: [] });
    expect(await tables()).toEqual(before);
  });
});
