/**
 * A real Kubernetes cluster on this machine, with real routers on its segment and a client behind each.
 *
 * `Cluster.start` makes one that ends with this process; `Cluster.attach` uses the one that is up, whose parts live in
 * another process: calls to nodes, routers and control plane are carried there. Nothing here knows what is installed
 * in the cluster.
 */
import { run } from '../command.ts';
import type { CommandOptions } from '../command.ts';
import { forgetHalfOpen } from '../half-open.ts';
import { Lab } from '../lab.ts';
import { processStartTime } from '../ledger.ts';
import { Namespace } from '../namespace.ts';
import { RequestClient } from '../request-client.ts';
import type { RouterSite } from '../router-site.ts';
import type { RouterKind } from '../routers/create-router.ts';
import type { Router } from '../routers/router.ts';
import { requestsOf } from './audit-log.ts';
import type { AuditedRequest } from './audit-log.ts';
import type { ClusterFacts, RouterFacts } from './cluster-facts.ts';
import { controlSocket, readFacts } from './cluster-facts.ts';
import type { ClusterNode, PodTraffic } from './cluster-node.ts';
import { startCluster } from './cluster-start.ts';
import type { ClusterOptions, ClusterParts } from './cluster-start.ts';
import type { ControlPlane } from './control-plane.ts';
import { remoteObject } from './remote-calls.ts';

const COMMAND_TIMEOUT_MS = 180_000;

export class Cluster<Name extends string = string> {
  readonly lab: Lab;
  readonly facts: ClusterFacts;
  readonly nodes: readonly ClusterNode[];
  readonly controlPlane: ControlPlane;
  readonly #sites: Readonly<Record<Name, RouterSite>>;

  private constructor(parts: Omit<ClusterParts<Name>, 'programs' | 'kubeconfig'>, facts: ClusterFacts) {
    this.lab = parts.lab;
    this.facts = facts;
    this.nodes = parts.nodes;
    this.controlPlane = parts.controlPlane;
    this.#sites = parts.sites;
  }

  static async start<Name extends string = never>(options: ClusterOptions<Name>): Promise<Cluster<Name>> {
    const parts = await startCluster(options);
    return new Cluster<Name>(parts, factsOf(parts, options));
  }

  /** The cluster that is up on this machine; undefined where there is none. */
  static async attach<Name extends string = string>(): Promise<Cluster<Name> | undefined> {
    const facts = readFacts();
    if (facts === undefined) return undefined;
    const lab = await Lab.create('attached');
    return new Cluster<Name>({ lab, ...remoteParts<Name>(lab, facts) }, facts);
  }

  /** For any Kubernetes client on this machine. */
  get kubeconfig(): string {
    return this.facts.kubeconfig;
  }

  get workers(): readonly ClusterNode[] {
    return this.nodes.filter(({ plan }) => plan.role === 'worker');
  }

  get controlPlaneNodes(): readonly ClusterNode[] {
    return this.nodes.filter(({ plan }) => plan.role === 'control-plane');
  }

  node(name: string): ClusterNode {
    const node = this.nodes.find((one) => one.name === name);
    if (node === undefined) throw new RangeError(`no node ${name}`);
    return node;
  }

  router(name: Name): Router {
    return this.#sites[name].router;
  }

  client(name: Name): RequestClient {
    return this.#sites[name].client;
  }

  kubectl(args: readonly string[], input?: string): Promise<string> {
    const { kubeconfig, programs, directory } = this.facts;
    const flags = ['--kubeconfig', kubeconfig, '--cache-dir', `${directory}/kubectl-cache`];
    return run([`${programs.kubernetes}/kubectl`, ...flags, ...args], commandOptions(input));
  }

  helm(args: readonly string[], input?: string): Promise<string> {
    const { kubeconfig, programs, directory } = this.facts;
    const homes = ['CACHE', 'CONFIG', 'DATA'].map((home) => `HELM_${home}_HOME=${directory}/helm`);
    return run(
      ['env', `KUBECONFIG=${kubeconfig}`, ...homes, `${programs.helm}/helm`, ...args],
      commandOptions(input),
    );
  }

