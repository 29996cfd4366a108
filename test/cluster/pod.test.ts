/**
 * The pods of the release as they run: what the kernel lets their processes do, what they were told, what they can read,
 * what is in their image and what is not, and who is let in by the pod listener. Read in /proc and asked over the
 * network; the chart's YAML is not looked at.
 *
 * Nothing of the shared release is changed.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, type Cluster } from '@herald/lab';
import { NAMESPACE, apply, heraldPods, type KubernetesObject } from '../support/cluster-herald.ts';
import {
  mountsOf,
  networkOf,
  processesOf,
  secretsInTheOpen,
  workingSetBytes,
  type ContainerProcess,
} from '../support/container-processes.ts';
import { imageFiles, imageLabels, type ImageFile } from '../support/image-content.ts';
import { CAN_RUN, sharedCluster, type RouterName } from '../support/shared-cluster.ts';

interface ContainerStatus {
  readonly name: string;
  readonly containerID: string;
  readonly image: string;
  readonly imageID: string;
}

interface RunningPod extends KubernetesObject {
  readonly spec: { readonly nodeName: string };
  readonly status: {
    readonly podIP: string;
    readonly containerStatuses: readonly ContainerStatus[];
    readonly initContainerStatuses: readonly ContainerStatus[];
  };
}

interface RunningContainer {
  readonly pod: RunningPod;
  readonly name: string;
  readonly processes: readonly ContainerProcess[];
}

const OWN = 'pod-test';
const OCI = 'org.opencontainers.image.';
/** Where the image has files. */
const PLACES = [
  '/etc/',
  '/usr/bin/',
  '/usr/lib/',
  '/usr/lib64/',
  '/usr/share/common-licenses/',
  '/usr/share/doc/',
  '/usr/share/yang/',
  '/var/lib/dpkg/status.d/',
];
const MOST_MEBIBYTES = 200;
const NO_CAPABILITIES = '0000000000000000';
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

function containersOf(pod: RunningPod): RunningContainer[] {
  const { containerStatuses, initContainerStatuses } = pod.status;
  return [...initContainerStatuses, ...containerStatuses].map(({ name, containerID }) => ({
    pod,
    name,
    processes: processesOf(containerID),
  }));
}

const mayRun = ({ kind, mode = 0 }: ImageFile): boolean => kind === 'file' && (mode & 0o111) !== 0;
const anyMode = (bits: number, { mode = 0 }: ImageFile): boolean => (mode & bits) !== 0;
const isLibrary = ({ path }: ImageFile): boolean => /\.so\.\d+$/.test(path);
const isElsewhere = ({ path }: ImageFile): boolean => !PLACES.some((place) => path.startsWith(place));

