// How much memory the controller holds: `herald run` in a pod, with a bgpd beside it and a router behind, over
// a folder of manifests. Once with a large cluster and once with a small one; beside them a process that only
// imports what the controller imports. Read from the kernel when everything has been announced and again
// after a time of changes, since garbage is collected when there is need.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Lab, REPOSITORY, Topology, type Pod, type Program, type Router } from '@herald/lab';

import { HeraldPod } from '../support/herald-pod.ts';
import { advertisement, ManifestFolder, node, peer, pool, service, slice } from '../support/manifests.ts';
import type { Manifest } from '../support/manifests.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';
import { LARGE } from './large-world.ts';
import type { Size } from './large-world.ts';
import { pathsAtRouter } from './paths-at-router.ts';

const SMALL: Size = { services: 20, nodes: 6, endpointsPerService: 3 };
const HERALD_ASN = 64_512;
const ROUTER_ASN = 64_601;
/** What one file holds: a list, as `kubectl get -o json` writes it. */
const OBJECTS_OF_A_FILE = 500;
const CHANGES = 40;
const CHANGE_GAP_MS = 250;
const IMPORTED_MS = 60_000;
const REST_MS = 5000;

/** Megabytes of a million bytes. */
interface Memory {
  readonly settled: number;
  readonly afterChanges: number;
  readonly peak: number;
}

export async function run(): Promise<readonly Figure[]> {
  const empty = await inLab('bench-rss-empty', (topology) => emptyProcess(topology.pod()));
  const small = await inLab('bench-rss-small', (topology, lab) => heraldMemory(topology, lab, SMALL));
  const large = await inLab('bench-rss-large', (topology, lab) => heraldMemory(topology, lab, LARGE));
  const shape = { unit: 'MB', n: 1 };
  const reference = 'a process that imports the same and does nothing';
  return [
    figure({ name: 'rss: large cluster, after changes', value: large.afterChanges, bound: 400, ...shape }),
    figure({ name: 'rss: large cluster, announced', value: large.settled, ...shape }),
    figure({ name: 'rss: large cluster, peak', value: large.peak, ...shape }),
    figure({
      name: 'rss: small cluster above the empty process',
      value: small.afterChanges - empty,
      bound: 60,
      reference,
      ...shape,
    }),
    figure({ name: 'rss: small cluster, after changes', value: small.afterChanges, ...shape }),
    figure({ name: 'rss: empty process', value: empty, ...shape }),
  ];
}

type Stage = Topology<'r1'>;

async function inLab<T>(name: string, measure: (topology: Stage, lab: Lab) => Promise<T>): Promise<T> {
  const lab = await Lab.create(name);
  try {
    return await measure(await Topology.create(lab, { routers: { r1: 'frr' }, workers: 0 }), lab);
  } finally {
    await lab.close();
  }
}

async function emptyProcess(pod: Pod): Promise<number> {
  const controller = join(REPOSITORY, 'packages/controller/src/index.ts');
  const script = `await import('${controller}'); console.log('imported'); setInterval(() => {}, 1000);`;
  const program = pod.runNode(['--input-type=module', '-e', script], { env: { NODE_NO_WARNINGS: '1' } });
  await program.lineMatching(/imported/, IMPORTED_MS);
  await sleep(REST_MS);
  return megabytes(program, 'VmRSS');
}

async function heraldMemory(topology: Stage, lab: Lab, size: Size): Promise<Memory> {
  const router = topology.router('r1');
  const address = topology.podVisibleAs().ipv4;
  const neighbor = { address, asn: HERALD_ASN, multihop: 255, passive: true, addPathReceive: [4 as const] };
  await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors: [neighbor] });
  const manifests = new ManifestFolder(join(lab.directory, 'manifests'));
  writeCluster(manifests, router, size);
  const herald = new HeraldPod({ pod: topology.pod(), manifests, settings: { asn: HERALD_ASN } });
  herald.startBgpd();
  herald.startController();
  await pathsAtRouter(router, address, (held) => held >= size.services * size.endpointsPerService);
  await sleep(REST_MS);
  const settled = megabytes(herald.controller, 'VmRSS');
  await change(manifests, size);
  await sleep(REST_MS);
  const afterChanges = megabytes(herald.controller, 'VmRSS');
  return { settled, afterChanges, peak: megabytes(herald.controller, 'VmHWM') };
}

/** Each change replaces one file: an endpoint of each of its Services has moved. */
async function change(manifests: ManifestFolder, size: Size): Promise<void> {
  for (let count = 1; count <= CHANGES; count++) {
    writeSlices(
      manifests,
      size,
      ((count * 7) % Math.ceil(size.services / OBJECTS_OF_A_FILE)) * OBJECTS_OF_A_FILE,
      count,
    );
    await sleep(CHANGE_GAP_MS);
  }
}

function megabytes(program: Program, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  return (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
}

function writeCluster(manifests: ManifestFolder, router: Router, size: Size): void {
  manifests.write('peer', peer('r1', { peerAddress: router.ipv4, peerASN: ROUTER_ASN, connectTime: '1s' }));
  manifests.write('pool', pool('public', ['203.0.0.0/16']));
  manifests.write('advertisement', advertisement('default'));
  for (let first = 0; first < size.nodes; first += OBJECTS_OF_A_FILE) {
    writeList(
      manifests,
      `nodes-${first}`,
      range(first, size.nodes, (i) => node(nodeName(i), nodeFields(i))),
    );
  }
  for (let first = 0; first < size.services; first += OBJECTS_OF_A_FILE) {
    writeList(
      manifests,
      `services-${first}`,
      range(first, size.services, (i) => service(`service-${i}`, { addresses: [addressOf(i)] })),
    );
    writeSlices(manifests, size, first, 0);
  }
}

function writeSlices(manifests: ManifestFolder, size: Size, first: number, shift: number): void {
  writeList(
    manifests,
    `slices-${first}`,
    range(first, size.services, (i) => slice(`service-${i}`, endpoints(i, size, shift))),
  );
}

function writeList(manifests: ManifestFolder, file: string, items: readonly Manifest[]): void {
  manifests.writeText(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

function range<T>(first: number, end: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.min(OBJECTS_OF_A_FILE, end - first) }, (_, i) => make(first + i));
}

function endpoints(index: number, size: Size, shift: number) {
  return Array.from({ length: size.endpointsPerService }, (_, k) => ({
    node: nodeName((index * 7 + k * 503 + (k === 0 ? shift : 0)) % size.nodes),
    address: `10.${100 + (k % 100)}.${index >> 8}.${index & 255}`,
  }));
}

function nodeName(index: number): string {
  return `node-${index}`;
}

function nodeFields(index: number) {
  return {
    ipv4: `10.1.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    ipv6: `fd00:1::${Math.floor(index / 250).toString(16)}:${(index % 250) + 1}`,
  };
}

function addressOf(index: number): string {
  return `203.0.${100 + Math.floor(index / 250)}.${(index % 250) + 1}`;
}
