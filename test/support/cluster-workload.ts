// Real web servers in a namespace of a test's own, which answer with their pod's name, and the Services on them.
// Names and node names in, objects in the cluster and pods that are ready out. Knows nothing of routes.
//
// Pods of one Deployment never share a node, so that where they run follows from how many there are and from the
// nodes that they may use. They satisfy Pod Security `restricted`.

import { WEB_IMAGE, WEB_PORT, WEB_READINESS_PORT, notYet, waitFor, type Cluster } from '@herald/lab';

import { apply, get, list, restrictedNamespace, type KubernetesObject } from './cluster-herald.ts';
import { processesOf } from './container-processes.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface WebOptions {
  readonly replicas: number;
  /** Names of the nodes that they may use. Default: every worker. */
  readonly nodes?: readonly string[];
  /** A pod that is told to end goes on answering for so long. */
  readonly lingerSeconds?: number;
  /**
   * `soon`: until they are told to end. `to its end`: for as long as they answer. `never`: they run, answer, and are
   * never ready.
   */
  readonly ready?: Readiness;
}

export interface WebPod {
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly string[];
}

export interface ServiceOptions {
  /** Of the Deployment; null: no selector. */
  readonly app: string | null;
  readonly addresses: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Fields;
}

interface PodItem extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & { readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly Condition[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

const ROLLOUT_MS = 120_000;
/** Who would make a pod again goes before it. */
const OWNERS_FIRST = 'services,deployments,replicasets,pods';
const NOBODY = 65_532;
/** Nobody listens on the last one. */
const READINESS_PORTS = { soon: WEB_READINESS_PORT, 'to its end': WEB_PORT, never: 9 } as const;

type Readiness = keyof typeof READINESS_PORTS;

export class Workload {
  readonly cluster: Cluster;
  readonly namespace: string;

  constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** What an earlier run left there goes first. */
  static async open(cluster: Cluster, namespace: string): Promise<Workload> {
    const workload = new Workload(cluster, namespace);
    await workload.close();
    await restrictedNamespace(cluster, namespace);
    return workload;
  }

  /** For pods that are told to end Kubernetes waits half of the time that they may take, and looks no earlier. */
  async close(): Promise<void> {
    await this.kubectl('delete', OWNERS_FIRST, '--all', '--force', '--grace-period=0');
    await this.cluster.kubectl(['delete', 'namespace', this.namespace, '--ignore-not-found']);
  }

  /** Resolves when exactly so many pods are ready, and gives them. */
  async serve(app: string, options: WebOptions): Promise<readonly WebPod[]> {
    await apply(this.cluster, deployment(this.namespace, app, options));
    return await this.running(app, options);
  }

  /** As `serve`, for a Deployment that is there; the caller does not wait for old pods to be gone. */
  async scale(app: string, replicas: number): Promise<readonly WebPod[]> {
    await this.kubectl('scale', 'deployment', app, `--replicas=${replicas}`);
    return await this.running(app, { replicas });
  }

  /** `elsewhere`: a node that none of them may be on, since a lost one's pods look ready for a while. */
  async running(
    app: string,
    options: WebOptions & { readonly elsewhere?: string },
  ): Promise<readonly WebPod[]> {
    const { replicas, ready = 'soon', elsewhere } = options;
    return await waitFor(
      `${replicas} pods of ${app} run`,
      async () => {
        const all = await this.#pods(app);
        const pods = all.filter((pod) => isUp(pod, ready));
        const away = pods.every(({ spec }) => spec.nodeName !== elsewhere);
        const wanted = away && pods.length === replicas && all.length === replicas;
        return wanted ? pods.map(webPod) : notYet(all.map(({ status }) => status.conditions));
      },
      ROLLOUT_MS,
    );
  }

  /** Pods that were told to end and go on. */
  async ending(app: string): Promise<readonly string[]> {
    return (await this.#pods(app, 'ending')).map(({ metadata }) => metadata.name);
  }

  /** Those have nothing left to do; resolves when they are gone. A kubelet that has not heard yet starts them again. */
  async finish(app: string): Promise<void> {
    await waitFor(`the pods of ${app} that were told to end have ended`, async () => {
      const pods = await this.#pods(app, 'ending');
      const processes = pods.flatMap(({ metadata }) => processesOf(metadata.uid));
      for (const { pid } of processes.filter(({ status }) => status['Name'] === 'web')) {
        process.kill(pid, 'SIGKILL');
      }
      return pods.length === 0 || notYet(pods.map(({ status }) => status));
    });
  }

  async expose(name: string, options: ServiceOptions): Promise<void> {
    await apply(this.cluster, this.service(name, options));
  }

  service(name: string, { app, addresses, labels = {}, spec = {} }: ServiceOptions): object {
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name,
        namespace: this.namespace,
        labels,
        annotations: { 'heraldbgp.io/load-balancer-ips': addresses.join(',') },
      },
      spec: {
        type: 'LoadBalancer',
        ...familiesOf(addresses),
        ports: [{ port: 80, targetPort: WEB_PORT }],
        ...(app === null ? {} : { selector: { app } }),
        ...spec,
      },
    };
  }

  /** What Herald says of a Service: the reason of its condition. */
  async says(service: string, reason: string): Promise<void> {
    await waitFor(
      `${service} says ${reason}`,
      async () => {
        const conditions = await this.#conditions(service);
        return conditions?.some((one) => one.reason === reason) === true || notYet(conditions);
      },
      20_000,
    );
  }

  async delete(...kindsAndNames: readonly string[]): Promise<void> {
    await this.kubectl('delete', ...kindsAndNames, '--ignore-not-found');
  }

  async kubectl(...words: readonly string[]): Promise<string> {
    return await this.cluster.kubectl([...words, '-n', this.namespace]);
  }

  async #conditions(service: string): Promise<readonly Condition[] | undefined> {
    const { status } = await get(this.cluster, 'service', service, '-n', this.namespace);
    return (status as { readonly conditions?: readonly Condition[] }).conditions;
  }

