// etcd and API server of a real Kubernetes on the lab's segment, with nothing else that would touch what is in them:
// the controller manager would evict nodes without a kubelet. What the chart makes of rights and CRDs is there,
// and a kubeconfig with the ServiceAccount's token, so that the log of the API server tells whose a request was.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  API_ADDRESSES,
  API_PORT,
  Lab,
  Topology,
  cacheDirectory,
  ensureGoBinaries,
  run,
  type RouterKind,
} from '@herald/lab';

import { CertificateAuthority } from '../../packages/lab/src/cluster/certificates.ts';
import { requestsOf } from '../../packages/lab/src/cluster/audit-log.ts';
import type { AuditedRequest } from '../../packages/lab/src/cluster/audit-log.ts';
import { ControlPlane } from '../../packages/lab/src/cluster/control-plane.ts';
import { writeKubeconfig } from '../../packages/lab/src/cluster/kubeconfig.ts';
import { NAMESPACE } from './cluster-herald.ts';
import { render } from './helm.ts';
import { advertisement, peer, pool, type Manifest } from './manifests.ts';
import { ClusterApi } from './cluster-api.ts';

export const ROUTER_ASN = 64_601;
export const PATHS = {
  nodes: '/api/v1/nodes',
  services: '/api/v1/namespaces/default/services',
  slices: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
} as const;
const POOL = '198.18.0.0/16';
const ACCOUNT = 'herald';
const USER = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;
const TOKEN_SECONDS = 24 * 3600;
/** What the chart makes for the API server, and not for nodes. */
const WANTED = new Set([
  'CustomResourceDefinition',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);

export interface ApiStageOptions {
  readonly name: string;
  readonly router: RouterKind;
  /** As many pods. */
  readonly controlPlanes: number;
  /** That answer requests. */
  readonly workers: number;
  /** Of the peer, over the defaults. */
  readonly peer: Readonly<Record<string, unknown>>;
}

const ONE_REPLICA: ApiStageOptions = {
  name: 'api-stage',
  router: 'frr',
  controlPlanes: 1,
  workers: 0,
  peer: {},
};

export class ApiStage {
  readonly lab: Lab;
  readonly topology: Topology<'r1'>;
  readonly api: ClusterApi;
  readonly controlPlane: ControlPlane;
  /** Of the ServiceAccount, as the pod reaches the API server. */
  readonly accountKubeconfig: string;

  private constructor(parts: Omit<ApiStage, 'requests' | 'close'>) {
    this.lab = parts.lab;
    this.topology = parts.topology;
    this.api = parts.api;
    this.accountKubeconfig = parts.accountKubeconfig;
    this.controlPlane = parts.controlPlane;
  }

  static async open(options: ApiStageOptions = ONE_REPLICA): Promise<ApiStage> {
    const programs = await ensureGoBinaries();
    const lab = await Lab.create(options.name);
    try {
      const { router, workers, controlPlanes } = options;
      const machines = { routers: { r1: router }, workers, controlPlanes } as const;
      // A switch with resilient hashing keeps flows where they are.
      const flows = workers > 0 ? 'pinned' : 'spread';
      const topology = await Topology.create(lab, { ...machines, flows });
      const controlPlane = await startControlPlane(lab, topology, programs.kubernetes);
      const { port, authority, user } = controlPlane.access;
      const kubeconfig = join(lab.directory, 'kubeconfig');
      writeKubeconfig(kubeconfig, { server: `https://127.0.0.1:${port}`, authority, user });
      const api = await ClusterApi.connect(kubeconfig);
      const neighbor = { peerAddress: topology.router('r1').ipv4, peerASN: ROUTER_ASN, connectTime: '1s' };
      const site = peer('r1', { ...neighbor, ...options.peer });
      await install(`${programs.kubernetes}/kubectl`, kubeconfig, api, site);
      const accountKubeconfig = await accountAccess(api, authority);
      return new ApiStage({ lab, topology, api, controlPlane, accountKubeconfig });
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  /** What Herald has asked for, by the API server's own log. */
  requests(sinceMs: number): Promise<AuditedRequest[]> {
    return requestsOf(this.controlPlane.auditLog, USER, sinceMs);
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.lab.close();
  }
}

async function startControlPlane(
  lab: Lab,
  topology: Topology<'r1'>,
  programs: string,
): Promise<ControlPlane> {
  const { namespace } = await topology.addGuest('api');
  const data = cacheDirectory('clusters', lab.id);
  lab.ledger.addDirectory(data);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const authority = await CertificateAuthority.create(join(data, 'pki'));
  const controlPlane = await ControlPlane.start({ lab, namespace, authority, programs, data });
  await Promise.all((['controller-manager', 'scheduler'] as const).map((name) => controlPlane.kill(name)));
  return controlPlane;
}

async function install(
  kubectl: string,
  kubeconfig: string,
  api: ClusterApi,
  router: Manifest,
): Promise<void> {
  await api.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  const rendering = render({ namespace: NAMESPACE });
  const rights = rendering.objects.filter(({ kind }) => WANTED.has(kind));
  const site = [router, pool('public', [POOL]), advertisement('default')];
  for (const items of [rights, site]) {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const apply = [kubectl, '--kubeconfig', kubeconfig, 'apply', '--server-side', '-n', NAMESPACE, '-f', '-'];
    await run(apply, { input: list, timeoutMs: 60_000 });
  }
}

async function accountAccess(api: ClusterApi, authority: string): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`;
  const { status } = await api.create<{ readonly status: { readonly token: string } }>(path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  });
  const server = `https://${API_ADDRESSES.ipv4}:${API_PORT}`;
  const data = readFileSync(authority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name: ACCOUNT, user: { token: status.token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: ACCOUNT } }],
    'current-context': 'lab',
  });
}
