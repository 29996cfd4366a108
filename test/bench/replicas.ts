// What a router's kernel sees when one of two replicas leads instead of the other, ends or begins again, and when the
// new leader changes every prefix for the first time in its term: FIB messages, fewest next hops of a prefix, sessions
// that were reset. FRR with 10,000 prefixes and BIRD with 2,000, 20 next hops each; real API server, real Lease.
//
// For trying: BENCH_PREFIXES (both routers) and BENCH_ROUTER make it smaller.

import { BirdRouter, notYet, waitFor, type RouterKind } from '@herald/lab';

import { node, service, slice } from '../support/manifests.ts';
import { HERALD_ASN, leaderOf, BundledHerald } from '../support/bundled-herald.ts';
import { PATHS, ROUTER_ASN, ApiStage } from '../support/api-stage.ts';
import { figure, table } from './figure.ts';
import type { Figure } from './figure.ts';
import { pathsAtRouter } from './paths-at-router.ts';
import { ThinnedPrefixes, type Thinned } from './thinned-prefixes.ts';

const NEXT_HOPS = 20;
/** Of each Service. */
const ADDRESSES = 20;
const AT_ONCE = 16;
const SIZES = { frr: 10_000, bird: 2_000 } as const satisfies Partial<Record<RouterKind, number>>;
type Kind = keyof typeof SIZES;
const KINDS: readonly Kind[] = ['frr', 'bird'];
const ADVERTISEMENT = '/apis/heraldbgp.io/v1alpha1/bgpadvertisements/default';

interface Scene {
  readonly kind: Kind;
  readonly prefixes: number;
  readonly stage: ApiStage;
  readonly replicas: readonly [BundledHerald, BundledHerald];
  readonly kernel: ThinnedPrefixes;
}

interface Event {
  readonly name: string;
  readonly act: (scene: Scene) => Promise<void>;
  /** What the router may see at most; nothing: it is only told. */
  readonly bounds: Bounds;
  /** Where BIRD cannot do what FRR does: docs/adr/0005. */
  readonly birdBounds?: Bounds;
}

type Bounds = Readonly<Partial<Record<'events' | 'resets', number>>>;

/** What nobody is to notice. */
const SILENT = { events: 0, resets: 0 };

/** In this order: whoever leads after the take-over has not changed anything in its term yet. */
const EVENTS: readonly Event[] = [
  { name: 'controller restart', act: restart, bounds: SILENT },
  { name: 'take-over', act: takeOver, bounds: SILENT },
  { name: 'first change in a term', act: firstChange, bounds: { resets: 0 } },
  { name: 'hand-over', act: handOver, bounds: { events: 0 }, birdBounds: {} },
];

export async function run(): Promise<readonly Figure[]> {
  const chosen = process.env['BENCH_ROUTER'];
  const figures: Figure[] = [];
  for (const kind of KINDS.filter((each) => chosen === undefined || each === chosen)) {
    figures.push(...(await runOne(kind, Number(process.env['BENCH_PREFIXES'] ?? SIZES[kind]))));
  }
  return figures;
}

async function runOne(kind: Kind, prefixes: number): Promise<readonly Figure[]> {
  const stage = await ApiStage.open({
    name: `bench-${kind}`,
    router: kind,
    controlPlanes: 2,
    workers: 0,
    peer: { addPaths: { maxPaths: NEXT_HOPS } },
  });
  try {
    const scene = await begin(kind, prefixes, stage);
    const figures: Figure[] = [];
    for (const event of EVENTS) {
      const own = await measured(scene, event);
      process.stderr.write(`${table(own)}\n`);
      figures.push(...own);
    }
    await scene.kernel.stop();
    return figures;
  } finally {
    await stage.close();
  }
}

async function begin(kind: Kind, prefixes: number, stage: ApiStage): Promise<Scene> {
  const router = stage.topology.router('r1');
  const [first, second] = await BundledHerald.prepare(stage);
  if (second === undefined) {
    throw new RangeError('two replicas are needed');
  }
  const neighbors = [first, second].map(({ address }) => {
    return { address, asn: HERALD_ASN, multihop: 255, passive: true, holdTimeSeconds: 90 };
  });
  await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors });
  await createWorld(stage, prefixes);
  const count = groups(prefixes).length;
  first.start();
  await first.says('it leads', ({ replica }) => replica.leading);
  await first.says('every Service is announced', ({ services }) => services.announced === count);
  second.start();
  await second.says('it is ready', ({ ready, services }) => ready && services.announced === count);
  const kernel = await ThinnedPrefixes.start(router, NEXT_HOPS);
  await kernel.complete(prefixes);
  const scene = { kind, prefixes, stage, replicas: [first, second] as const, kernel };
  await heldOfAll(scene);
  return scene;
}

