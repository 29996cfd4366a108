// Herald in the real cluster, as its chart installs it: the image that the repository makes, in every node, and a
// release in a namespace where Pod Security is `restricted`. Installing is idempotent, so that every test file
// may ask for it.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { REPOSITORY, ROUTER_ASN, notYet, waitFor, type Cluster } from '@herald/lab';

import { builtArchive, ensureImage, IMAGE_REPOSITORY } from './image-build.ts';

export const NAMESPACE = 'herald-system';
export const RELEASE = 'herald';
/** Herald's, as the API server calls its user. */
export const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${RELEASE}`;
export const HERALD_ASN = 64_512;

const CHART = join(REPOSITORY, 'deploy/charts/herald');
const READY_TIMEOUT = '120s';
const IMPORTED = 'herald-image';

export type Values = Readonly<Record<string, unknown>>;
type Say = (line: string) => void;

export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Values as the chart wants them, for the image that this repository makes. */
export function valuesFor(tag: string, values: Values = {}): Values {
  return {
    image: { repository: IMAGE_REPOSITORY, tag, pullPolicy: 'Never' },
    settings: { asn: HERALD_ASN },
    ...values,
  };
}

/**
 * Brings the image into every node; its tag. HERALD_IMAGE_TAG names one that was built before, for who works on
 * tests while the sources change.
 */
export async function importHerald(cluster: Cluster, say: Say = () => undefined): Promise<string> {
  const { tag, archive } = await imageOf(process.env['HERALD_IMAGE_TAG'], say);
  const mark = join(cluster.facts.directory, `${IMPORTED}-${tag}`);
  if (!existsSync(mark)) {
    say(`importing ${tag} into ${cluster.nodes.length} nodes`);
    await cluster.importImage(archive);
    writeFileSync(mark, '');
  }
  return tag;
}

async function imageOf(built: string | undefined, say: Say): Promise<{ tag: string; archive: string }> {
  if (built !== undefined) {
    return { tag: built, archive: builtArchive(built) };
  }
  const { name, archive } = await ensureImage(say);
  return { tag: name.slice(name.lastIndexOf(':') + 1), archive };
}

export async function ensureHerald(
  cluster: Cluster,
  values: Values = {},
  say: Say = () => undefined,
): Promise<void> {
  const tag = await importHerald(cluster, say);
  await restrictedNamespace(cluster);
  say('helm upgrade --install');
  const release = ['upgrade', '--install', RELEASE, CHART, '--namespace', NAMESPACE];
  const flags = ['--values', '-', '--wait', '--timeout', READY_TIMEOUT];
  await cluster.helm([...release, ...flags], JSON.stringify(valuesFor(tag, values)));
}

/** Herald, the site's objects, and every session of both routers. */
export async function ensureAll(cluster: Cluster, values: Values = {}, say?: Say): Promise<void> {
  await ensureHerald(cluster, values, say);
  await ensureSite(cluster, ROUTER_ASN);
  await sessionsUp(cluster);
}

export async function restrictedNamespace(cluster: Cluster, name = NAMESPACE): Promise<void> {
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
}

/** `kubectl apply` of objects; they may be of any kind. */
export async function apply(cluster: Cluster, ...objects: readonly object[]): Promise<void> {
  const all = { apiVersion: 'v1', kind: 'List', items: objects };
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(all));
}

export async function get<T extends object = KubernetesObject>(
  cluster: Cluster,
  ...words: readonly string[]
): Promise<T> {
  return JSON.parse(await cluster.kubectl(['get', ...words, '-o', 'json'])) as T;
}

export async function list<T extends object = KubernetesObject>(
  cluster: Cluster,
  ...words: readonly string[]
): Promise<readonly T[]> {
  return (await get<{ items: readonly T[] }>(cluster, ...words)).items;
}

/** The peers of the cluster's routers, one pool, and all of it announced to everybody. */
export async function ensureSite(cluster: Cluster, routerAsn: number, pools: Values = {}): Promise<void> {
  const peers = cluster.facts.routers.map(({ name }) => ({
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'BGPPeer',
    metadata: { name },
    spec: {
      peerAddress: cluster.router(name).ipv4,
      peerASN: routerAsn,
      addressFamilies: ['IPv4', 'IPv6'],
      connectTime: '1s',
    },
  }));
  const pool = {
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'IPAddressPool',
    metadata: { name: 'public' },
    spec: { addresses: ['203.0.113.0/24', '2001:db8:113::/120'], ...pools },
  };
  const advertisement = {
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'BGPAdvertisement',
    metadata: { name: 'default' },
    spec: {},
  };
  await apply(cluster, ...peers, pool, advertisement);
}

interface PeerItem extends KubernetesObject {
  readonly status?: { readonly sessions?: string };
}

/** Every session of every replica is there. */
export async function sessionsUp(cluster: Cluster): Promise<void> {
  await waitFor(
    'every session is established',
    async () => {
      const peers = await list<PeerItem>(cluster, 'bgppeers');
      const sums = peers.map(({ metadata, status }) => `${metadata.name} ${status?.sessions}`);
      const isUp = peers.length > 0 && sums.every((sum) => / (\d+)\/\1$/.test(sum));
      return isUp || notYet(sums);
    },
    60_000,
  );
}

/** Without those that end. */
export async function heraldPods(cluster: Cluster): Promise<readonly KubernetesObject[]> {
  const pods = await list(cluster, 'pods', '-n', NAMESPACE, '-l', `app.kubernetes.io/name=${RELEASE}`);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

interface Lease {
  readonly spec: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** Name of the pod that leads; empty where none does: who could not renew the Lease in time holds it in vain. */
export async function leaseHolder(cluster: Cluster): Promise<string> {
  const { spec } = await get<Lease>(cluster, 'lease', RELEASE, '-n', NAMESPACE);
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = spec;
  return Date.now() - Date.parse(renewTime) < leaseDurationSeconds * 1000 ? holderIdentity : '';
}

/** Every pod is the newest one, and ready, within so many seconds. */
export async function rolledOut(cluster: Cluster, seconds: number): Promise<void> {
  const words = ['rollout', 'status', `deployment/${RELEASE}`, '-n', NAMESPACE, `--timeout=${seconds}s`];
  await cluster.kubectl(words);
}

/** As an upgrade does it. */
export async function rollingRestart(cluster: Cluster, seconds: number): Promise<void> {
  await cluster.kubectl(['rollout', 'restart', `deployment/${RELEASE}`, '-n', NAMESPACE]);
  await rolledOut(cluster, seconds);
}
