// What a cluster is configured with, before anything runs: plan, files of nodes and control plane, groups, folders.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Cgroup, freezerMount, parseCgroupMounts } from '../src/cgroup.ts';
import { CertificateAuthority } from '../src/cluster/certificates.ts';
import { nodeObject, nodePlans } from '../src/cluster/cluster-plan.ts';
import type { NodePlan } from '../src/cluster/cluster-plan.ts';
import {
  apiServerArgv,
  controllerManagerArgv,
  etcdArgv,
  schedulerArgv,
} from '../src/cluster/control-plane-config.ts';
import { goFolderName } from '../src/cluster/go-binaries.ts';
import {
  cniConfig,
  containerdConfig,
  kubeProxyConfig,
  kubeletConfig,
  masqueradeRules,
} from '../src/cluster/node-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-configuration-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function onePlan(index = 0): NodePlan {
  const plan = nodePlans(1, 2)[index];
  if (plan === undefined) throw new RangeError(`no plan ${index}`);
  return plan;
}

describe('nodePlans', () => {
  test('three and three: names, roles, addresses, pod ranges', () => {
    const rows = nodePlans(3, 3).map(({ name, role, ipv4, ipv6, podRanges }) => [
      name,
      role,
      ipv4,
      ipv6,
      ...podRanges,
    ]);
    expect(rows).toEqual([
      ['control-0', 'control-plane', '192.0.2.11', '2001:db8:2::11', '10.244.1.0/24', 'fd00:244:1::/64'],
      ['control-1', 'control-plane', '192.0.2.12', '2001:db8:2::12', '10.244.2.0/24', 'fd00:244:2::/64'],
      ['control-2', 'control-plane', '192.0.2.13', '2001:db8:2::13', '10.244.3.0/24', 'fd00:244:3::/64'],
      ['worker-0', 'worker', '192.0.2.101', '2001:db8:2::101', '10.244.4.0/24', 'fd00:244:4::/64'],
      ['worker-1', 'worker', '192.0.2.102', '2001:db8:2::102', '10.244.5.0/24', 'fd00:244:5::/64'],
      ['worker-2', 'worker', '192.0.2.103', '2001:db8:2::103', '10.244.6.0/24', 'fd00:244:6::/64'],
    ]);
  });

  test('nothing is given twice, whatever the numbers', () => {
    const count = fc.integer({ min: 0, max: 19 });
    fc.assert(
      fc.property(count, count, (controlPlanes, workers) => {
        const plans = nodePlans(controlPlanes, workers);
        const given = plans.flatMap(({ name, ipv4, ipv6, podRanges }) => [name, ipv4, ipv6, ...podRanges]);
        expect(plans).toHaveLength(controlPlanes + workers);
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });

  test('only control-plane nodes carry role and taint; every Node has its pod ranges', () => {
    expect(nodeObject(onePlan(0))).toMatchObject({
      metadata: { name: 'control-0', labels: { 'node-role.kubernetes.io/control-plane': '' } },
      spec: {
        podCIDR: '10.244.1.0/24',
        podCIDRs: ['10.244.1.0/24', 'fd00:244:1::/64'],
        taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
      },
    });
    expect(nodeObject(onePlan(1))).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'worker-0', labels: { 'kubernetes.io/hostname': 'worker-0' } },
      spec: { podCIDR: '10.244.2.0/24', podCIDRs: ['10.244.2.0/24', 'fd00:244:2::/64'] },
    });
  });
});

describe('a node’s files', () => {
  const folders = { state: '/run/lab/x/worker-0', data: '/cache/x/worker-0' };
  const serving = { certificate: '/pki/kubelet.crt', key: '/pki/kubelet.key' };

  test('containerd keeps everything below the node’s own folders', () => {
    const text = containerdConfig(folders, '/usr/sbin/runc');
    const paths = [...text.matchAll(/"(\/[^"]*)"/g)].map((match) => match[1] ?? '');
    const elsewhere = paths.filter(
      (path) => !path.startsWith('/run/lab/x/') && !path.startsWith('/cache/x/'),
    );
    expect(elsewhere).toEqual(['/usr/lib/cni', '/usr/sbin/runc']);
    expect(text).toContain('sandbox = "lab.local/pause:1"');
    expect(text).toContain('restrict_oom_score_adj = true');
  });

  test('the kubelet shares no folder and no control group with another one', () => {
    const config = kubeletConfig({
      folders,
      authority: '/pki/ca.crt',
      serving,
      cgroup: 'lab-x/worker-0/pods',
    });
    expect(config).toMatchObject({
      podLogsDir: '/cache/x/worker-0/pod-logs',
      volumePluginDir: '/cache/x/worker-0/volume-plugins',
      containerRuntimeEndpoint: 'unix:///run/lab/x/worker-0/containerd.sock',
      cgroupRoot: '/lab-x/worker-0/pods',
      cgroupsPerQOS: true,
      enforceNodeAllocatable: [],
      failCgroupV1: false,
      authentication: { anonymous: { enabled: false }, x509: { clientCAFile: '/pki/ca.crt' } },
      authorization: { mode: 'Webhook' },
    });
  });

  test('pods get an address of each family from the node’s ranges', () => {
    expect(cniConfig(onePlan(1), folders)).toMatchObject({
      plugins: [
        {
          type: 'ptp',
          ipMasq: false,
          ipam: { ranges: [[{ subnet: '10.244.2.0/24' }], [{ subnet: 'fd00:244:2::/64' }]] },
        },
      ],
    });
  });

  test('kube-proxy leaves the machine’s connection tracking as it is', () => {
    expect(kubeProxyConfig(onePlan(1), '/run/proxy.kubeconfig')).toMatchObject({
      mode: 'nftables',
      hostnameOverride: 'worker-0',
      clusterCIDR: '10.244.0.0/16,fd00:244::/32',
      healthzBindAddress: '0.0.0.0:10256',
      conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    });
  });

  test('masquerade: what leaves the cluster, not what goes to other pods', () => {
    expect(masqueradeRules(onePlan(1), 'eth0').split('\n').slice(3, 5)).toEqual([
      '    ip saddr 10.244.2.0/24 ip daddr != 10.244.0.0/16 oifname "eth0" masquerade',
      '    ip6 saddr fd00:244:2::/64 ip6 daddr != fd00:244::/32 oifname "eth0" masquerade',
    ]);
  });
});

