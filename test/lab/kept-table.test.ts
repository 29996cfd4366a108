/**
 * A controller that begins again while its API server is away, in front of real routers: what bgpd still holds goes on
 * without a word on the wire, what bgpd lost is announced from the table that was kept in the pod, below everything
 * that anybody knows; and when the API server is back, only what changed meanwhile is said.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { Lab, Topology, notYet, waitFor, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { logged } from '../support/herald-log.ts';
import { HeraldPod } from '../support/herald-pod.ts';
import { ManifestFolder, advertisement, node, peer, pool, service, slice } from '../support/manifests.ts';
import { HERALD_ASN } from '../support/peer-scene.ts';
import { PodApi } from '../support/pod-api.ts';
import { hasTold, toldRoutes, type ToldRoute } from '../support/told-routes.ts';
import { WireLog } from '../support/wire-log.ts';

type Name = 'full' | 'plain';
const NAMES = ['full', 'plain'] as const;
const ASNS = { full: 65_001, plain: 65_002 } as const;
const SERVICES = 40;
const NODES = ['node-0', 'node-1', 'node-2'];
const COUNTS = { full: SERVICES * NODES.length, plain: SERVICES } as const;
const PATIENCE_MS = 60_000;
/** Ten minutes of a controller that cannot begin. */
const CRASH_LOOP_MS = 600_000;

let lab: Lab;
let topology: Topology<Name>;
let api: PodApi;
let herald: HeraldPod;
let speaker: string;

function options(name: Name): RouterOptions {
  const neighbor = { address: speaker, asn: HERALD_ASN, multihop: 255, passive: true };
  const plain = name === 'plain' ? { addPathReceive: [] } : {};
  return {
    asn: ASNS[name],
    routerId: topology.router(name).ipv4,
    neighbors: [{ ...neighbor, ...plain }],
  };
}

function address(index: number): string {
  return `100.64.0.${index}`;
}

function putService(index: number, names: readonly string[]): void {
  const name = `bulk-${index}`;
  api.put(service(name, { addresses: [address(index)] }), slice(name, names));
}

function routes(name: Name): Promise<ToldRoute[]> {
  return toldRoutes(topology.router(name), speaker);
}

async function tables(): Promise<Record<Name, ToldRoute[]>> {
  return { full: await routes('full'), plain: await routes('plain') };
}

async function holds(counts: Readonly<Record<Name, number>>): Promise<void> {
  for (const name of NAMES) {
    await hasTold(topology.router(name), speaker, counts[name], PATIENCE_MS);
  }
}

function stateFile(name: string): string {
  return join(herald.pod.sharedDirectory, 'state', name);
}

/** The file says both tables as they are. */
async function isKept(): Promise<void> {
  await waitFor(
    'the last table is kept',
    () => {
      const text = existsSync(stateFile('kept-table')) ? readFileSync(stateFile('kept-table'), 'utf8') : '';
      const tablesKept = text.split('["t",').slice(1);
      const counts = tablesKept.map((table) => table.split('\n["r",').length - 1);
      const isWhole = counts.length === 2 && counts.every((count) => count === SERVICES);
      return Promise.resolve(isWhole || notYet(counts));
    },
    PATIENCE_MS,
  );
}

interface Status {
  readonly ready: boolean;
  readonly source: { readonly synced: boolean };
  readonly keptTable: { readonly announced: boolean; readonly from: string | null };
}

async function status(what: string, holdsOf: (status: Status) => boolean): Promise<Status> {
  return await waitFor(
    `Herald is ${what}`,
    async () => {
      const found = await herald.get<Status>('/api/v1/status');
      return holdsOf(found) ? found : notYet(found);
    },
    PATIENCE_MS,
  );
}

async function announcesKept(from: string): Promise<void> {
  await status(
    `ready with the kept table from ${from}`,
    ({ ready, keptTable }) => ready && keptTable.announced && keptTable.from === from,
  );
}

