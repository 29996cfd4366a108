// One replica of Herald and a real API server with 5,000 Nodes and 10,000 Services: how long until it has everything
// and until all Services that come at once have addresses; its memory; what it asks for and uses of a processor when
// nothing happens; and how long a change takes to the router's wire, one at a time and 100 a second.
//
// For trying: BENCH_SCALE, BENCH_EVENTS and BENCH_RATE make it smaller.

import { setTimeout as sleep } from 'node:timers/promises';

import { HERALD_ASN, BundledHerald } from '../support/bundled-herald.ts';
import { ROUTER_ASN, ApiStage } from '../support/api-stage.ts';
import { figure, percentile, table } from './figure.ts';
import type { Figure } from './figure.ts';
import { pathsAtRouter } from './paths-at-router.ts';
import { RouterWire } from './router-wire.ts';
import { ScaleChanges, type Latency } from './scale-changes.ts';
import { createServices, createWorld, serviceAddresses, settleConditions } from './scale-objects.ts';
import { SIZE } from './scale-world.ts';
import { wallClockMs } from './wall-clock.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 300);
const RATE = Number(process.env['BENCH_RATE'] ?? 100);
const PERIOD_MS = 30_000;
const REST_MS = 5000;
const BOUNDS = { memoryMegabytes: 400, p50Ms: 60, p99Ms: 100 } as const;
const PATHS = SIZE.services * SIZE.endpointsPerService;

interface Parts {
  readonly stage: ApiStage;
  readonly herald: BundledHerald;
  readonly wire: RouterWire;
}

export async function run(): Promise<readonly Figure[]> {
  const stage = await ApiStage.open();
  try {
    const router = stage.topology.router('r1');
    const wire = await RouterWire.start(stage.lab, router);
    const [herald] = await BundledHerald.prepare(stage);
    const neighbor = { address: herald.address, asn: HERALD_ASN, multihop: 255, passive: true };
    const neighbors = [{ ...neighbor, addPathReceive: [4 as const] }];
    await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors });
    const parts = { stage, herald, wire };
    await createWorld(stage.api);
    const figures: Figure[] = [];
    for (const phase of [addresses, start, idle, changes]) {
      const own = await phase(parts);
      process.stderr.write(`${table(own)}\n`);
      figures.push(...own);
    }
    return figures;
  } finally {
    await stage.close();
  }
}

/** Herald is there before the Services are. */
async function addresses({ stage, herald }: Parts): Promise<Figure[]> {
  herald.start();
  await herald.says('it leads', ({ replica, source }) => source.synced && replica.leading);
  const firstMs = performance.now();
  await createServices(stage.api);
  const lastMs = performance.now();
  await herald.says('every Service is announced', ({ services }) => services.announced === SIZE.services);
  const announcedMs = performance.now();
  await pathsAtRouter(stage.topology.router('r1'), herald.address, (held) => held >= PATHS);
  const shape = { unit: 's', n: 1 };
  const all = [
    figure({ name: 'scale: creating the Services took', value: seconds(firstMs, lastMs), ...shape }),
    figure({
      name: 'scale: all have addresses, after the last create',
      value: seconds(lastMs, announcedMs),
      ...shape,
    }),
    figure({
      name: 'scale: all at the router, after the last create',
      value: seconds(lastMs, performance.now()),
      ...shape,
    }),
  ];
  await settleConditions(stage.api);
  await herald.stop();
  return all;
}

function seconds(fromMs: number, toMs: number): number {
  return (toMs - fromMs) / 1000;
}

/** Of a cluster in which every Service has its address and its condition. */
async function start({ stage, herald }: Parts): Promise<Figure[]> {
  const [sinceMs, startedMs] = [wallClockMs(), performance.now()];
  herald.start();
  await herald.says('it has synced', ({ source }) => source.synced);
  const syncedMs = performance.now();
  await pathsAtRouter(stage.topology.router('r1'), herald.address, (held) => held >= PATHS);
  const arrivedMs = performance.now();
  await herald.says('it leads', ({ replica }) => replica.leading);
  const requests = await stage.requests(sinceMs);
  const shape = { unit: 's', n: 1 };
  return [
    figure({ name: 'scale: start -> synced', value: seconds(startedMs, syncedMs), ...shape }),
    figure({ name: 'scale: start -> all at the router', value: seconds(startedMs, arrivedMs), ...shape }),
    figure({ name: 'scale: requests until then', value: requests.length, unit: 'requests', n: 1 }),
    figure({ name: 'scale: RSS, announced', value: herald.memory('VmRSS'), unit: 'MB', n: 1 }),
  ];
}

