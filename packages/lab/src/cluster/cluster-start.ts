/**
 * Starts a whole cluster on this machine and hands over its parts.
 *
 * In: how many nodes, which routers. Out: an API server that is ready, nodes that are Ready, routers and clients that
 * are connected with no daemon started. Control plane and container runtimes start at the same time; kubelets follow
 * when their Node objects are there.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { routerAddresses } from '../address-plan.ts';
import { cacheDirectory } from '../cache-directory.ts';
import { Cgroup } from '../cgroup.ts';
import { pinFlows } from '../flow-pinning.ts';
import { ensureFrrRoot } from '../frr-root.ts';
import type { Progress } from '../frr-root.ts';
import { Lab } from '../lab.ts';
import { createSite } from '../router-site.ts';
import type { RouterSite } from '../router-site.ts';
import type { RouterKind } from '../routers/create-router.ts';
import { Segment, UPLINK } from '../segment.ts';
import { waitFor } from '../wait-for.ts';
import { askApi } from './api-request.ts';
import type { ApiAccess } from './api-request.ts';
import { CertificateAuthority } from './certificates.ts';
import { ClusterNode } from './cluster-node.ts';
import type { PodTraffic } from './cluster-node.ts';
import { API_ADDRESSES, nodeObject, nodePlans } from './cluster-plan.ts';
import type { NodePlan } from './cluster-plan.ts';
import { missingClusterPrerequisites } from './cluster-prerequisites.ts';
import { isReadyNode } from './cluster-status.ts';
import type { NodeConditions } from './cluster-status.ts';
import { ControlPlane } from './control-plane.ts';
import { ensureGoBinaries } from './go-binaries.ts';
import type { GoBinaries } from './go-binaries.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { writeLabImages } from './lab-images.ts';
import { withLogTail } from './log-tail.ts';
import { NodeMachine } from './node-machine.ts';
import { raiseWatchLimit } from './watch-limit.ts';

export interface ClusterOptions<Name extends string = string> {
  readonly name: string;
  /** Default: 3. */
  readonly controlPlanes?: number;
  /** Default: 3. */
  readonly workers?: number;
  /** Name -> what runs there, each with a client behind it. Default: none. */
  readonly routers?: Readonly<Record<Name, RouterKind>>;
  /** Whether routers see a pod's own address or its node's; can be changed later. Default: routed. */
  readonly podTraffic?: PodTraffic;
  /** What a router does with running flows when a prefix changes its next hops: Linux spreads them anew. */
  readonly flows?: 'spread' | 'pinned';
  readonly progress?: Progress;
}

export interface ClusterParts<Name extends string> {
  readonly lab: Lab;
  readonly programs: GoBinaries;
  readonly kubeconfig: string;
  readonly controlPlane: ControlPlane;
  readonly nodes: readonly ClusterNode[];
  readonly sites: Readonly<Record<Name, RouterSite>>;
}

/** Seconds on an idle machine; a busy one is only slow. */
const NODES_READY_MS = 300_000;

export async function startCluster<Name extends string>(
  options: ClusterOptions<Name>,
): Promise<ClusterParts<Name>> {
  const missing = missingClusterPrerequisites();
  if (missing.length > 0) throw new Error(`The cluster cannot run here:\n${missing.join('\n')}`);
  const programs = await ensureGoBinaries(options.progress);
  const kinds: readonly RouterKind[] = Object.values<RouterKind>(options.routers ?? {});
  const root = kinds.includes('frr-root') ? (await ensureFrrRoot(options.progress)).path : '/';
  raiseWatchLimit();
  const lab = await Lab.create(options.name);
  try {
    return await new Starter<Name>(lab, options, programs).start(root);
  } catch (error) {
    await lab.close();
    throw error;
  }
}

class Starter<Name extends string> {
  readonly #lab: Lab;
  readonly #options: ClusterOptions<Name>;
  readonly #programs: GoBinaries;
  readonly #data: string;

  constructor(lab: Lab, options: ClusterOptions<Name>, programs: GoBinaries) {
    this.#lab = lab;
    this.#options = options;
    this.#programs = programs;
    this.#data = cacheDirectory('clusters', lab.id);
  }

