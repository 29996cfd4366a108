/**
 * Builds the standard lab and hands out its parts:
 *
 *   client - router -+- segment -+- worker (holds service addresses, answers)
 *   client - router -+           +- control-plane node - pod (no rights, BGP to the routers)
 *
 * In: how many of each, which daemons. Out: connected machines with nothing announced yet; daemons and pods are
 * started by the caller. Other shapes are built from Namespace, connect, addBridge and plug.
 */
import {
  SEGMENT_PREFIXES,
  clientLink,
  controlPlaneAddresses,
  guestAddresses,
  podLink,
  routerAddresses,
  withLengths,
  workerAddresses,
} from './address-plan.ts';
import type { HostAddresses, StubLink } from './address-plan.ts';
import { ensureFrrRoot } from './frr-root.ts';
import type { Progress } from './frr-root.ts';
import { pinFlows } from './flow-pinning.ts';
import type { Lab } from './lab.ts';
import { addBridge, connect, plug } from './namespace.ts';
import type { Namespace } from './namespace.ts';
import { Pod } from './pod.ts';
import { RequestClient } from './request-client.ts';
import { createRouter } from './routers/create-router.ts';
import type { RouterKind } from './routers/create-router.ts';
import type { Router } from './routers/router.ts';
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

export interface RouterSite {
  readonly router: Router;
  readonly client: RequestClient;
}

const BRIDGE = { device: 'br0' } as const;
export const UPLINK = 'eth0';
const STUB = 'eth1';

export class Topology<Name extends string = string> {
  readonly lab: Lab;
  readonly sites: Readonly<Record<Name, RouterSite>>;
  readonly workers: readonly Worker[];
  readonly controlPlanes: readonly ControlPlane[];
  readonly #segment: Segment;
  readonly #stubs: readonly Stub[];

  private constructor(parts: Parts<Name>) {
    this.lab = parts.lab;
    this.sites = parts.sites;
    this.workers = parts.workers;
    this.controlPlanes = parts.controlPlanes;
    this.#segment = parts.segment;
    this.#stubs = parts.stubs;
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
      stubs: builder.stubs,
    });
    await segment.addStubRoutes(builder.stubs);
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
    await this.#segment.addStubRoutes(this.#stubs);
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
  readonly stubs: readonly Stub[];
}

/** A network that hangs behind one machine of the segment. */
interface Stub {
  readonly link: StubLink;
  readonly behind: HostAddresses;
}

/** The one broadcast domain, and who is on it. */
class Segment {
  readonly #lab: Lab;
  readonly #fabric: Namespace;
  readonly #members = new Map<Namespace, HostAddresses>();

  private constructor(lab: Lab, fabric: Namespace) {
    this.#lab = lab;
    this.#fabric = fabric;
  }

  static async create(lab: Lab): Promise<Segment> {
    const fabric = await lab.namespace('fabric');
    await addBridge(fabric, BRIDGE.device);
    return new Segment(lab, fabric);
  }

  async join(label: string, addresses: HostAddresses): Promise<Namespace> {
    const namespace = await this.#lab.namespace(label);
    await namespace.forward();
    const end = { namespace, device: UPLINK, addresses: withLengths(addresses, SEGMENT_PREFIXES) };
    await plug({ namespace: this.#fabric, ...BRIDGE }, end, label.slice(-15));
    this.#members.set(namespace, addresses);
    return namespace;
  }

  /** Everybody on the segment knows the way to what hangs behind the others. */
  async addStubRoutes(stubs: readonly Stub[]): Promise<void> {
    await Promise.all([...this.#members].map(([namespace, own]) => addRoutes(namespace, own, stubs)));
  }
}

function addRoutes(namespace: Namespace, own: HostAddresses, stubs: readonly Stub[]): Promise<void> {
  const others = stubs.filter(({ behind }) => behind.ipv4 !== own.ipv4);
  return namespace.addRoutes(
    others.flatMap(({ link, behind }) => [
      [link.prefixes[0], behind.ipv4] as const,
      [link.prefixes[1], behind.ipv6] as const,
    ]),
  );
}

class Builder {
  readonly stubs: Stub[] = [];
  readonly #lab: Lab;
  readonly #segment: Segment;
  readonly #root: string;

  constructor(lab: Lab, segment: Segment, root: string) {
    this.#lab = lab;
    this.#segment = segment;
    this.#root = root;
  }

  async site(name: string, kind: RouterKind, index: number): Promise<RouterSite> {
    const addresses = routerAddresses(index);
    const namespace = await this.#segment.join(name, addresses);
    const client = await this.#stub(`client-${name}`, namespace, addresses, clientLink(index));
    const settings = { namespace, directory: this.#lab.folder(name), ...addresses };
    const frr = { root: this.#root, mountPoint: this.#lab.folder(`${name}-root`) };
    return { router: createRouter(kind, settings, frr), client: new RequestClient(client) };
  }

  async controlPlane(index: number, traffic: TopologyOptions['podTraffic']): Promise<ControlPlane> {
    const addresses = controlPlaneAddresses(index);
    const link = podLink(index);
    const node = await this.#segment.join(`cp-${index}`, addresses);
    const namespace = await this.#stub(`pod-${index}`, node, addresses, link);
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

  /** A namespace whose only way out is `gateway`. */
  async #stub(label: string, gateway: Namespace, behind: HostAddresses, link: StubLink): Promise<Namespace> {
    const namespace = await this.#lab.namespace(label);
    await connect(
      { namespace: gateway, device: STUB, addresses: withLengths(link.near, link.prefixes) },
      { namespace, device: UPLINK, addresses: withLengths(link.far, link.prefixes) },
    );
    await namespace.addRoutes([
      ['0.0.0.0/0', link.near.ipv4],
      ['::/0', link.near.ipv6],
    ]);
    this.stubs.push({ link, behind });
    return namespace;
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
