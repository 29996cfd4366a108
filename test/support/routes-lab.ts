// The stage of the route tests: FRR 8.4, FRR 10.3 and BIRD 2, each with a client behind it, workers that answer
// on the service addresses, and Herald in an unprivileged pod. One for each test file.
//
// A step writes manifests and waits until every router has exactly the expected routes. With each step comes a
// Service of the stage's own on a fresh address: once its route is everywhere, the step's manifests have been
// read, decided and sent, and so "nothing is announced" means more than "not yet".

import { join } from 'node:path';

import { FibMonitor, Lab, Topology, notYet, waitFor, type HostAddresses, type Router } from '@herald/lab';
import { expect } from 'vitest';

import { accepted, eventText, exactly, type Routes } from './exact-routes.ts';
import { HeraldPod } from './herald-pod.ts';
import { ManifestFolder, advertisement, node, peer, pool, type Manifest } from './manifests.ts';
import { both, dualStack, on, serviceAddresses, type Expected } from './service-address.ts';

export const HERALD_ASN = 64_512;
export const ROUTERS = { frr8: 'frr', frr10: 'frr-root', bird: 'bird' } as const;
export type RouterName = keyof typeof ROUTERS;
export const ROUTER_NAMES = ['frr8', 'frr10', 'bird'] as const satisfies readonly RouterName[];

export interface RoutesLabOptions {
  readonly name: string;
  readonly workers: number;
  /** Default: a different external AS each. */
  readonly asns?: Partial<Record<RouterName, number>>;
  /** Prefixes that all routers announce themselves. */
  readonly originates?: readonly string[];
  /** Service numbers (the last octet) that every worker answers for. */
  readonly serves: readonly number[];
}

type Fields = Readonly<Record<string, unknown>>;
export type PeerFields = Partial<Record<RouterName, { readonly spec?: Fields; readonly labels?: Fields }>>;

const EXTERNAL_ASNS = { frr8: 64_601, frr10: 64_602, bird: 64_603 } as const;
const CONTROL = { first: 100, count: 150 } as const;
const CONTROL_LABEL = { stage: 'control' };
/** Enough for each of n next hops to be missed less than once in ten billion times. */
const REQUESTS_A_HOP = 25;
const REQUESTS_A_SECOND = 400;

export class RoutesLab {
  readonly topology: Topology<RouterName>;
  readonly manifests: ManifestFolder;
  readonly herald: HeraldPod;
  readonly asns: Readonly<Record<RouterName, number>>;
  /** By the number of the worker; a test that moves a node changes its entry. */
  readonly nodeAddresses: HostAddresses[];
  readonly #monitors: Readonly<Record<RouterName, FibMonitor>>;
  #steps = 0;
  /** Routes of the Service that came with the last step. */
  #control: Expected = {};

  private constructor(parts: Stage, herald: HeraldPod, monitors: Record<RouterName, FibMonitor>) {
    this.topology = parts.topology;
    this.manifests = parts.manifests;
    this.asns = parts.asns;
    this.herald = herald;
    this.nodeAddresses = parts.topology.workers.map(({ ipv4, ipv6 }) => ({ ipv4, ipv6 }));
    this.#monitors = monitors;
  }