async function decidesAgain(): Promise<void> {
  await status('deciding', ({ ready, source, keptTable }) => ready && source.synced && !keptTable.announced);
  expect(logged(herald.controller, 'kept-table-ended')).toHaveLength(1);
}

interface FeedNeighbor {
  readonly nbrDesc?: string;
  readonly bgpState: string;
  /** What is left until routes go that nobody sent again. */
  readonly gracefulRestartInfo: {
    readonly gracefulRestartTimerMsecs: number;
    readonly gracefulStalepathTimerMsecs: number;
  };
}

/** Our sessions with bgpd as it sees them, one for each of its instances. */
async function feeds(): Promise<FeedNeighbor[]> {
  const command = 'show bgp vrf all neighbors json';
  const instances = await herald.pod.vtyJson<Record<string, Record<string, FeedNeighbor>>>(command);
  const neighbors = Object.values(instances).flatMap((each) => Object.values(each));
  return neighbors.filter(({ nbrDesc }) => nbrDesc === 'feed');
}

async function wires(): Promise<Record<Name, WireLog>> {
  const full = await WireLog.start(lab, topology.router('full'), speaker);
  return { full, plain: await WireLog.start(lab, topology.router('plain'), speaker, []) };
}

async function saidOn(captures: Record<Name, WireLog>): Promise<Record<Name, string[]>> {
  await Promise.all(NAMES.map((name) => captures[name].stop()));
  expect(NAMES.flatMap((name) => captures[name].problems)).toEqual([]);
  return { full: captures.full.updates(), plain: captures.plain.updates() };
}

async function dropped(): Promise<number[]> {
  return await Promise.all(NAMES.map((name) => topology.router(name).connectionsDropped(speaker)));
}

beforeAll(async () => {
  lab = await Lab.create('kept');
  topology = await Topology.create(lab, { routers: { full: 'frr-root', plain: 'bird' }, workers: 0 });
  speaker = topology.podVisibleAs().ipv4;
  await Promise.all(NAMES.map((name) => topology.router(name).start(options(name))));
  const pod = topology.pod();
  api = await PodApi.open(pod);
  api.put(pool('bulk', ['100.64.0.0/24']), advertisement('default', { asPathPrepend: 1 }));
  NODES.forEach((name, index) => api.put(node(name, { ipv4: `192.0.2.${201 + index}` })));
  for (let index = 0; index < SERVICES; index++) {
    putService(index, NODES);
  }
  for (const name of NAMES) {
    const peerAddress = topology.router(name).ipv4;
    api.put(peer(name, { peerAddress, peerASN: ASNS[name], connectTime: '1s' }));
  }
  herald = new HeraldPod({
    pod,
    manifests: new ManifestFolder(join(lab.directory, 'nothing')),
    name: 'herald-0',
    env: { POD_NAMESPACE: 'herald', POD_UID: 'pod-0', NODE_NAME: 'control-plane' },
    settings: {
      source: { kind: 'kubernetes', kubeconfig: '/shared/kubeconfig' },
      ipam: false,
      guard: { joinDelay: '0s', keptTableAfter: '2s' },
    },
  });
  herald.startBgpd();
  herald.startController();
  await herald.serving(PATIENCE_MS);
});

afterAll(async () => {
  await api?.close();
  await lab?.close();
});

test('with an API server everything is announced, and kept for nobody else to read', async () => {
  // The router that takes one path has moved to its view then, which resets its session.
  await status('ready', ({ ready }) => ready);
  await holds(COUNTS);
  await isKept();
  expect(statSync(stateFile('kept-table')).mode & 0o777).toBe(0o600);
});

