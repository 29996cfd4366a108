// A pod with Herald, real routers and what their sessions with it are: opened once for a file of tests. Says in
// one place how a peer is written, how its state is read, and that a wait ends with what was seen last.

import { join } from 'node:path';

import { Lab, Topology, notYet, waitFor, type RouterKind, type TopologyOptions } from '@herald/lab';

import { HeraldPod } from './herald-pod.ts';
import { ManifestFolder, advertisement, node, peer, pool, service, slice, slices } from './manifests.ts';

export const HERALD_ASN = 64_512;

const PATIENCE_MS = 20_000;

export interface PeerSceneOptions<Name extends string> extends Omit<TopologyOptions<Name>, 'routers'> {
  /** At most twelve characters count. */
  readonly name: string;
  readonly routers: Readonly<Record<Name, RouterKind>>;
}

/** What the API says of a peer, as far as tests look at it. */
export interface PeerView {
  readonly name: string;
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
  readonly instance: string;
  readonly session: {
    readonly state: string;
    readonly authenticated: boolean;
    readonly localAddress: string | null;
    readonly remoteAs: number | null;
    readonly connectionsDropped: number;
    readonly lastError: string;
  };
  readonly families: readonly {
    readonly family: string;
    readonly carried: boolean;
    readonly addPath: string;
  }[];
  readonly routes: { readonly prefixes: number; readonly paths: number };
}

export interface ServiceView {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly announced: boolean;
  readonly reason: string;
  readonly prefixes: readonly string[];
}

export interface FaultView {
  readonly object: string;
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export class PeerScene<Name extends string> {
  readonly lab: Lab;
  readonly topology: Topology<Name>;
  readonly manifests: ManifestFolder;
  #herald: HeraldPod | undefined;

  private constructor(lab: Lab, topology: Topology<Name>) {
    this.lab = lab;
    this.topology = topology;
    this.manifests = new ManifestFolder(join(lab.directory, 'manifests'));
    this.manifests.write('pool', pool('public', ['203.0.113.0/24', '2001:db8:53::/64']));
    this.manifests.write('advertisement', advertisement('default'));
    for (const worker of topology.workers) {
      this.manifests.write(worker.name, node(worker.name, worker));
    }
  }

  /** Workers are nodes, `public` is the pool, `default` announces everything; no peer, no Service. */
  static async open<Name extends string>(options: PeerSceneOptions<Name>): Promise<PeerScene<Name>> {
    const { name, ...rest } = options;
    const lab = await Lab.create(name);
    try {
      return new PeerScene(lab, await Topology.create(lab, rest));
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  get herald(): HeraldPod {
    if (this.#herald === undefined) {
      throw new Error('Herald was not started');
    }
    return this.#herald;
  }

  async startHerald(settings: Readonly<Record<string, unknown>> = {}): Promise<HeraldPod> {
    const { manifests } = this;
    this.#herald = await HeraldPod.start({ pod: this.topology.pod(), manifests, settings });
    return this.#herald;
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** One file for each peer. */
  writePeer(
    name: string,
    spec: Readonly<Record<string, unknown>>,
    labels: Readonly<Record<string, string>> = {},
  ): void {
    this.manifests.write(`peer-${name}`, peer(name, { connectTime: '1s', ...spec }, labels));
  }

  removePeer(name: string): void {
    this.manifests.remove(`peer-${name}`);
  }

  /** A Service with these addresses and endpoints on all workers, or on the named ones. */
  writeService(
    name: string,
    addresses: readonly string[],
    nodes: readonly string[] = this.topology.workers.map((worker) => worker.name),
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const families = addresses.map((text) => (text.includes(':') ? 'IPv6' : 'IPv4'));
    const policy = families.length > 1 ? { ipFamilyPolicy: 'RequireDualStack' } : {};
    const spec = { ipFamilies: families, ...policy };
    const endpoints = families.length > 1 ? slices(name, nodes) : [slice(name, nodes, families[0])];
    this.manifests.write(`service-${name}`, service(name, { addresses, spec, labels }), ...endpoints);
  }

  async peers(): Promise<Map<string, PeerView>> {
    const { items } = await this.herald.get<{ items: PeerView[] }>('/api/v1/peers');
    return new Map(items.map((view) => [view.name, view]));
  }

  /** Resolves when `holds` is true of the peer, with what it then was. */
  async peerIs(
    name: string,
    what: string,
    holds: (view: PeerView) => boolean,
    timeoutMs = PATIENCE_MS,
  ): Promise<PeerView> {
    return await waitFor(
      `peer ${name} is ${what}`,
      async () => {
        const view = (await this.peers()).get(name);
        return view !== undefined && holds(view) ? view : notYet(view);
      },
      timeoutMs,
    );
  }

  async established(...names: readonly string[]): Promise<void> {
    await waitFor(
      `${names.join(', ')} are established`,
      async () => {
        const views = await this.peers();
        const missing = names
          .map((name) => views.get(name))
          .filter((view) => view?.session.state !== 'Established');
        return (
          missing.length === 0 || notYet(missing.map((view) => [view?.name, view?.reason, view?.session]))
        );
      },
      PATIENCE_MS,
    );
  }

  /** The router has an established session with the pod after exactly so many that ended. */
  async sessionAfter(name: Name, ended: number, patienceMs = PATIENCE_MS): Promise<void> {
    const { ipv4 } = this.topology.podVisibleAs();
    await waitFor(
      `${name} has a session after ${ended}`,
      async () => {
        const session = (await this.topology.router(name).sessions()).find(
          ({ peer: address }) => address === ipv4,
        );
        return (session?.isEstablished === true && session.connectionsDropped === ended) || notYet(session);
      },
      patienceMs,
    );
  }

  async service(name: string): Promise<ServiceView | undefined> {
    const { items } = await this.herald.get<{ items: ServiceView[] }>('/api/v1/services?limit=1000');
    return items.find((view) => view.name === name);
  }

  async serviceIs(name: string, reason: string): Promise<ServiceView> {
    return await waitFor(
      `Service ${name} is ${reason}`,
      async () => {
        const view = await this.service(name);
        return view?.reason === reason ? view : notYet(view);
      },
      PATIENCE_MS,
    );
  }

  async faults(): Promise<readonly FaultView[]> {
    return (await this.herald.get<{ faults: FaultView[] }>('/api/v1/status')).faults;
  }

  /** Every "prefix nextHop" of the router's table, sorted, of service prefixes only. */
  async routes(name: Name): Promise<string[]> {
    const router = this.topology.router(name);
    const paths = [...(await router.table(4)), ...(await router.table(6))];
    return paths
      .filter(({ prefix }) => /^(203\.0\.113\.|100\.64\.|2001:db8:53:)/.test(prefix))
      .map(({ prefix, nextHop }) => `${prefix} ${nextHop}`)
      .sort();
  }

  async routesAre(name: Name, expected: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...expected].sort());
    await waitFor(
      `${name} has exactly ${wanted}`,
      async () => {
        const found = JSON.stringify(await this.routes(name));
        return found === wanted || notYet(found);
      },
      PATIENCE_MS,
    );
  }

  /** What all workers serve: "prefix nextHop" for each worker. */
  through(prefix: string, ...workers: readonly number[]): string[] {
    const all = this.topology.workers;
    const chosen = workers.length === 0 ? all : all.filter((_, index) => workers.includes(index));
    return chosen.map(({ ipv4, ipv6 }) => `${prefix} ${prefix.includes(':') ? ipv6 : ipv4}`);
  }
}
