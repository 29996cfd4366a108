// From the change of one file to the UPDATE on the router's wire, 1,000 Services on 100 nodes: one endpoint of
// one Service moves to another node. Two pods with the same bgpd, configured by Herald, speak to one router.
// In the first pod Herald runs; in the second it has been killed and a bare injector took its place on the
// feed, which says to bgpd, octet by octet, what Herald said to the first one. So every change is measured
// twice, a moment apart: as a manifest event through Herald, and as the floor that bgpd itself sets.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renameSync, writeFileSync } from 'node:fs';

import { Lab, REPOSITORY, SHARED_PATH, Topology, type Pod, type Program, type Router } from '@herald/lab';
import { stringify } from 'yaml';

import { HeraldPod } from '../support/herald-pod.ts';
import { advertisement, ManifestFolder, node, peer, pool, service, slice } from '../support/manifests.ts';
import { epochMs, figure, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import { RecordedFeed } from './recorded-feed.ts';
import { pathsAtRouter } from './paths-at-router.ts';
import { announces, RouterWire } from './router-wire.ts';
import { wallClockMs } from './wall-clock.ts';

const SERVICES = 1000;
const NODES = 100;
const ENDPOINTS = 10;
/** The first endpoint of a Service moves among so many nodes that have none of the others. */
const FREE_NODES = 47;
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 300);
const HERALD_ASN = 64_512;
const ROUTER_ASN = 64_601;
/** Gaps between events: not in step with any timer of bgpd or Herald. */
const GAP_MS = { least: 20, spread: 97 };
const START_MS = 30_000;
const REPLAY = join(REPOSITORY, 'test/bench/replay-sender.ts');

/** What bgpd needs for itself (its work queue holds for 50 ms), and what is asked of Herald, in milliseconds. */
const FLOOR_MS = 51;
const BOUNDS = { p50: 60, p99: 100 } as const;

interface Sample {
  readonly heraldMs: number;
  /** Of these, until Herald has written its UPDATE to bgpd. */
  readonly ownMs: number;
  readonly floorMs: number;
}

export async function run(): Promise<readonly Figure[]> {
  const lab = await Lab.create('bench-event');
  try {
    const topology = await Topology.create(lab, { routers: { r1: 'frr' }, workers: 0, controlPlanes: 2 });
    const router = topology.router('r1');
    const wire = await RouterWire.start(lab, router);
    const manifests = new ManifestFolder(join(lab.directory, 'manifests'));
    writeCluster(manifests, router);
    await startRouter(router, [topology.podVisibleAs(0).ipv4, topology.podVisibleAs(1).ipv4]);
    const recorded = await RecordedFeed.start(lab, topology.pod(0));
    await startHerald(topology.pod(0), manifests);
    await tableAtRouter(router, topology.podVisibleAs(0).ipv4);
    const injector = await startInjector(lab, topology, manifests);
    const stage = { manifests, wire, recorded, injector, pods: [topology.pod(0), topology.pod(1)] as const };
    return figures(await measure(stage));
  } finally {
    await lab.close();
  }
}

function figures(samples: readonly Sample[]): Figure[] {
  const shape = { unit: 'ms', n: samples.length };
  const of = (field: keyof Sample, share: number) =>
    percentile(
      samples.map((sample) => sample[field]),
      share,
    );
  const ratio = { unit: 'ratio', n: samples.length, reference: 'a bare injector into the same bgpd' };
  return [
    figure({
      name: 'event-to-update: p50 by the floor',
      value: of('heraldMs', 0.5) / of('floorMs', 0.5),
      bound: BOUNDS.p50 / FLOOR_MS,
      ...ratio,
    }),
    figure({
      name: 'event-to-update: p99 by the floor',
      value: of('heraldMs', 0.99) / of('floorMs', 0.99),
      bound: BOUNDS.p99 / FLOOR_MS,
      ...ratio,
    }),
    figure({ name: 'event-to-update: p50', value: of('heraldMs', 0.5), ...shape }),
    figure({ name: 'event-to-update: p99', value: of('heraldMs', 0.99), ...shape }),
    figure({ name: 'event-to-update: floor p50', value: of('floorMs', 0.5), ...shape }),
    figure({ name: 'event-to-update: floor p99', value: of('floorMs', 0.99), ...shape }),
    figure({ name: 'event-to-update: of it until written to bgpd, p50', value: of('ownMs', 0.5), ...shape }),
    figure({ name: 'event-to-update: of it until written to bgpd, p99', value: of('ownMs', 0.99), ...shape }),
  ];
}

interface Stage {
  readonly manifests: ManifestFolder;
  readonly wire: RouterWire;
  readonly recorded: RecordedFeed;
  readonly injector: Program;
  readonly pods: readonly [herald: Pod, floor: Pod];
}

async function measure(stage: Stage): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let event = 0; event < EVENTS; event++) {
    await sleep(GAP_MS.least + ((event * 41) % GAP_MS.spread));
    const first = stage.recorded.updates.length;
    const { heraldMs, ownMs } = await throughHerald(stage, event);
    const said = stage.recorded.updates.slice(first).map(({ bytes }) => bytes);
    await sleep(GAP_MS.least + ((event * 29) % GAP_MS.spread));
    if (event % 50 === 0) {
      process.stderr.write(`  event ${event}: ${heraldMs.toFixed(1)} ms\n`);
    }
    samples.push({ heraldMs, ownMs, floorMs: await throughInjector(stage, event, Buffer.concat(said)) });
  }
  return samples;
}