describe.skipIf(!CAN_RUN)('a running pod', () => {
  let cluster: Cluster<RouterName>;
  let pods: readonly RunningPod[] = [];
  let containers: readonly RunningContainer[] = [];
  let processes: readonly ContainerProcess[] = [];

  beforeAll(async () => {
    cluster = await sharedCluster();
    pods = (await heraldPods(cluster)) as readonly RunningPod[];
    containers = pods.flatMap(containersOf);
    processes = containers.flatMap((container) => container.processes);
    await apply(cluster, ...strangersAndReaders());
  });
  afterAll(async () => {
    await cluster.kubectl(['delete', 'namespace', OWN, '--wait=false', '--ignore-not-found']);
    await cluster.kubectl(['delete', 'clusterrolebinding', OWN, '--ignore-not-found']);
    await cluster.stop();
  });

  const secretOf = (name: string, key: string): Promise<string> =>
    cluster.kubectl([
      'get',
      'secret',
      name,
      '-n',
      NAMESPACE,
      '-o',
      `go-template={{index .data "${key}"|base64decode}}`,
    ]);

  /** A line of the key and the token are enough to know them by. */
  async function secrets(): Promise<string[]> {
    const key = (await secretOf('herald-tls', 'tls.key')).split('\n')[1] ?? '';
    const tokens = containers
      .filter(({ name }) => name === 'controller')
      .map(({ processes: [first] }) => readFileSync(`/proc/${first?.pid}/root${TOKEN}`, 'utf8'));
    expect([key.length, ...tokens.map((token) => token.length)].every((length) => length > 60)).toBe(true);
    return [key, ...tokens];
  }

  test('has bgpd and the controller, two processes and one', () => {
    const seen = pods.map((pod) => containersOf(pod).map((one) => `${one.name} ${one.processes.length}`));
    expect(seen).toEqual(pods.map(() => ['bgpd 2', 'controller 1']));
    expect(pods.length).toBeGreaterThan(1);
  });

  test('has no capability and can gain none, is filtered, and is not root', () => {
    const statuses = processes.map(({ commandLine, status }) => ({ commandLine, ...status }));
    for (const status of statuses) {
      expect(status).toMatchObject({
        CapEff: NO_CAPABILITIES,
        CapPrm: NO_CAPABILITIES,
        CapInh: NO_CAPABILITIES,
        CapBnd: NO_CAPABILITIES,
        CapAmb: NO_CAPABILITIES,
        NoNewPrivs: '1',
        Seccomp: '2',
        Uid: '65532\t65532\t65532\t65532',
        Gid: '65532\t65532\t65532\t65532',
        Groups: '65532 ',
      });
    }
  });

  test('cannot write to its root, only below /run/herald and to the kubelet’s /etc/hosts', () => {
    for (const { pid } of processes) {
      const mounts = mountsOf(pid);
      expect(mounts.find(({ path }) => path === '/')?.options).toContain('ro');
      const written = mounts.filter(
        ({ path, options }) => !options.includes('ro') && !/^\/(proc|dev|sys)/.test(path),
      );
      const others = written.map(({ path }) => path).filter((path) => !path.startsWith('/run/herald/'));
      expect(others.sort()).toEqual(['/etc/hosts']);
    }
  });

  test('is in a network of its own', () => {
    const taken = new Set([
      networkOf(process.pid),
      ...cluster.nodes.map(({ namespace }) => `net:[${statSync(`/run/netns/${namespace.name}`).ino}]`),
    ]);
    const own = [...new Set(processes.map(({ pid }) => networkOf(pid)))];
    expect(own).toHaveLength(pods.length);
    expect(own.filter((network) => taken.has(network))).toEqual([]);
  });

  test('was told no secret by its environment, its arguments or its settings, and logs none', async () => {
    const known = await secrets();
    const told = processes.map(({ environment, commandLine }) => `${environment}\n${commandLine}`);
    const logs = await Promise.all(
      containers.map(({ pod, name }) =>
        cluster.kubectl(['logs', '-n', NAMESPACE, pod.metadata.name, '-c', name]),
      ),
    );
    const all = [...told, ...logs].join('\n');
    expect(all).toContain('herald has started');
    expect(known.filter((secret) => all.includes(secret))).toEqual([]);
    expect(told.join('\n')).not.toMatch(/password|secret|BEGIN|eyJ/i);
  });

  test('leaves no secret in a file that everybody may read; bgpd has no token', async () => {
    const known = await secrets();
    expect(processes.flatMap(({ pid }) => secretsInTheOpen(pid, known))).toEqual([]);
    const ofBgpd = containers.filter(({ name }) => name === 'bgpd').flatMap((one) => one.processes);
    for (const { pid } of ofBgpd) {
      const paths = mountsOf(pid).map(({ path }) => path);
      expect(paths.filter((path) => /secrets|tls|state/.test(path))).toEqual([]);
    }
  });

  test(`takes at most ${MOST_MEBIBYTES} MiB`, () => {
    for (const pod of pods) {
      const parts = containersOf(pod).map(({ name, processes: [first] }) => ({
        name,
        mebibytes: Math.round(workingSetBytes(first?.pid ?? 0) / 2 ** 20),
      }));
      process.stderr.write(
        `${pod.metadata.name}: ${parts.map((one) => `${one.name} ${one.mebibytes} MiB`).join(', ')}\n`,
      );
      const sum = parts.reduce((total, { mebibytes }) => total + mebibytes, 0);
      expect(sum).toBeGreaterThan(0);
      expect(sum).toBeLessThanOrEqual(MOST_MEBIBYTES);
    }
  });

  describe('has an image', () => {
    let files: readonly ImageFile[] = [];

    beforeAll(() => {
      files = containers.flatMap(({ processes: [first] }) => imageFiles(first?.pid ?? 0));
    });

    function pathsOf(isWanted: (file: ImageFile) => boolean): string[] {
      return [...new Set(files.filter(isWanted).map(({ path }) => path))].sort();
    }

    const named = (pattern: RegExp): string[] => pathsOf(({ path }) => pattern.test(basename(path)));

    test('with these programs only, and libraries', () => {
      expect(pathsOf((file) => mayRun(file) && !isLibrary(file))).toEqual([
        '/usr/bin/node',
        '/usr/bin/vtysh',
        '/usr/lib/frr/bgpd',
        '/usr/lib/herald/herald.mjs',
      ]);
    });

    test('without a compiler, a package manager or a shell by any name', () => {
      const compilers = /^((.*-)?(cc|gcc|g\+\+|c\+\+|cpp|tcc|clang|as|ld|make)(-[\d.]+)?|go|rustc|cargo)$/;
      const managers = /^(npm|npx|corepack|yarn|pnpm|apt|apt-get|dpkg|pip3?)$/;
      const shells = /^(sh|bash|dash|busybox|env|perl|python[\d.]*)$/;
      // Of the packages that it is made of only what scanners for known vulnerabilities read.
      expect(named(managers)).toEqual(['/var/lib/dpkg']);
      expect([...named(compilers), ...named(shells)]).toEqual([]);
    });

    test('without caches, lists of packages or anything else that its making has left', () => {
      expect(pathsOf((file) => file.kind === 'file' && isElsewhere(file))).toEqual([]);
      expect(pathsOf(({ path }) => /^\.|^node_modules$/.test(basename(path)))).toEqual([]);
    });

    test('without a file that gives rights, or that others may write', () => {
      expect(pathsOf((file) => anyMode(0o6000, file))).toEqual([]);
      expect(pathsOf((file) => anyMode(0o002, file) && !anyMode(0o1000, file))).toEqual([]);
    });

    test('with labels: what it is, under which licences, made of what', async () => {
      for (const { image, imageID } of pods.flatMap(({ status }) => status.containerStatuses)) {
        const tag = image.slice(image.lastIndexOf(':') + 1);
        const labels = await imageLabels(tag, imageID);
        const standard = Object.entries(labels).filter(([name]) => name.startsWith(OCI));
        expect(Object.fromEntries(standard.map(([name, text]) => [name.slice(OCI.length), text]))).toEqual({
          title: 'herald',
          description: expect.stringContaining('BGP'),
          licenses: 'Apache-2.0 AND GPL-2.0-or-later',
          version: `0.0.0-${tag}`,
          revision: tag,
        });
      }
    });
  });

  describe('lets in', () => {
    let certificate = '';
    const tokens = new Map<string, string>([
      ['nobody', ''],
      ['somebody’s forged token', 'eyJhbGciOiJub25lIn0.e30.'],
    ]);

    beforeAll(async () => {
      certificate = `${cluster.lab.directory}/pod-listener.crt`;
      const text = await secretOf('herald-tls', 'tls.crt');
      await run(['tee', certificate], { input: text });
      for (const account of ['stranger', 'reader']) {
        tokens.set(account, (await cluster.kubectl(['create', 'token', account, '-n', OWN])).trim());
      }
    });

    /** Statuses of all replicas, asked from a node as a scraper would: by the name in the certificate. */
    async function ask(who: string, path: string): Promise<string[]> {
      const token = tokens.get(who) ?? '';
      const bearer = token === '' ? [] : ['-H', `Authorization: Bearer ${token}`];
      const host = `herald.${NAMESPACE}.svc:8443`;
      const from = cluster.node('worker-0').namespace;
      return await Promise.all(
        pods.map(({ status }) => {
          const name = ['--cacert', certificate, '--resolve', `${host}:${status.podIP}`];
          const flags = ['-s', '-S', '-m', '10', '-o', '/dev/null', '-w', '%{http_code}'];
          return from.run(['curl', ...flags, ...name, ...bearer, `https://${host}${path}`]);
        }),
      );
    }

    test.each([
      ['nobody', '/metrics', '401'],
      ['nobody', '/api/v1/status', '401'],
      ['nobody', '/api/v1/config', '401'],
      ['somebody’s forged token', '/metrics', '401'],
      ['stranger', '/metrics', '403'],
      ['stranger', '/api/v1/routes', '403'],
      ['reader', '/metrics', '200'],
      ['reader', '/api/v1/status', '200'],
      ['nobody', '/healthz', '200'],
      ['nobody', '/readyz', '200'],
    ])('%s to %s: %s', async (who, path, status) => {
      expect(await ask(who, path)).toEqual(pods.map(() => status));
    });

    test('nobody on the plain port: it is the loopback’s', async () => {
      const from = cluster.node('worker-0').namespace;
      const [pod] = pods;
      await expect(
        from.run(['curl', '-sS', '-m', '5', `http://${pod?.status.podIP}:8179/healthz`]),
      ).rejects.toThrow(/refused|Failed to connect/i);
    });
  });
});

/** Two accounts; one is among the release's readers. */
function strangersAndReaders(): object[] {
  const account = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: OWN },
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN } },
    account('stranger'),
    account('reader'),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: OWN },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: `${NAMESPACE}:herald:reader`,
      },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: OWN }],
    },
  ];
}