async function createWorld({ api }: ApiStage, prefixes: number): Promise<void> {
  const names = Array.from({ length: NEXT_HOPS }, (_, index) => `node-${index}`);
  await api.each(names, AT_ONCE, (name) => {
    return api.create(PATHS.nodes, node(name, { ipv4: `192.0.2.${201 + names.indexOf(name)}` }));
  });
  const spec = { selector: undefined, allocateLoadBalancerNodePorts: false };
  await api.each(groups(prefixes), AT_ONCE, async ([name, addresses]) => {
    const ingress = addresses.map((ip) => ({ ip }));
    await api.create(PATHS.slices, slice(name, names));
    await api.create(PATHS.services, service(name, { spec }));
    await api.change(`${PATHS.services}/${name}/status`, { status: { loadBalancer: { ingress } } });
  });
}

/** Name -> addresses of a Service: several each, because a prefix is what counts here and a Service takes time to make. */
function groups(prefixes: number): (readonly [name: string, addresses: readonly string[]])[] {
  const addresses = Array.from({ length: prefixes }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
  return Array.from({ length: Math.ceil(prefixes / ADDRESSES) }, (_, index) => {
    return [`service-${index}`, addresses.slice(index * ADDRESSES, (index + 1) * ADDRESSES)];
  });
}

/** The router has the paths of both replicas. */
async function heldOfAll({ stage, replicas, prefixes }: Scene): Promise<void> {
  const router = stage.topology.router('r1');
  const wanted = prefixes * NEXT_HOPS;
  if (router instanceof BirdRouter) {
    await waitFor('BIRD holds the paths', async () => {
      const said = await router.show('show route table master4 count');
      return Number(/^(\d+) of/m.exec(said)?.[1]) >= replicas.length * wanted || notYet(said);
    });
    return;
  }
  for (const { address } of replicas) {
    await pathsAtRouter(router, address, (held) => held >= wanted);
  }
}

/** Who leads, and the other one. */
async function roles({ replicas }: Scene): Promise<readonly [leader: BundledHerald, standby: BundledHerald]> {
  const [first, second] = replicas;
  return (await leaderOf(replicas)) === second ? [second, first] : [first, second];
}

async function restart(scene: Scene): Promise<void> {
  const [leader] = await roles(scene);
  await leader.endController('SIGKILL');
  leader.startController();
  await leader.says('it is ready', ({ ready }) => ready);
  await roles(scene);
}

async function takeOver(scene: Scene): Promise<void> {
  const [leader, standby] = await roles(scene);
  await leader.endController('SIGKILL');
  await standby.says('it leads', ({ replica }) => replica.leading);
  leader.startController();
  await leader.says('it is ready', ({ ready }) => ready);
}

/** A community on everything: content that changes, and with it the rank. */
async function firstChange({ stage, kernel, prefixes }: Scene): Promise<void> {
  await stage.api.change(ADVERTISEMENT, { spec: { communities: ['65000:1'] } });
  await kernel.complete(prefixes);
}

async function handOver(scene: Scene): Promise<void> {
  const [leader, standby] = await roles(scene);
  await leader.endController('SIGTERM');
  await standby.says('it leads', ({ replica }) => replica.leading);
}

async function measured(scene: Scene, { name, act, ...event }: Event): Promise<Figure[]> {
  const bounds = (scene.kind === 'bird' ? event.birdBounds : undefined) ?? event.bounds;
  process.stderr.write(`  ${scene.kind}: ${name}\n`);
  const before = await resets(scene);
  const seen = await scene.kernel.during(scene.prefixes, () => act(scene));
  const rows: readonly (readonly [keyof Thinned | 'resets' | 'overruns', string, number])[] = [
    ['events', 'FIB messages', seen.events],
    ['fewest', 'fewest next hops of a prefix', seen.fewest],
    ['prefixes', 'prefixes with fewer for a time', seen.prefixes],
    ['longestMs', 'longest such time, ms', seen.longestMs],
    ['resets', 'sessions reset', (await resets(scene)) - before],
    ['overruns', 'messages not heard', scene.kernel.overruns],
  ];
  return rows.map(([row, text, value]) => {
    const promised = row === 'events' || row === 'resets' ? bounds[row] : undefined;
    // What was not heard was not measured.
    const bound = row === 'overruns' ? 0 : promised;
    return figure({
      name: `replicas: ${scene.kind}, ${name}: ${text}`,
      value,
      unit: '',
      n: scene.prefixes,
      ...(bound !== undefined && { bound }),
    });
  });
}

async function resets({ stage, replicas }: Scene): Promise<number> {
  const router = stage.topology.router('r1');
  const dropped = await Promise.all(replicas.map(({ address }) => router.connectionsDropped(address)));
  return dropped.reduce((sum, count) => sum + count, 0);
}
