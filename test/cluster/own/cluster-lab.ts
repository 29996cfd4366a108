/**
 * The cluster itself, with nothing of ours in it: what every other cluster test takes for granted is shown here once.
 *
 * Real API server, kubelets, container runtimes and kube-proxies; pods that run, are reached, listed, refused; a node
 * that loses power and comes back; and a machine that looks afterwards as it did before.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cluster, WEB_IMAGE, WEB_PORT, missingClusterPrerequisites, notYet, run, waitFor } from '@herald/lab';
import type { ClusterNode, RequestTotals } from '@herald/lab';

const missing = missingClusterPrerequisites();
const mustRun = process.env['CI'] === 'true';
if (missing.length > 0 && !mustRun) process.stderr.write(`cluster tests skipped:\n${missing.join('\n')}\n`);

const POD_START_MS = 60_000;
/** The API server twice, or a node's whole life, on a busy machine. */
const RESTART_MS = 180_000;
const SETTINGS = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'kernel/keys/root_maxkeys'];

interface PodItem {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly podIPs?: readonly { readonly ip: string }[]; readonly phase: string };
}

interface NodeItem {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

interface ServiceItem {
  readonly spec: { readonly clusterIPs: readonly string[]; readonly healthCheckNodePort?: number };
}

const securityContext = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

function webDeployment(replicas: number): object {
  const container = {
    name: 'web',
    image: WEB_IMAGE,
    imagePullPolicy: 'Never',
    securityContext: { ...securityContext, runAsUser: 65_532 },
    ports: [{ containerPort: WEB_PORT }],
    readinessProbe: { httpGet: { path: '/', port: WEB_PORT }, periodSeconds: 1 },
  };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [container], topologySpreadConstraints: [spread] },
      },
    },
  };
}

function webService(name: string, spec: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: {
      selector: { app: 'web' },
      ipFamilyPolicy: 'RequireDualStack',
      ports: [{ port: 80, targetPort: WEB_PORT }],
      ...spec,
    },
  };
}

const privilegedPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'mighty', namespace: 'shop' },
  spec: {
    containers: [
      { name: 'c', image: WEB_IMAGE, imagePullPolicy: 'Never', securityContext: { privileged: true } },
    ],
  },
};