describe('D10 the controller is killed while the API server is away', () => {
  test('routes stay, and what bgpd holds is sent to it again without a word to any router', async () => {
    const [before, sessions] = [await tables(), await dropped()];
    const captures = await wires();
    api.takeAway();
    await herald.killController();
    herald.startController();
    await herald.serving(PATIENCE_MS);
    await announcesKept('bgpd');
    expect(logged(herald.controller, 'kept-table-announced')).toHaveLength(1);
    expect(await herald.get('/readyz')).toMatchObject({ ready: true });
    await api.giveBack();
    await decidesAgain();
    expect(await saidOn(captures)).toEqual({ full: [], plain: [] });
    expect(await tables()).toEqual(before);
    expect(await dropped()).toEqual(sessions);
  });

  test('in a crash loop that never comes so far: bgpd keeps the routes for more than ten minutes', async () => {
    const before = await tables();
    const captures = await wires();
    api.takeAway();
    await herald.killController();
    for (let round = 0; round < 2; round++) {
      herald.startController();
      await waitFor(
        'it has begun',
        () => Promise.resolve(logged(herald.controller, 'started').length > 0),
        PATIENCE_MS,
      );
      await herald.killController();
    }
    const lost = await feeds();
    expect(lost.map(({ bgpState }) => bgpState)).not.toContain('Established');
    expect(lost).toHaveLength(NAMES.length);
    for (const { gracefulRestartInfo } of lost) {
      expect(gracefulRestartInfo.gracefulRestartTimerMsecs).toBeGreaterThan(CRASH_LOOP_MS);
      expect(gracefulRestartInfo.gracefulStalepathTimerMsecs).toBeGreaterThan(CRASH_LOOP_MS);
    }
    herald.startController();
    await api.giveBack();
    await herald.serving(PATIENCE_MS);
    await status('deciding', ({ ready, source }) => ready && source.synced);
    expect(await saidOn(captures)).toEqual({ full: [], plain: [] });
    expect(await tables()).toEqual(before);
  });
});

describe('D10 controller and bgpd are both killed while the API server is away', () => {
  test('the kept table is announced, whole, below every rank of a replica that knows', async () => {
    const before = await tables();
    await isKept();
    api.takeAway();
    await herald.killController();
    await herald.killBgpd();
    await holds({ full: 0, plain: 0 });
    herald.startBgpd();
    herald.startController();
    await herald.serving(PATIENCE_MS);
    await announcesKept('file');
    await holds(COUNTS);
    const after = await tables();
    const ordinal = Number(readFileSync(stateFile('ordinal'), 'utf8'));
    const lowest = 4_290_000_001 + (ordinal % 4_900_000);
    for (const name of NAMES) {
      expect(after[name].map(({ path }) => path)).toEqual(before[name].map(({ path }) => path));
      expect(new Set(after[name].map(({ med }) => med))).toEqual(new Set([lowest]));
      before[name].forEach(({ med }) => expect(med).toBeLessThan(lowest));
    }
  });

  test('the API server is back: only what changed meanwhile is said, with a rank of now', async () => {
    const sessions = await dropped();
    const captures = await wires();
    putService(1, ['node-2']);
    await api.giveBack();
    await decidesAgain();
    const prefix = `${address(1)}/32`;
    await waitFor('the change is there', async () => {
      const found = (await routes('full')).filter(({ path }) => path.startsWith(`${prefix} `));
      return found.length === 1 || notYet(found);
    });
    const said = await saidOn(captures);
    NAMES.forEach((name) =>
      expect(said[name].filter((word) => !word.slice(1).startsWith(prefix))).toEqual([]),
    );
    const after = await routes('full');
    const [changed, ...others] = [
      ...after.filter(({ path }) => path.startsWith(`${prefix} `)),
      ...after.filter(({ path }) => !path.startsWith(`${prefix} `)),
    ];
    expect(changed?.path).toBe(`${prefix} 192.0.2.203`);
    others.forEach(({ med }) => expect(changed?.med).toBeLessThan(med ?? 0));
    expect(await dropped()).toEqual(sessions);
  });
});