  async #pods(app: string, which: 'staying' | 'ending' = 'staying'): Promise<readonly PodItem[]> {
    const pods = await list<PodItem>(this.cluster, 'pods', '-n', this.namespace, '-l', `app=${app}`);
    return pods.filter(
      ({ metadata }) => (metadata.deletionTimestamp === undefined) === (which === 'staying'),
    );
  }
}

function isUp({ status }: PodItem, ready: Readiness): boolean {
  const isReady = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  return status.phase === 'Running' && isReady === (ready !== 'never');
}

function webPod({ metadata, spec, status }: PodItem): WebPod {
  const addresses = (status.podIPs ?? []).map(({ ip }) => ip);
  return { name: metadata.name, node: spec.nodeName ?? '', addresses };
}

function familiesOf(addresses: readonly string[]): Fields {
  const families = addresses.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4'));
  return {
    ipFamilies: families,
    ipFamilyPolicy: families.length === 2 ? 'RequireDualStack' : 'SingleStack',
  };
}

function deployment(namespace: string, app: string, options: WebOptions): object {
  const labels = { app };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace },
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(labels, options) },
    },
  };
}

function podSpec(labels: Fields, { nodes, ready = 'soon', lingerSeconds = 0 }: WebOptions): object {
  const apart = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
  const there = { key: 'kubernetes.io/hostname', operator: 'In', values: nodes };
  const onNodes = { nodeSelectorTerms: [{ matchExpressions: [there] }] };
  return {
    containers: [container(ready, lingerSeconds)],
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] },
      ...(nodes === undefined
        ? {}
        : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: onNodes } }),
    },
  };
}

function container(ready: Readiness, lingerSeconds: number): object {
  return {
    name: 'web',
    image: WEB_IMAGE,
    imagePullPolicy: 'Never',
    env: [{ name: 'LINGER_SECONDS', value: String(lingerSeconds) }],
    ports: [{ containerPort: WEB_PORT }],
    readinessProbe: {
      tcpSocket: { port: READINESS_PORTS[ready] },
      periodSeconds: 1,
      failureThreshold: 1,
      timeoutSeconds: 5,
    },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NOBODY,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}
