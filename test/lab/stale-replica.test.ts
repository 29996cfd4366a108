// Replicas that tell each other how they are, in front of a real router: one that has lost the place where its objects
// come from is silent where a fresh one serves, and only there; one that is told to end hands over and says so. Three
// replicas, each with a folder of its own, which is taken away from it.

import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { BirdRouter, Lab, Topology, notYet, waitFor } from '@herald/lab';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { logged } from '../support/herald-log.ts';
import { HeraldPod } from '../support/herald-pod.ts';
import { ManifestFolder, advertisement, node, peer, pool, service, slice } from '../support/manifests.ts';
import { HERALD_ASN } from '../support/peer-scene.ts';
import { WireLog } from '../support/wire-log.ts';

const ROUTER_ASN = 65_001;
const NAMES = ['herald-a', 'herald-b', 'herald-c'] as const;
const PORT = 8443;
const KEY = 'a key that all replicas of this lab have';
const PATIENCE_MS = 60_000;
const [STAYS, GOES] = ['203.0.113.1', '203.0.113.2'] as const;

interface Replica {
  readonly herald: HeraldPod;
  readonly manifests: ManifestFolder;
  /** As the router sees it. */
  readonly speaker: string;
}

let lab: Lab;
let topology: Topology<'tor'>;
let replicas: readonly Replica[] = [];

function replica(index: number): Replica {
  const found = replicas[index];
  if (found === undefined) {
    throw new RangeError(`no replica ${index}`);
  }
  return found;
}

function fill(manifests: ManifestFolder): void {
  manifests.write('pool', pool('public', ['203.0.113.0/24']));
  manifests.write('advertisement', advertisement('default'));
  manifests.write('node', node('worker', { ipv4: '192.0.2.201' }));
  manifests.write('stays', service('stays', { addresses: [STAYS] }), slice('stays', ['worker']));
  manifests.write('goes', service('goes', { addresses: [GOES] }), slice('goes', ['worker']));
  const { ipv4 } = topology.router('tor');
  manifests.write('tor', peer('tor', { peerAddress: ipv4, peerASN: ROUTER_ASN, connectTime: '1s' }));
}

async function start(index: number, name: string): Promise<Replica> {
  const pod = topology.pod(index);
  const manifests = new ManifestFolder(join(lab.directory, `manifests-${index}`, 'objects'));
  fill(manifests);
  pod.writeShared('key', KEY);
  const others = NAMES.flatMap((_, other) => (other === index ? [] : topology.pod(other).ipv4));
  const settings = {
    podListener: { address: '0.0.0.0', port: PORT },
    exchange: { keyFile: '/shared/key', replicas: others.map((address) => `http://${address}:${PORT}`) },
    source: { kind: 'folder', path: '/manifests/objects' },
    // A folder is walked every five seconds.
    guard: { joinDelay: '0s', staleAfter: '8s' },
    handOver: { patience: '30s' },
  };
  const outer = new ManifestFolder(join(lab.directory, `manifests-${index}`));
  const herald = await HeraldPod.start({ pod, manifests: outer, settings, name });
  return { herald, manifests, speaker: topology.podVisibleAs(index).ipv4 };
}

/** Prefix -> which replicas announce it, by their place. */
async function heard(): Promise<Record<string, string>> {
  const paths = await topology.router('tor').table(4);
  const found: Record<string, string> = { [STAYS]: '', [GOES]: '' };
  replicas.forEach(({ speaker }, index) => {
    for (const address of Object.keys(found)) {
      const has = paths.some((path) => path.peer === speaker && path.prefix === `${address}/32`);
      found[address] += has ? String(index) : '';
    }
  });
  return found;
}

async function hears(stays: string, goes: string): Promise<void> {
  await waitFor(
    `the router hears ${STAYS} of ${stays} and ${GOES} of ${goes}`,
    async () => {
      const found = await heard();
      return (found[STAYS] === stays && found[GOES] === goes) || notYet(found);
    },
    PATIENCE_MS,
  );
}

async function reason(index: number): Promise<{ reason: string; message: string } | undefined> {
  const { items } = await replica(index).herald.get<{ items: { reason: string; message: string }[] }>(
    '/api/v1/peers',
  );
  return items[0];
}

