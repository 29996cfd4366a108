/**
 * The configuration files of one node's programs: containerd, its network plugin, kubelet, kube-proxy.
 *
 * In: the node's plan and where its folders are. Out: texts, JSON where YAML is read. Everything that several kubelets
 * of one machine would share by default has a place of its own here; times are short so that tests see changes soon.
 */
import type { KeyPair } from './certificates.ts';
import { DNS_ADDRESS, KUBE_PROXY_HEALTH_PORT, POD_RANGES } from './cluster-plan.ts';
import type { NodePlan } from './cluster-plan.ts';

export interface NodeFolders {
  /** Sockets and state; short paths, gone with the lab. */
  readonly state: string;
  /** Images and volumes; on a disk. */
  readonly data: string;
}

export const PAUSE_IMAGE = 'lab.local/pause:1';
const CNI_PLUGINS = '/usr/lib/cni';

export function containerdSocket(folders: NodeFolders): string {
  return `${folders.state}/containerd.sock`;
}

/** `restrict_oom_score_adj`: a machine without CAP_SYS_RESOURCE cannot lower scores, and runc dies of it. */
export function containerdConfig(folders: NodeFolders, runc: string): string {
  return `version = 3
root = "${folders.data}/containerd"
state = "${folders.state}/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.blockfile"]

[grpc]
  address = "${containerdSocket(folders)}"

[ttrpc]
  address = "${containerdSocket(folders)}.ttrpc"

[plugins."io.containerd.metadata.v1.bolt"]
  no_sync = true

[plugins."io.containerd.internal.v1.opt"]
  path = "${folders.data}/opt"

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "${PAUSE_IMAGE}"

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  disable_apparmor = true

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["${CNI_PLUGINS}"]
  conf_dir = "${folders.state}/cni"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  BinaryName = "${runc}"
  SystemdCgroup = false
`;
}

/** One veth pair a pod, addresses of both families from the node's ranges, no translation. */
export function cniConfig(plan: NodePlan, folders: NodeFolders): object {
  return {
    cniVersion: '1.0.0',
    name: 'lab',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: `${folders.data}/cni`,
          ranges: plan.podRanges.map((subnet) => [{ subnet }]),
          routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
        },
      },
    ],
  };
}

export interface KubeletSettings {
  readonly folders: NodeFolders;
  readonly authority: string;
  readonly serving: KeyPair;
  /** The group below which the pods' groups are made. */
  readonly cgroup: string;
}

export function kubeletConfig({ folders, authority, serving, cgroup }: KubeletSettings): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authority },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: serving.certificate,
    tlsPrivateKeyFile: serving.key,
    containerRuntimeEndpoint: `unix://${containerdSocket(folders)}`,
    podLogsDir: `${folders.data}/pod-logs`,
    volumePluginDir: `${folders.data}/volume-plugins`,
    resolvConf: `${folders.state}/resolv.conf`,
    clusterDomain: 'cluster.local',
    clusterDNS: [DNS_ADDRESS],
    // Several kubelets on one kernel: nobody owns the machine's resources.
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    cgroupsPerQOS: true,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    oomScoreAdj: 0,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    // A full disk or a busy machine is not what is tested here.
    evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    nodeStatusUpdateFrequency: '2s',
    nodeLeaseDurationSeconds: 20,
    shutdownGracePeriod: '0s',
  };
}

/** The machine's own conntrack limits are not touched. */
export function kubeProxyConfig(plan: NodePlan, kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    hostnameOverride: plan.name,
    clientConnection: { kubeconfig },
    clusterCIDR: POD_RANGES.join(','),
    healthzBindAddress: `0.0.0.0:${KUBE_PROXY_HEALTH_PORT}`,
    metricsBindAddress: '127.0.0.1:10249',
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

/** Pod traffic that leaves the cluster gets the node's address, as most clusters do it. */
export function masqueradeRules(plan: NodePlan, device: string): string {
  const rule = (family: 'ip' | 'ip6', index: 0 | 1): string =>
    `    ${family} saddr ${plan.podRanges[index]} ${family} daddr != ${POD_RANGES[index]} ` +
    `oifname "${device}" masquerade`;
  return [
    `table inet ${MASQUERADE_TABLE} {`,
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    rule('ip', 0),
    rule('ip6', 1),
    '  }',
    '}',
    '',
  ].join('\n');
}

export const MASQUERADE_TABLE = 'lab_pod_traffic';
