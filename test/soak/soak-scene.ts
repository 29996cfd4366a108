// What is troubled in a soak: two replicas of Herald with a real API server and Lease, one router, workers that answer
// on every address, Services whose endpoints move, and what is true of them. Changes go to the API server and to the
// truth together.

import { notYet, waitFor, type RequestClient, type RouterKind, type Worker } from '@herald/lab';

import { HERALD_ASN, leaderOf, BundledHerald } from '../support/bundled-herald.ts';
import { PATHS, ROUTER_ASN, ApiStage } from '../support/api-stage.ts';
import { node, service, slice, type EndpointFields } from '../support/manifests.ts';
import { RouterWatch } from './router-watch.ts';
import { SILENCE_MS, Truth } from './truth.ts';

const WORKERS = 4;
const REPLICAS = 2;
/** They are always there, and clients ask for them. */
const STEADY = 8;
/** They come and go. */
const PASSING = 4;
const HOLD_SECONDS = 9;
const STARTED_MS = 120_000;
/** Until everything is at rest after trouble. */
const CALM_MS = 90_000;

export interface SoakService {
  readonly name: string;
  readonly address: string;
  readonly prefix: string;
}

export class SoakScene {
  readonly stage: ApiStage;
  readonly replicas: readonly BundledHerald[];
  readonly services: readonly SoakService[];
  readonly passing: readonly SoakService[];
  readonly truth = new Truth();
  readonly #workers: readonly Worker[];
  /** Whether who stands by has a session. */
  readonly #areAllSpeaking: boolean;
  #watch: RouterWatch | undefined;

  private constructor(
    stage: ApiStage,
    standbyMode: 'Hot' | 'Warm' | 'Cold',
    replicas: readonly BundledHerald[],
  ) {
    const all = Array.from({ length: STEADY + PASSING }, (_, index) => serviceAt(index));
    this.stage = stage;
    this.#areAllSpeaking = standbyMode !== 'Cold';
    this.replicas = replicas;
    this.services = all.slice(0, STEADY);
    this.passing = all.slice(STEADY);
    this.#workers = stage.topology.workers;
  }

  /** `standbyMode`: as in the settings of Herald. */
  static async open(router: RouterKind, standbyMode: 'Hot' | 'Warm' | 'Cold' = 'Hot'): Promise<SoakScene> {
    const options = { router, controlPlanes: REPLICAS, workers: WORKERS, peer: {} };
    const stage = await ApiStage.open({ name: 'soak', ...options });
    try {
      const scene = new SoakScene(stage, standbyMode, await BundledHerald.prepare(stage, { standbyMode }));
      await scene.#begin();
      return scene;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  get nodes(): readonly string[] {
    return this.#workers.map(({ name }) => name);
  }

  get client(): RequestClient {
    return this.stage.topology.client('r1');
  }

  get watch(): RouterWatch {
    if (this.#watch === undefined) {
      throw new Error('nothing is watched yet');
    }
    return this.#watch;
  }

  async close(): Promise<void> {
    await this.#watch?.stop();
    await this.stage.close();
  }

  async #begin(): Promise<void> {
    const router = this.stage.topology.router('r1');
    const neighbors = this.replicas.map(({ address }) => ({
      address,
      asn: HERALD_ASN,
      multihop: 255,
      passive: true,
      holdTimeSeconds: HOLD_SECONDS,
    }));
    await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors });
    for (const worker of this.#workers) {
      await this.stage.api.create(PATHS.nodes, node(worker.name, { ipv4: worker.ipv4 }));
      for (const { address } of [...this.services, ...this.passing]) {
        await worker.addAddress(address);
      }
    }
    for (const [index, each] of this.services.entries()) {
      await this.create(
        each,
        [0, 1].map((k) => this.nodes[(index + k) % WORKERS] ?? ''),
      );
    }
    this.replicas.forEach((replica) => replica.start());
    await this.#settled(STARTED_MS);
    const names = new Map(this.#workers.map(({ ipv4, name }) => [ipv4, name]));
    this.#watch = await RouterWatch.start(router, this.truth, (hop) => names.get(hop) ?? hop);
    await this.calm();
  }