  async start(root: string): Promise<ClusterParts<Name>> {
    this.#lab.ledger.addDirectory(this.#data);
    mkdirSync(this.#data, { recursive: true, mode: 0o700 });
    this.#lab.ledger.addCgroup(this.#cgroup);
    const { controlPlanes = 3, workers = 3 } = this.#options;
    const plans = nodePlans(controlPlanes, workers);
    this.#weighPods(plans.length);
    const authority = await CertificateAuthority.create(join(this.#data, 'pki'));
    const segment = await Segment.create(this.#lab);
    const sites = await this.#connectRouters(segment, root, plans);
    const [controlPlane, nodes] = await this.#startMachines(segment, plans, authority);
    const kubeconfig = this.#writeKubeconfig(controlPlane);
    await this.#joinNodes(controlPlane, nodes);
    return { lab: this.#lab, programs: this.#programs, kubeconfig, controlPlane, nodes, sites };
  }

  async #connectRouters(
    segment: Segment,
    root: string,
    plans: readonly NodePlan[],
  ): Promise<Record<Name, RouterSite>> {
    const settings = { lab: this.#lab, segment, root };
    const routers = Object.entries<RouterKind>(this.#options.routers ?? {});
    const sites = await Promise.all(
      routers.map(([name, kind], index) => createSite(settings, name, kind, index)),
    );
    if (this.#options.flows === 'pinned')
      await Promise.all(sites.map(({ router }) => pinFlows(router.namespace, UPLINK, plans)));
    return Object.fromEntries(sites.map((site) => [site.router.name, site])) as Record<Name, RouterSite>;
  }

  async #startMachines(
    segment: Segment,
    plans: readonly NodePlan[],
    authority: CertificateAuthority,
  ): Promise<[ControlPlane, ClusterNode[]]> {
    const api = await segment.join('api', API_ADDRESSES);
    const machines = await Promise.all(plans.map((plan) => this.#connectNode(segment, plan)));
    await segment.addStubRoutes();
    await Promise.all(
      [...machines.map(({ namespace }) => namespace), api].map((one) => this.#defaultRoute(one)),
    );
    const images = await writeLabImages(this.#lab.folder('images'), join(this.#programs.web, 'web'));
    const controlPlane = ControlPlane.start({
      lab: this.#lab,
      namespace: api,
      authority,
      programs: this.#programs.kubernetes,
      data: join(this.#data, 'api'),
    });
    const nodes = machines.map((machine, index) => this.#node(plans, index, machine, authority));
    this.#lab.beforeClose(async () => {
      await Promise.all(nodes.map((node) => node.shutDown()));
    });
    await Promise.all([controlPlane, ...nodes.map((node) => this.#bootNode(node, images))]);
    return [await controlPlane, nodes];
  }

  async #bootNode(node: ClusterNode, images: readonly string[]): Promise<void> {
    await node.setPodTraffic(this.#options.podTraffic ?? 'routed');
    await node.boot();
    for (const image of images) await node.importImage(image);
  }

  async #connectNode(segment: Segment, plan: NodePlan): Promise<NodeMachine> {
    const namespace = await segment.join(plan.name, plan);
    segment.addStub(plan.podRanges, plan);
    const folders = {
      state: join(this.#lab.directory, plan.name),
      data: join(this.#data, plan.name),
    };
    const searchPath = [this.#programs.containerd, this.#programs.kubernetes];
    return new NodeMachine({ namespace, folders, cgroup: `${this.#cgroup}/${plan.name}`, searchPath });
  }

  #node(
    plans: readonly NodePlan[],
    index: number,
    machine: NodeMachine,
    authority: CertificateAuthority,
  ): ClusterNode {
    const plan = plans[index];
    if (plan === undefined) throw new RangeError(`no node ${index}`);
    return new ClusterNode({ plan, machine, authority, containerdPrograms: this.#programs.containerd });
  }

  /** Service addresses need some route before kube-proxy translates them; the first router has the others. */
  async #defaultRoute(namespace: Awaited<ReturnType<Segment['join']>>): Promise<void> {
    const hasRouter = Object.keys(this.#options.routers ?? {}).length > 0;
    const gateway = hasRouter ? routerAddresses(0) : API_ADDRESSES;
    if (namespace.label === 'api' && !hasRouter) return;
    await namespace.addRoutes([
      ['0.0.0.0/0', gateway.ipv4],
      ['::/0', gateway.ipv6],
    ]);
  }

  #writeKubeconfig(controlPlane: ControlPlane): string {
    const { port, authority, user } = controlPlane.access;
    const path = join(this.#lab.directory, 'kubeconfig');
    return writeKubeconfig(path, { server: `https://127.0.0.1:${port}`, authority, user });
  }

  async #joinNodes(controlPlane: ControlPlane, nodes: readonly ClusterNode[]): Promise<void> {
    const { access } = controlPlane;
    await Promise.all(nodes.map(({ plan }) => askApi(access, '/api/v1/nodes', nodeObject(plan))));
    await Promise.all(nodes.map((node) => node.join()));
    await Promise.all(nodes.map((node) => nodeReady(access, node)));
    // Pods are refused before it is there.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await withLogTail(controlPlane.logFile('controller-manager'), () =>
      waitFor('the default service account', () => askApi(access, account), NODES_READY_MS),
    );
  }

  /**
   * As much as their kubelets would give them on machines of their own: each core weighs as one process. Otherwise all pods of
   * all nodes together get what one thread of the API server gets, which runs on the same processors here.
   */
  #weighPods(nodes: number): void {
    const pods = new Cgroup(this.#cgroup);
    pods.create();
    pods.weigh(nodes * availableParallelism());
  }

  get #cgroup(): string {
    return `herald-lab-${this.#lab.id}`;
  }
}

async function nodeReady(access: ApiAccess, node: ClusterNode): Promise<void> {
  const isReady = async (): Promise<boolean> =>
    isReadyNode(JSON.parse(await askApi(access, `/api/v1/nodes/${node.name}`)) as NodeConditions);
  await withLogTail(node.logFile('kubelet'), () => waitFor(`${node.name} is Ready`, isReady, NODES_READY_MS));
}