  /** Into every node. Pods name it with imagePullPolicy Never. */
  async importImage(archive: string): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.importImage(archive)));
  }

  async setPodTraffic(traffic: PodTraffic): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.setPodTraffic(traffic)));
  }

  /** What asked the Services too early leaves no trace for those who count from now on. */
  async forgetHalfOpen(): Promise<void> {
    const sites = Object.values<RouterSite>(this.#sites);
    const all = [...this.nodes, ...sites.map(({ router }) => router)];
    await Promise.all(all.map(({ namespace }) => forgetHalfOpen(namespace)));
  }

  /** `who`: a user's whole name or the beginning of a user agent. */
  requestsOf(who: string, sinceMs = 0): Promise<AuditedRequest[]> {
    return requestsOf(this.facts.auditLog, who, sinceMs);
  }

  /** Ends what this process has started: all of it after `start`, only its own helpers after `attach`. */
  stop(): Promise<void> {
    return this.lab.close();
  }
}

function commandOptions(input: string | undefined): CommandOptions {
  return { timeoutMs: COMMAND_TIMEOUT_MS, ...(input === undefined ? {} : { input }) };
}

function factsOf<Name extends string>(
  parts: ClusterParts<Name>,
  options: ClusterOptions<Name>,
): ClusterFacts {
  const { lab, programs, kubeconfig, controlPlane, nodes } = parts;
  const kinds = Object.entries<RouterKind>(options.routers ?? {});
  return {
    id: lab.id,
    keeper: { pid: process.pid, startTime: processStartTime(process.pid) ?? '' },
    directory: lab.directory,
    kubeconfig,
    programs,
    auditLog: controlPlane.auditLog,
    api: { namespace: controlPlane.namespace.name, access: controlPlane.access },
    podTraffic: options.podTraffic ?? 'routed',
    nodes: nodes.map(({ plan, namespace }) => ({ plan, namespace: namespace.name })),
    routers: kinds.map(([name, kind]) => routerFacts(parts.sites[name as Name], kind)),
    startedAtMs: Date.now(),
  };
}

function routerFacts({ router, client }: RouterSite, kind: RouterKind): RouterFacts {
  return {
    name: router.name,
    kind,
    namespace: router.namespace.name,
    directory: router.directory,
    clientNamespace: client.namespace.name,
    ipv4: router.ipv4,
    ipv6: router.ipv6,
  };
}

function remoteParts<Name extends string>(
  lab: Lab,
  facts: ClusterFacts,
): Pick<ClusterParts<Name>, 'nodes' | 'controlPlane' | 'sites'> {
  const socket = controlSocket(facts);
  const existing = (name: string, label: string): Namespace => Namespace.existing(lab.ledger, name, label);
  const nodes = facts.nodes.map(
    ({ plan, namespace }) =>
      remoteObject(socket, `node ${plan.name}`, {
        plan,
        name: plan.name,
        namespace: existing(namespace, plan.name),
      }) as ClusterNode,
  );
  const sites = facts.routers.map((router) => {
    const { name, directory, ipv4, ipv6 } = router;
    const known = { name, directory, ipv4, ipv6, namespace: existing(router.namespace, name) };
    const behind = existing(router.clientNamespace, `client-${name}`);
    return [name, remoteSite(remoteObject(socket, `router ${name}`, known) as Router, behind)] as const;
  });
  const controlPlane = remoteObject(socket, 'control-plane', {
    namespace: existing(facts.api.namespace, 'api'),
    auditLog: facts.auditLog,
    access: facts.api.access,
  }) as ControlPlane;
  return { nodes, controlPlane, sites: Object.fromEntries(sites) as Record<Name, RouterSite> };
}

/** The client is a process of this side's own, started when it is first used. */
function remoteSite(router: Router, behind: Namespace): RouterSite {
  let client: RequestClient | undefined;
  return {
    router,
    get client() {
      client ??= new RequestClient(behind);
      return client;
    },
  };
}
