/**
 * Builds the standard lab and hands out its parts:
 *
 *   client - router -+- segment -+- worker (holds service addresses, answers)
 *   client - router -+           +- control-plane node - pod (no rights, BGP to the routers)
 *
 * In: how many of each, which daemons. Out: connected machines with nothing announced yet; daemons and pods are
 * started by the caller. Other shapes are built from Namespace, connect, addBridge and plug.
 */
import { controlPlaneAddresses, guestAddresses, podLink, workerAddresses } from './address-plan.ts';
import type { HostAddresses } from './address-plan.ts';
import { ensureFrrRoot } from './frr-root.ts';
import type { Progress } from './frr-root.ts';
import { pinFlows } from './flow-pinning.ts';
import type { Lab } from './lab.ts';
import type { Namespace } from './namespace.ts';
import { Pod } from './pod.ts';
import type { RequestClient } from './request-client.ts';
import { createSite } from './router-site.ts';
import type { RouterSite } from './router-site.ts';
import type { RouterKind } from './routers/create-router.ts';
import type { Router } from './routers/router.ts';
import { Segment, UPLINK } from './segment.ts';
import { Worker } from './worker.ts';

export interface TopologyOptions<Name extends string = string> {
  /** Name -> what runs there. */
  readonly routers: Readonly<Record<Name, RouterKind>>;
  readonly workers?: number;
  readonly controlPlanes?: number;
  /** Whether routers see a pod's own address or its node's. */
  readonly podTraffic?: 'routed' | 'masqueraded';
  /** What a router does with running flows when a prefix changes its next hops: Linux spreads them anew. */
  readonly flows?: 'spread' | 'pinned';
  readonly progress?: Progress;
}

export interface ControlPlane extends HostAddresses {
  readonly namespace: Namespace;
  readonly pod: Pod;
  /** As routers see the pod. */
  readonly visibleAs: HostAddresses;
}

export class Topology<Name extends string = string> {
  readonly lab: Lab;
  readonly sites: Readonly<Record<Name, RouterSite>>;
  readonly workers: readonly Worker[];
  readonly controlPlanes: readonly ControlPlane[];
  readonly #segment: Segment;

  private constructor(parts: Parts<Name>) {
    this.lab = parts.lab;
    this.sites = parts.sites;
    this.workers = parts.workers;
    this.controlPlanes = parts.controlPlanes;
    this.#segment = parts.segment;
  }

  static async create<Name extends string>(
    lab: Lab,
    options: TopologyOptions<Name>,
  ): Promise<Topology<Name>> {
    const root = await ensureFrrRoot(options.progress);
    const segment = await Segment.create(lab);
    const builder = new Builder(lab, segment, root.path);
    const routers = Object.entries<RouterKind>(options.routers);
    const sites = await Promise.all(routers.map(([name, kind], index) => builder.site(name, kind, index)));
    const controlPlanes = await Promise.all(
      range(options.controlPlanes ?? 1).map((index) => builder.controlPlane(index, options.podTraffic)),
    );
    const workers = await Promise.all(range(options.workers ?? 2).map((index) => builder.worker(index)));
    const named = Object.fromEntries(sites.map((site) => [site.router.name, site])) as Record<
      Name,
      RouterSite
    >;
    const topology = new Topology<Name>({
      lab,
      segment,
      sites: named,
      workers,
      controlPlanes,
    });
    await segment.addStubRoutes();
    if (options.flows === 'pinned') {
      await Promise.all(sites.map(({ router }) => pinFlows(router.namespace, UPLINK, workers)));
    }
    return topology;
  }

  router(name: Name): Router {
    return this.sites[name].router;
  }

  client(name: Name): RequestClient {
    return this.sites[name].client;
  }

  pod(index = 0): Pod {
    return this.#controlPlane(index).pod;
  }

  /** The address that a router has to configure for the pod. */
  podVisibleAs(index = 0): HostAddresses {
    return this.#controlPlane(index).visibleAs;
  }

  /** One more machine on the segment, with ways to every pod and client; for an API server, say. */
  async addGuest(label: string, index = 0): Promise<{ namespace: Namespace } & HostAddresses> {
    const addresses = guestAddresses(index);
    const namespace = await this.#segment.join(label, addresses);
    await this.#segment.addStubRoutes();
    return { namespace, ...addresses };
  }

  #controlPlane(index: number): ControlPlane {
    const controlPlane = this.controlPlanes[index];
    if (controlPlane === undefined) throw new RangeError(`no control-plane node ${index}`);
    return controlPlane;
  }
}

interface Parts<Name extends string> {
  readonly lab: Lab;
  readonly segment: Segment;
  readonly sites: Readonly<Record<Name, RouterSite>>;
  readonly workers: readonly Worker[];
  readonly controlPlanes: readonly ControlPlane[];
}

class Builder {
  readonly #lab: Lab;
  readonly #segment: Segment;
  readonly #root: string;

  constructor(lab: Lab, segment: Segment, root: string) {
    this.#lab = lab;
    this.#segment = segment;
    this.#root = root;
  }

  site(name: string, kind: RouterKind, index: number): Promise<RouterSite> {
    return createSite({ lab: this.#lab, segment: this.#segment, root: this.#root }, name, kind, index);
  }

  async controlPlane(index: number, traffic: TopologyOptions['podTraffic']): Promise<ControlPlane> {
    const addresses = controlPlaneAddresses(index);
    const link = podLink(index);
    const node = await this.#segment.join(`cp-${index}`, addresses);
    const namespace = await this.#segment.stub(`pod-${index}`, node, addresses, link);
    const masqueraded = traffic === 'masqueraded';
    if (masqueraded) await node.masquerade(UPLINK, link.prefixes);
    const pod = new Pod({ lab: this.#lab, namespace, root: this.#root, ...link.far });
    return { namespace: node, pod, visibleAs: masqueraded ? addresses : link.far, ...addresses };
  }

  async worker(index: number): Promise<Worker> {
    const addresses = workerAddresses(index);
    const namespace = await this.#segment.join(`worker-${index}`, addresses);
    return Worker.create({ namespace, ...addresses });
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