  async create(of: SoakService, nodes: readonly string[]): Promise<void> {
    const { api } = this.stage;
    this.truth.announce(of.prefix, nodes);
    const spec = { selector: undefined, allocateLoadBalancerNodePorts: false };
    await api.create(PATHS.slices, slice(of.name, endpointsOn(nodes)));
    await api.create(PATHS.services, service(of.name, { spec }));
    const status = { loadBalancer: { ingress: [{ ip: of.address }] } };
    await api.change(`${PATHS.services}/${of.name}/status`, { status });
    this.truth.settle(of.prefix, nodes);
  }

  async remove(of: SoakService): Promise<void> {
    this.truth.settle(of.prefix, []);
    await this.stage.api.remove(`${PATHS.services}/${of.name}`);
    await this.stage.api.remove(slicePath(of));
    this.truth.settle(of.prefix, []);
  }

  /** Pods that come are ready before those that go are gone. */
  async move(of: SoakService, nodes: readonly string[]): Promise<void> {
    this.truth.announce(of.prefix, nodes);
    await this.#write(of, nodes);
    this.truth.settle(of.prefix, nodes);
  }

  /** As Kubernetes sees a node that it does not hear: Unknown, and all its pods not ready. */
  async silence(name: string): Promise<void> {
    await this.#setReady(name, 'Unknown');
    for (const of of this.servedBy(name)) {
      const nodes = this.truth.nodes(of.prefix);
      await this.#write(of, nodes, name);
      this.truth.settle(
        of.prefix,
        nodes.filter((each) => each !== name),
        SILENCE_MS,
      );
    }
  }

  /** It and its pods are heard again. */
  async hear(name: string, silenced: readonly SoakService[]): Promise<void> {
    await this.#setReady(name, 'True');
    for (const of of silenced) {
      await this.move(of, [...new Set([...this.truth.nodes(of.prefix), name])].sort());
    }
  }

  servedBy(name: string): readonly SoakService[] {
    return [...this.services, ...this.passing].filter(({ prefix }) =>
      this.truth.nodes(prefix).includes(name),
    );
  }

  async #setReady(name: string, ready: 'True' | 'Unknown'): Promise<void> {
    const status = { conditions: [{ type: 'Ready', status: ready }] };
    await this.stage.api.change(`${PATHS.nodes}/${name}/status`, { status });
  }

  async #write(of: SoakService, nodes: readonly string[], silent?: string): Promise<void> {
    const { endpoints } = slice(of.name, endpointsOn(nodes, silent));
    await this.stage.api.change(slicePath(of), { endpoints });
  }

  /** Every replica is ready and has its session, and the router's kernel is as it should be. */
  async calm(): Promise<void> {
    await this.#settled(CALM_MS);
    await waitFor(
      'the kernel is as it should be',
      () => {
        const found = this.watch.differences();
        return Promise.resolve(found.length === 0 || notYet(found));
      },
      CALM_MS,
    );
  }

  async #settled(patienceMs: number): Promise<void> {
    for (const replica of this.replicas) {
      await replica.says(`${replica.address} is ready`, ({ ready }) => ready, patienceMs);
    }
    const leader = await this.leader(patienceMs);
    for (const { address } of this.#areAllSpeaking ? this.replicas : [leader]) {
      await this.stage.topology.router('r1').established(address, patienceMs);
    }
  }

  /** The one that leads, when exactly one does. */
  async leader(patienceMs = CALM_MS): Promise<BundledHerald> {
    return await leaderOf(this.replicas, patienceMs);
  }
}

function serviceAt(index: number): SoakService {
  const address = `198.18.0.${index + 1}`;
  return { name: `soak-${index}`, address, prefix: `${address}/32` };
}

/** One on each; what is on the silent node is not ready. */
function endpointsOn(nodes: readonly string[], silent?: string): readonly EndpointFields[] {
  return nodes.map((name) => {
    const place = Number(/\d+$/.exec(name)?.[0] ?? 0);
    return { node: name, address: `10.200.1.${place + 1}`, conditions: { ready: name !== silent } };
  });
}

function slicePath({ name }: SoakService): string {
  return `${PATHS.slices}/${slice(name, []).metadata.name}`;
}