function url(address: string, port = 80): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}/`;
}

function curl(node: ClusterNode, address: string, port?: number): Promise<string> {
  return node.namespace.run(['curl', '-sS', '-m', '2', url(address, port)]);
}

describe.skipIf(missing.length > 0 && !mustRun)('cluster', () => {
  let cluster: Cluster<'edge'>;
  let stopped = false;
  const before = SETTINGS.map(setting);

  beforeAll(async () => {
    cluster = await Cluster.start({ name: 'k8s', routers: { edge: 'frr' }, progress: say });
  });
  afterAll(async () => {
    if (!stopped) await (cluster as Cluster | undefined)?.stop();
  });

  const get = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await cluster.kubectl(['get', ...args, '-o', 'json'])) as T;
  const apply = (object: object): Promise<string> =>
    cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object));
  const pods = async (): Promise<readonly PodItem[]> =>
    (await get<{ items: PodItem[] }>('pods', '-n', 'shop')).items.filter(
      ({ status }) => status.phase === 'Running',
    );

  async function readiness(name: string): Promise<string> {
    const node = await get<NodeItem>('node', name);
    return node.status.conditions.find(({ type }) => type === 'Ready')?.status ?? 'none';
  }

  async function rolledOut(replicas: number): Promise<void> {
    await apply(webDeployment(replicas));
    await cluster.kubectl(['rollout', 'status', 'deployment/web', '-n', 'shop', '--timeout=60s']);
  }

  test('six nodes are Ready; control-plane nodes are tainted', async () => {
    const { items } = await get<{ items: NodeItem[] }>('nodes');
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'control-0',
      'control-1',
      'control-2',
      'worker-0',
      'worker-1',
      'worker-2',
    ]);
    const tainted = items.filter(({ spec }) =>
      spec.taints?.some(({ key }) => key.endsWith('/control-plane')),
    );
    expect(tainted.map(({ metadata }) => metadata.name)).toEqual(['control-0', 'control-1', 'control-2']);
    expect(await cluster.kubectl(['version'])).toContain('Server Version: v1.36.3');
  });

  test(
    'pods of a Deployment run on the workers under Pod Security restricted',
    async () => {
      await cluster.kubectl(['create', 'namespace', 'shop']);
      const level = 'pod-security.kubernetes.io/enforce=restricted';
      await cluster.kubectl(['label', 'namespace', 'shop', level]);
      await rolledOut(3);
      const running = await pods();
      expect(running.map(({ spec }) => spec.nodeName ?? '').sort(byText)).toEqual([
        'worker-0',
        'worker-1',
        'worker-2',
      ]);
      expect(running.map(({ status }) => status.podIPs?.length)).toEqual([2, 2, 2]);
    },
    POD_START_MS,
  );

  test('a privileged pod is refused there, with the reason', async () => {
    await expect(apply(privilegedPod)).rejects.toThrow(/violates PodSecurity "restricted.*privileged/);
  });

  test('exec and logs reach the pod through API server and kubelet', async () => {
    const [pod] = await pods();
    const name = pod?.metadata.name ?? '';
    expect(await cluster.kubectl(['exec', '-n', 'shop', name, '--', 'id', '-u'])).toBe('65532\n');
    expect(await cluster.kubectl(['logs', '-n', 'shop', name])).toBe('');
    await expect(cluster.kubectl(['exec', '-n', 'shop', name, '--', 'ls', '/none'])).rejects.toThrow(
      'No such file',
    );
  });

  test('a ClusterIP of both families is answered to nodes and pods by kube-proxy', async () => {
    await apply(webService('web', {}));
    const { spec } = await get<ServiceItem>('service', 'web', '-n', 'shop');
    const running = await pods();
    const names = running.map(({ metadata }) => metadata.name);
    expect(spec.clusterIPs).toHaveLength(2);
    for (const address of spec.clusterIPs) {
      const answer = await waitFor(`an answer from ${address}`, () =>
        curl(cluster.node('control-1'), address),
      );
      expect(names).toContain(answer.trim());
      const inside = [
        'exec',
        '-n',
        'shop',
        names[0] ?? '',
        '--',
        'timeout',
        '2',
        'wget',
        '-qO-',
        url(address),
      ];
      expect(names).toContain((await cluster.kubectl(inside)).trim());
    }
  });

  test(
    'externalTrafficPolicy Local: only nodes with a pod say healthy',
    async () => {
      await rolledOut(1);
      await apply(webService('local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }));
      const { spec } = await get<ServiceItem>('service', 'local', '-n', 'shop');
      const port = spec.healthCheckNodePort ?? 0;
      const [pod] = await waitFor(
        'one pod',
        async () => {
          const running = await pods();
          return running.length === 1 ? running : notYet(running.length);
        },
        POD_START_MS,
      );
      const wanted = cluster.workers.map(({ name }) => (name === pod?.spec.nodeName ? '200' : '503'));
      const ask = (node: ClusterNode): Promise<string> =>
        cluster
          .client('edge')
          .namespace.run([
            'curl',
            '-s',
            '-m',
            '2',
            '-o',
            '/dev/null',
            '-w',
            '%{http_code}',
            url(node.plan.ipv4, port),
          ]);
      await waitFor('exactly its node answers 200', async () => {
        const seen = await Promise.all(cluster.workers.map(ask));
        return seen.join() === wanted.join() || notYet(seen);
      });
    },
    POD_START_MS,
  );

  test('pods appear under their own or their node’s address', async () => {
    const client = cluster.client('edge');
    const script = `require('http').createServer((q, s) => s.end(q.socket.remoteAddress)).listen(9000, '0.0.0.0')`;
    client.namespace.start('mirror', [
      process.execPath,
      '-e',
      `${script}.on('listening', () => console.log('up'))`,
    ]);
    const [pod] = await pods();
    const name = pod?.metadata.name ?? '';
    const seen = (): Promise<string> =>
      cluster.kubectl([
        'exec',
        '-n',
        'shop',
        name,
        '--',
        'timeout',
        '2',
        'wget',
        '-qO-',
        'http://198.51.100.2:9000/',
      ]);
    const node = cluster.node(pod?.spec.nodeName ?? '');
    expect(await waitFor('the mirror answers', seen)).toBe(pod?.status.podIPs?.[0]?.ip);
    await cluster.setPodTraffic('masqueraded');
    expect(await seen()).toBe(node.plan.ipv4);
    await cluster.setPodTraffic('routed');
    expect(await seen()).toBe(pod?.status.podIPs?.[0]?.ip);
  });

  test(
    'the client counts answers by pod; nothing is lost without a fault',
    async () => {
      await rolledOut(3);
      const running = await pods();
      const targets = running.map(({ status }) => ({
        address: status.podIPs?.[0]?.ip ?? '',
        port: WEB_PORT,
      }));
      const totals: RequestTotals = await cluster
        .client('edge')
        .send({ targets, count: 300, ratePerSecond: 100 });
      expect([totals.lost, Object.values(totals.answers).reduce((sum, one) => sum + one, 0)]).toEqual([
        0, 300,
      ]);
    },
    POD_START_MS,
  );

  test('the audit log counts requests by user and by user agent', async () => {
    const since = Date.now();
    await cluster.kubectl(['get', 'nodes']);
    const mine = await cluster.requestsOf('lab-admin', since);
    expect(mine.filter(({ uri, verb }) => verb === 'list' && uri.startsWith('/api/v1/nodes'))).toHaveLength(
      1,
    );
    expect(await cluster.requestsOf('kubectl/', since)).toEqual(mine);
    expect((await cluster.requestsOf('system:node:worker-0')).length).toBeGreaterThan(0);
  });

  test('helm talks to it', async () => {
    expect(JSON.parse(await cluster.helm(['list', '--all-namespaces', '-o', 'json']))).toEqual([]);
  });

  test(
    'etcd’s content can be kept and put back',
    async () => {
      await cluster.controlPlane.saveEtcd();
      await cluster.kubectl(['create', 'namespace', 'later']);
      await cluster.controlPlane.restoreEtcd();
      await expect(cluster.kubectl(['get', 'namespace', 'later'])).rejects.toThrow('not found');
      expect(await readiness('worker-0')).toBe('True');
    },
    RESTART_MS,
  );

  test(
    'a node cut from the API is Unknown, one that loses power too, and both come back',
    async () => {
      const [cut, dark] = [cluster.node('worker-1'), cluster.node('worker-2')];
      await cut.cutFromApi();
      await dark.powerOff();
      const both = (wanted: string) => async () => {
        const seen = [await readiness(cut.name), await readiness(dark.name)];
        return seen.join() === `${wanted},${wanted}` || notYet(seen);
      };
      await waitFor('both are Unknown', both('Unknown'), 40_000);
      expect(await readiness('worker-0')).toBe('True');
      await cut.joinApi();
      await dark.powerOn();
      await waitFor('both are Ready', both('True'), 40_000);
      await waitFor(
        'a pod of it runs again',
        async () => {
          const again = (await pods()).filter(({ spec }) => spec.nodeName === dark.name);
          const [address] = again.map(({ status }) => status.podIPs?.[0]?.ip ?? '');
          return address === undefined
            ? notYet(again)
            : (await curl(cluster.node('control-0'), address, WEB_PORT)) !== '';
        },
        POD_START_MS,
      );
    },
    RESTART_MS,
  );

  test(
    'stop leaves nothing behind',
    async () => {
      const { id, directory } = cluster.facts;
      expect((await traces(id)).length).toBeGreaterThan(50);
      await cluster.stop();
      stopped = true;
      expect(await traces(id)).toEqual([]);
      expect(existsSync(directory)).toBe(false);
      expect(SETTINGS.map(setting)).toEqual(before);
    },
    POD_START_MS,
  );
});

/** Namespaces, mounts, control groups and processes that carry the cluster's name. */
async function traces(id: string): Promise<string[]> {
  const namespaces = (await run(['ip', 'netns', 'list'])).split('\n');
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const groups = (await run(['find', '/sys/fs/cgroup', '-type', 'd', '-name', `*${id}*`])).split('\n');
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return [...namespaces, ...mounts, ...groups, ...processes.map(describeProcess)].filter((text) =>
    text.includes(id),
  );
}

/** A container's own command line says nothing; its control groups do. One that only waits to be reaped is gone. */
function describeProcess(pid: string): string {
  try {
    const [stat = '', ...rest] = ['stat', 'cmdline', 'cgroup'].map((file) =>
      readFileSync(`/proc/${pid}/${file}`, 'utf8'),
    );
    return /\) Z /.test(stat) ? '' : rest.join(' ');
  } catch {
    return '';
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function setting(path: string): string {
  return readFileSync(`/proc/sys/${path}`, 'utf8');
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