  static async open(options: RoutesLabOptions): Promise<RoutesLab> {
    const lab = await Lab.create(options.name);
    try {
      const stage = await setStage(lab, options);
      const herald = await HeraldPod.start({ pod: stage.topology.pod(), manifests: stage.manifests });
      const monitors = await eachRouter((name) => FibMonitor.start(stage.topology.router(name).namespace));
      const opened = new RoutesLab(stage, herald, monitors);
      await eachRouter((name) => opened.router(name).established(opened.speaker, 30_000));
      return opened;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.topology.lab.close();
  }

  router(name: RouterName): Router {
    return this.topology.router(name);
  }

  /** Herald, as routers know it. */
  get speaker(): string {
    return this.topology.podVisibleAs().ipv4;
  }

  /**
   * Writes the manifests of this step, which take the place of those of the last one, and waits. Gives what routers
   * have then: what is expected and the stage's own Service.
   */
  async step(objects: readonly Manifest[], expected: Expected): Promise<Expected> {
    await this.stepOf(objects, () => expected);
    return { ...expected, ...this.#control };
  }

  /** The same, where routers expect different things. */
  async stepOf(objects: readonly Manifest[], expected: (name: RouterName) => Expected): Promise<void> {
    this.#write(objects);
    await this.reached((name) => ({ ...expected(name), ...this.#control }));
  }

  /** A step where it is Herald who chooses: waits until each router has what is accepted; gives what the first has. */
  async settled(
    objects: readonly Manifest[],
    isAccepted: (routes: Routes, name: RouterName) => boolean,
  ): Promise<Routes> {
    this.#write(objects);
    const control = Object.keys(this.#control);
    const found = await eachRouter(async (name) => {
      const isWanted = (routes: Routes): boolean =>
        control.every((prefix) => prefix in routes) && isAccepted(routes, name);
      return await accepted(this.speaker, this.router(name), isWanted);
    });
    const own = Object.entries(found.frr8).filter(([prefix]) => !control.includes(prefix));
    return Object.fromEntries(own);
  }

  #write(objects: readonly Manifest[]): void {
    const number = CONTROL.first + (this.#steps % CONTROL.count);
    this.#steps += 1;
    const control = dualStack(`control-${this.#steps}`, number, on(0), { labels: CONTROL_LABEL });
    this.manifests.write('step', ...objects, ...control);
    this.#control = both(number, [0]);
  }

  /** Every router has exactly these routes. */
  async reached(expected: (name: RouterName) => Expected): Promise<void> {
    await eachRouter((name) => exactly(this.speaker, this.router(name), this.#routes(expected(name))));
  }

  /** Requests from behind every router to every prefix's address are answered, by all its next hops and no other. */
  async answered(expected: Expected): Promise<void> {
    await eachRouter((name) => this.answeredBehind(name, expected));
  }

  async answeredBehind(name: RouterName, expected: Expected): Promise<void> {
    const alike = Map.groupBy(Object.keys(expected), (prefix) => (expected[prefix] ?? []).join(' '));
    for (const [workers, prefixes] of alike) {
      const names = workers.split(' ').map((index) => `worker-${index}`);
      const targets = prefixes.map((prefix) => prefix.split('/')[0] ?? '');
      const count = REQUESTS_A_HOP * names.length * targets.length;
      const totals = await this.topology
        .client(name)
        .send({ targets, count, ratePerSecond: REQUESTS_A_SECOND });
      const found = { lost: totals.lost, by: Object.keys(totals.answers).sort() };
      expect(found, `behind ${name}: ${targets.join(', ')}`).toEqual({ lost: 0, by: names });
    }
  }

  /** A step whose routes also carry traffic. */
  async served(objects: readonly Manifest[], expected: Expected): Promise<void> {
    await this.step(objects, expected);
    await this.answered(expected);
  }

  /** Nothing about these prefixes changes in any router's kernel while something else happens. */
  async untouched(prefixes: readonly string[], act: () => Promise<unknown>): Promise<void> {
    await eachRouter((name) => this.#monitors[name].caughtUp());
    ROUTER_NAMES.forEach((name) => this.#monitors[name].clear());
    await act();
    await eachRouter((name) => this.#monitors[name].caughtUp());
    const events = ROUTER_NAMES.flatMap((name) =>
      prefixes
        .flatMap((prefix) => this.#monitors[name].eventsFor(prefix))
        .map((event) => eventText(name, event)),
    );
    expect(events).toEqual([]);
  }

  /** The reason that the API gives for a Service. */
  async says(service: string, reason: string): Promise<void> {
    await waitFor(`the API says ${reason} of ${service}`, async () => {
      const path = `/api/v1/services/default/${service}`;
      const answer = await this.herald.get<{ service: { reason: string } }>(path);
      return answer.service.reason === reason || notYet(answer);
    });
  }

  async connectionsDropped(): Promise<Record<RouterName, number>> {
    return await eachRouter((name) => this.router(name).connectionsDropped(this.speaker));
  }

  writeNode(index: number, fields: Parameters<typeof node>[1] = {}): void {
    const name = `worker-${index}`;
    this.manifests.write(name, node(name, { ...this.nodeAddresses[index], ...fields }));
  }

  writePeers(fields: PeerFields = {}): void {
    writePeers(this, fields);
  }

  #routes(expected: Expected): Routes {
    const hops = (prefix: string, workers: readonly number[]): string[] =>
      workers.map((index) => this.nodeAddresses[index]?.[prefix.includes(':') ? 'ipv6' : 'ipv4'] ?? '');
    const entries = Object.entries(expected).map(
      ([prefix, workers]) => [prefix, hops(prefix, workers)] as const,
    );
    return Object.fromEntries(entries);
  }
}

/** A result of each router, all asked at once. */
export async function eachRouter<T>(act: (name: RouterName) => Promise<T>): Promise<Record<RouterName, T>> {
  const [frr8, frr10, bird] = await Promise.all([act('frr8'), act('frr10'), act('bird')]);
  return { frr8, frr10, bird };
}

interface Stage {
  readonly topology: Topology<RouterName>;
  readonly manifests: ManifestFolder;
  readonly asns: Readonly<Record<RouterName, number>>;
}

async function setStage(lab: Lab, options: RoutesLabOptions): Promise<Stage> {
  const topology = await Topology.create(lab, {
    routers: ROUTERS,
    workers: options.workers,
    flows: 'pinned',
  });
  const asns = { ...EXTERNAL_ASNS, ...options.asns };
  const manifests = new ManifestFolder(join(lab.directory, 'manifests'));
  const stage = { topology, manifests, asns };
  const addresses = options.serves.flatMap(serviceAddresses);
  await Promise.all([
    ...ROUTER_NAMES.map((name) => startRouter(stage, name, options.originates ?? [])),
    ...topology.workers.map(async (worker) => {
      for (const address of addresses) await worker.addAddress(address);
    }),
  ]);
  writeBase(stage);
  return stage;
}

async function startRouter(
  { topology, asns }: Stage,
  name: RouterName,
  originates: readonly string[],
): Promise<void> {
  const router = topology.router(name);
  const herald = { address: topology.podVisibleAs().ipv4, asn: HERALD_ASN, multihop: 255, passive: true };
  await router.start({ asn: asns[name], routerId: router.ipv4, neighbors: [herald], originates });
}

/** What a cluster has before the first Service; how `public` is advertised is up to the test. */
function writeBase(stage: Stage): void {
  const { manifests, topology } = stage;
  writePeers(stage, {});
  const last = CONTROL.first + CONTROL.count - 1;
  manifests.write('public', pool('public', rangesOf(1, CONTROL.first - 1)));
  manifests.write(
    'control',
    pool('control', rangesOf(CONTROL.first, last)),
    advertisement('control', { ipAddressPools: ['control'] }),
  );
  for (const worker of topology.workers) {
    manifests.write(worker.name, node(worker.name, worker));
  }
}

function rangesOf(first: number, last: number): string[] {
  return serviceAddresses(first).map((address, index) => `${address}-${serviceAddresses(last)[index]}`);
}

function writePeers(
  { manifests, topology, asns }: Pick<Stage, 'manifests' | 'topology' | 'asns'>,
  fields: PeerFields,
): void {
  const peers = ROUTER_NAMES.map((name) => {
    const spec = {
      peerAddress: topology.router(name).ipv4,
      peerASN: asns[name],
      connectTime: '1s',
      addressFamilies: ['IPv4', 'IPv6'],
    };
    return peer(
      name,
      { ...spec, ...fields[name]?.spec },
      fields[name]?.labels as Record<string, string> | undefined,
    );
  });
  manifests.write('peers', ...peers);
}