async function idle({ stage, herald }: Parts): Promise<Figure[]> {
  await sleep(PERIOD_MS);
  const sinceMs = wallClockMs();
  const used = await processorShare(herald, () => sleep(PERIOD_MS));
  const requests = await stage.requests(sinceMs);
  const others = requests.filter(({ verb, uri }) => verb !== 'watch' && !/\/leases\//.test(uri));
  others.slice(0, 5).forEach(({ verb, uri }) => process.stderr.write(`  not idle: ${verb} ${uri}\n`));
  return [
    ...used.map(([name, value]) =>
      figure({ name: `scale: ${name}, idle`, value, unit: '% of a core', n: 1 }),
    ),
    figure({
      name: 'scale: idle, requests beyond Lease and watches',
      value: others.length,
      unit: 'requests',
      bound: 0,
      n: requests.length,
    }),
  ];
}

async function changes({ stage, herald, wire }: Parts): Promise<Figure[]> {
  const changer = new ScaleChanges(stage.api, wire, herald.address, await serviceAddresses(stage.api));
  const single = await changer.oneByOne(EVENTS);
  let many: readonly Latency[] = [];
  const used = await processorShare(herald, async () => {
    many = await changer.atRate(RATE, PERIOD_MS);
  });
  await sleep(REST_MS);
  const memory = { unit: 'MB', n: 1 };
  return [
    ...latencies("the API server's answer -> UPDATE", single.map(fromAnswer), BOUNDS),
    ...latencies('request to the API server -> UPDATE', single.map(fromRequest)),
    ...latencies(`the API server's answer -> UPDATE, ${RATE} a second`, many.map(fromAnswer)),
    ...latencies(`request to the API server -> UPDATE, ${RATE} a second`, many.map(fromRequest)),
    ...used.map(([name, value]) =>
      figure({ name: `scale: ${name}, ${RATE} changes a second`, value, unit: '% of a core', n: 1 }),
    ),
    figure({
      name: 'scale: RSS, after changes',
      value: herald.memory('VmRSS'),
      bound: BOUNDS.memoryMegabytes,
      ...memory,
    }),
    figure({ name: 'scale: RSS, peak', value: herald.memory('VmHWM'), ...memory }),
  ];
}

function fromAnswer({ fromAnswerMs }: Latency): number {
  return fromAnswerMs;
}

function fromRequest({ fromRequestMs }: Latency): number {
  return fromRequestMs;
}

function latencies(
  name: string,
  samplesMs: readonly number[],
  bounds: { readonly p50Ms?: number; readonly p99Ms?: number } = {},
): Figure[] {
  const shape = { unit: 'ms', n: samplesMs.length };
  const of = (share: number): number => percentile(samplesMs, share);
  const { p50Ms, p99Ms } = bounds;
  return [
    figure({ name: `scale: ${name}, p50`, value: of(0.5), ...shape, ...(p50Ms && { bound: p50Ms }) }),
    figure({ name: `scale: ${name}, p99`, value: of(0.99), ...shape, ...(p99Ms && { bound: p99Ms }) }),
  ];
}

/** What controller and bgpd use of a core meanwhile, in percent. */
async function processorShare(
  herald: BundledHerald,
  act: () => Promise<unknown>,
): Promise<readonly (readonly [name: string, percent: number])[]> {
  const [before, startedMs] = [herald.processorMs(), performance.now()];
  await act();
  const [after, elapsedMs] = [herald.processorMs(), performance.now() - startedMs];
  return (['controller', 'bgpd'] as const).map(
    (name) => [`processor of ${name}`, ((after[name] - before[name]) / elapsedMs) * 100] as const,
  );
}