describe('certificates', () => {
  test('the control plane’s flags name the files that the authority makes', async () => {
    const authority = await CertificateAuthority.create(join(folder, 'flags'));
    const files = {
      authority,
      etcdData: '/data/etcd',
      auditPolicy: '/data/policy.json',
      auditLog: '/data/audit.log',
      controllerManagerKubeconfig: '/data/cm',
      schedulerKubeconfig: '/data/s',
    };
    expect(apiServerArgv(files)).toEqual(
      expect.arrayContaining([
        `--client-ca-file=${authority.certificate}`,
        `--service-account-key-file=${authority.serviceAccounts.certificate}`,
        `--service-account-signing-key-file=${authority.serviceAccounts.key}`,
        '--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/108',
        '--authorization-mode=Node,RBAC',
        '--audit-log-path=/data/audit.log',
        '--advertise-address=192.0.2.31',
      ]),
    );
    expect(controllerManagerArgv(files)).toContain('--node-monitor-grace-period=16s');
    expect(etcdArgv(files)).toContain('--data-dir=/data/etcd');
    expect(schedulerArgv(files)).toContain('--kubeconfig=/data/s');
  });
});

function last(path: string | undefined): string | undefined {
  return path?.split('/').at(-1);
}

describe('control groups', () => {
  const version1 = [
    '30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
    '35 30 0:32 / /sys/fs/cgroup/freezer rw,relatime shared:9 - cgroup cgroup rw,freezer',
    '39 30 0:36 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd',
  ].join('\n');
  const version2 = '30 22 0:27 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate';
  const hybrid = `${version1}\n40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw`;

  test.each([
    ['version 1', version1, ['cpu', 'freezer', 'systemd'], 'freezer'],
    ['version 2', version2, ['cgroup'], 'cgroup'],
    ['both', hybrid, ['cpu', 'freezer', 'systemd', 'unified'], 'freezer'],
    ['none', '1 1 0:1 / / rw - ext4 /dev/vda rw', [], undefined],
  ])('%s', (_what, mountinfo, hierarchies, freezer) => {
    const mounts = parseCgroupMounts(mountinfo);
    expect(mounts.map(({ path }) => last(path))).toEqual(hierarchies);
    expect(last(freezerMount(mounts)?.path)).toBe(freezer);
  });

  test.each([
    ['cgroup', 'freezer', 'freezer.state', 'FROZEN', 'THAWED'],
    ['cgroup2', 'nsdelegate', 'cgroup.freeze', '1', '0'],
  ])('%s: freeze, thaw, members of the whole tree, removal', (type, option, file, frozen, thawed) => {
    const root = join(folder, type);
    const cgroup = new Cgroup('lab-x/node', `1 1 0:1 / ${root} rw - ${type} ${type} rw,${option}`);
    cgroup.create();
    const state = (): string => readFileSync(join(root, 'lab-x/node', file), 'utf8');
    cgroup.freeze();
    expect(state()).toBe(frozen);
    cgroup.thaw();
    expect(state()).toBe(thawed);
    mkdirSync(join(root, 'lab-x/node/pods/a'), { recursive: true });
    writeFileSync(cgroup.processesFile, '11\n12\n');
    writeFileSync(join(root, 'lab-x/node/pods/cgroup.procs'), '');
    writeFileSync(join(root, 'lab-x/node/pods/a/cgroup.procs'), '13\n');
    expect(cgroup.processes()).toEqual([11, 12, 13]);
    rmSync(join(root, 'lab-x/node/pods/a/cgroup.procs'));
    cgroup.remove();
    // A real hierarchy has no files that stand in the way; here one group had none.
    expect(() => statSync(join(root, 'lab-x/node/pods/a'))).toThrow('ENOENT');
  });

  test('a machine without groups is refused in a sentence', () => {
    expect(() => new Cgroup('x', '')).toThrow('This machine has no control groups mounted.');
  });
});

describe('goFolderName', () => {
  test('is the hash over go.mod followed by go.sum', () => {
    const hash = createHash('sha256').update('module a\nsums\n').digest('hex').slice(0, 8);
    expect(goFolderName('helm', ['module a\n', 'sums\n'])).toBe(`go-helm-${hash}`);
    expect(goFolderName('helm', ['module a\n', 'sums'])).not.toBe(`go-helm-${hash}`);
  });
});