async function throughHerald({ manifests, wire, recorded, pods: [pod] }: Stage, event: number) {
  const known = recorded.updates.length;
  const seen = onWire(wire, pod, event);
  const file = join(manifests.path, `slice-${serviceOf(event)}.yaml`);
  writeFileSync(`${file}.new`, sliceText(serviceOf(event), 1 + (event % (FREE_NODES - 1))));
  const atMs = wallClockMs();
  renameSync(`${file}.new`, file);
  const announcedMs = await seen;
  const written = await recorded.updateAfter(known);
  await recorded.updateAfter(known + 1); // announced first, withdrawn after it
  return { heraldMs: announcedMs - atMs, ownMs: written.timeMs - atMs };
}

async function throughInjector(
  { wire, injector, pods: [, pod] }: Stage,
  event: number,
  message: Buffer,
): Promise<number> {
  const seen = onWire(wire, pod, event);
  const sent = nextLine(injector, /^sent /);
  injector.write(`${message.toString('base64')}\n`);
  const announcedMs = await seen;
  return announcedMs - epochMs(await sent);
}

/**
 * When the new next hop of the event's Service was announced. The old one needs no withdrawal on this wire: bgpd
 * gives its path identifier to the new one.
 */
async function onWire(wire: RouterWire, pod: Pod, event: number): Promise<number> {
  const prefix = `${addressOf(serviceOf(event))}/32`;
  const announced = await wire.next(
    ({ source, message }) => source === pod.ipv4 && announces(message, prefix),
  );
  return announced.timeMs;
}

function nextLine(program: Program, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const forget = program.onLine((line) => {
      if (pattern.test(line)) {
        forget();
        resolve(line);
      }
    });
  });
}

function serviceOf(event: number): number {
  return (event * 37) % SERVICES;
}

function addressOf(index: number): string {
  return `203.0.${100 + Math.floor(index / 250)}.${(index % 250) + 1}`;
}

function writeCluster(manifests: ManifestFolder, router: Router): void {
  manifests.write('peer', peer('r1', { peerAddress: router.ipv4, peerASN: ROUTER_ASN, connectTime: '1s' }));
  manifests.write('pool', pool('public', ['203.0.0.0/16']));
  manifests.write('advertisement', advertisement('default'));
  manifests.write(
    'nodes',
    ...Array.from({ length: NODES }, (_, i) => node(`node-${i}`, { ipv4: `192.0.2.${130 + i}` })),
  );
  for (let index = 0; index < SERVICES; index++) {
    const name = `service-${index}`;
    manifests.write(name, service(name, { addresses: [addressOf(index)] }));
    manifests.writeText(`slice-${index}`, sliceText(index, 0));
  }
}

/** `shift` from 1 moves the first endpoint, each time to a node that has none of the others; those stay. */
function sliceText(index: number, shift: number): string {
  const nodes = Array.from(
    { length: ENDPOINTS },
    (_, k) => (index + (k === 0 ? shift : FREE_NODES + k)) % NODES,
  );
  return stringify(
    slice(
      `service-${index}`,
      nodes.map((number) => `node-${number}`),
    ),
  );
}

async function startRouter(router: Router, pods: readonly string[]): Promise<void> {
  const neighbors = pods.map((address) => {
    return { address, asn: HERALD_ASN, multihop: 255, passive: true, addPathReceive: [4 as const] };
  });
  await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors });
}

async function startHerald(pod: Pod, manifests: ManifestFolder): Promise<HeraldPod> {
  return await HeraldPod.start({ pod, manifests, settings: { asn: HERALD_ASN } });
}

/** Herald configures bgpd and gives it the table; then the injector takes the feed over. */
async function startInjector(
  lab: Lab,
  topology: Topology<'r1'>,
  manifests: ManifestFolder,
): Promise<Program> {
  const pod = topology.pod(1);
  const recorded = await RecordedFeed.start(lab, pod);
  const herald = await startHerald(pod, manifests);
  await tableAtRouter(topology.router('r1'), topology.podVisibleAs(1).ipv4);
  await recorded.stop();
  await herald.killController();
  writeFileSync(join(pod.sharedDirectory, 'open.bin'), recorded.open ?? new Uint8Array());
  writeFileSync(
    join(pod.sharedDirectory, 'table.bin'),
    Buffer.concat(recorded.updates.map(({ bytes }) => bytes)),
  );
  const files = [`${SHARED_PATH}/open.bin`, `${SHARED_PATH}/table.bin`];
  const injector = pod.runNode([REPLAY, ...files], { env: { NODE_NO_WARNINGS: '1' } });
  await injector.lineMatching(/^established /, START_MS);
  return injector;
}

async function tableAtRouter(router: Router, pod: string): Promise<void> {
  await pathsAtRouter(router, pod, (held) => held === SERVICES * ENDPOINTS);
}