/** What a replica shows of what the replicas tell each other. */
async function told(index: number): Promise<object> {
  return (await replica(index).herald.get<{ exchange: object }>('/api/v1/replicas')).exchange;
}

function folderOf({ manifests }: Replica): string {
  return manifests.path;
}

function takeAway(index: number): void {
  const folder = folderOf(replica(index));
  renameSync(folder, `${folder}-away`);
}

function giveBack(index: number): void {
  const folder = folderOf(replica(index));
  renameSync(`${folder}-away`, folder);
}

async function dropped(): Promise<number[]> {
  return await Promise.all(replicas.map(({ speaker }) => topology.router('tor').connectionsDropped(speaker)));
}

beforeAll(async () => {
  lab = await Lab.create('stale');
  topology = await Topology.create(lab, {
    routers: { tor: 'bird' },
    workers: 0,
    controlPlanes: NAMES.length,
  });
  const tor = topology.router('tor');
  const neighbors = NAMES.map((_, index) => ({
    address: topology.podVisibleAs(index).ipv4,
    asn: HERALD_ASN,
    multihop: 255,
    passive: true,
  }));
  await tor.start({ asn: ROUTER_ASN, routerId: tor.ipv4, neighbors });
  // One after the other: six programs that begin at once take longer than one may.
  for (const [index, name] of NAMES.entries()) {
    replicas = [...replicas, await start(index, name)];
  }
});

afterAll(() => lab?.close());

test('all of them announce everything, and answer each other', async () => {
  await hears('012', '012');
  for (const { herald } of replicas) {
    await waitFor('two others answer', () =>
      Promise.resolve(logged(herald.controller, 'replica-answers').length >= 2),
    );
  }
});

test('D2 the stale one does not go on announcing a Service that is gone; its session stays', async () => {
  const before = await dropped();
  takeAway(0);
  await waitFor(
    'it is stale',
    () => Promise.resolve(logged(replica(0).herald.controller, 'stale').length > 0),
    PATIENCE_MS,
  );
  replica(1).manifests.remove('goes');
  replica(2).manifests.remove('goes');
  await hears('12', '');
  expect(await reason(0)).toMatchObject({ reason: 'StaleReplica' });
  expect((await reason(0))?.message).toMatch(/replica herald-[bc] serves it/);
  const serves = [topology.router('tor').ipv4];
  expect(await told(0)).toMatchObject({
    stale: true,
    heard: [
      { name: 'herald-b', stale: false, serves },
      { name: 'herald-c', stale: false, serves },
    ],
    problems: [],
  });
  expect(await told(1)).toMatchObject({ stale: false, heard: [{ name: 'herald-a', stale: true }, {}] });
  expect(await dropped()).toEqual(before);
});

test('nobody is fresh any more: fail-static, all of them announce what they last knew', async () => {
  takeAway(1);
  takeAway(2);
  await hears('012', '0');
});

test('fresh again: it announces what is true now, at once', async () => {
  rmSync(join(`${folderOf(replica(0))}-away`, 'goes.yaml'));
  giveBack(0);
  giveBack(1);
  giveBack(2);
  await hears('012', '');
  expect(await reason(0)).toMatchObject({ reason: 'Accepted' });
});

test('D3 one that is told to end says so, when others serve the router', async () => {
  const wire = await WireLog.start(lab, topology.router('tor'), replica(0).speaker);
  await replica(0).herald.stopController();
  await wire.stop();
  const words = logged(replica(0).herald.controller).map(({ event }) => event);
  expect(words).toContain('handed-over');
  expect(wire.messages.flatMap(({ said }) => said)).toContain('notification 6/2');
  const tor = topology.router('tor');
  expect(tor).toBeInstanceOf(BirdRouter);
  // The words of RFC 9003, as the router shows them.
  expect(await (tor as BirdRouter).show('show protocols all')).toContain('Herald replica herald-a ends');
  await hears('12', '');
});

test('one that nobody can take over from does not wait', async () => {
  await Promise.all([replica(1).herald.killController(), replica(1).herald.killBgpd()]);
  await replica(2).herald.stopController();
  const [last] = logged(replica(2).herald.controller, 'not-handed-over');
  expect(last).toMatchObject({ others: [], routers: [topology.router('tor').ipv4] });
  await hears('', '');
});
