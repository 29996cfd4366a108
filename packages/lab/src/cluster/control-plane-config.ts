/**
 * The flags of etcd, API server, controller manager and scheduler.
 *
 * In: where files are. Out: argument vectors without the program's folder. One of each, without leader election; the
 * node is NotReady 16 s after its last heartbeat, so that tests do not wait for the usual 40 to 50 s.
 */
import type { CertificateAuthority } from './certificates.ts';
import { API_ADDRESSES, API_PORT, POD_RANGES, SERVICE_RANGES } from './cluster-plan.ts';

export interface ControlPlaneFiles {
  readonly authority: CertificateAuthority;
  readonly etcdData: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly controllerManagerKubeconfig: string;
  readonly schedulerKubeconfig: string;
}

export const API_SERVER_PAIR = 'apiserver';
export const KUBELET_CLIENT_PAIR = 'apiserver-kubelet-client';

const ETCD = 'http://127.0.0.1:2379';

/** The lab's etcd keeps nothing that outlives the machine: no fsync. */
export function etcdArgv(files: ControlPlaneFiles): string[] {
  return [
    'server',
    '--name=lab',
    `--data-dir=${files.etcdData}`,
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--initial-advertise-peer-urls=http://127.0.0.1:2380',
    '--initial-cluster=lab=http://127.0.0.1:2380',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export function apiServerArgv(files: ControlPlaneFiles): string[] {
  const { authority } = files;
  const serving = authority.pair(API_SERVER_PAIR);
  const kubelet = authority.pair(KUBELET_CLIENT_PAIR);
  return [
    'kube-apiserver',
    `--etcd-servers=${ETCD}`,
    `--advertise-address=${API_ADDRESSES.ipv4}`,
    '--bind-address=::',
    `--secure-port=${API_PORT}`,
    `--tls-cert-file=${serving.certificate}`,
    `--tls-private-key-file=${serving.key}`,
    `--client-ca-file=${authority.certificate}`,
    `--kubelet-certificate-authority=${authority.certificate}`,
    `--kubelet-client-certificate=${kubelet.certificate}`,
    `--kubelet-client-key=${kubelet.key}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-account-key-file=${authority.serviceAccounts.certificate}`,
    `--service-account-signing-key-file=${authority.serviceAccounts.key}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-cluster-ip-range=${SERVICE_RANGES.join(',')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.auditLog}`,
    '--audit-log-mode=blocking',
  ];
}

export function controllerManagerArgv(files: ControlPlaneFiles): string[] {
  const ca = files.authority.pair('ca');
  return [
    'kube-controller-manager',
    `--kubeconfig=${files.controllerManagerKubeconfig}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${files.authority.serviceAccounts.key}`,
    `--root-ca-file=${ca.certificate}`,
    `--cluster-signing-cert-file=${ca.certificate}`,
    `--cluster-signing-key-file=${ca.key}`,
    `--cluster-cidr=${POD_RANGES.join(',')}`,
    '--allocate-node-cidrs=false',
    '--node-monitor-period=2s',
    '--node-monitor-grace-period=16s',
  ];
}

export function schedulerArgv(files: ControlPlaneFiles): string[] {
  return [
    'kube-scheduler',
    `--kubeconfig=${files.schedulerKubeconfig}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
  ];
}

/** Who asked for what, without bodies; one line a request, written when the answer is complete. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};
