// Folders of manifests to plan for, in a temporary directory: a small site with two routers, and ways to
// write what is different about it.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { plan, type PlanOptions } from '../../src/plan/plan-command.ts';
import type { PlanDocument } from '../../src/plan/plan-document.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Fields & { readonly name: string };
  readonly [field: string]: unknown;
}

const HERALD = 'heraldbgp.io/v1alpha1';

export function node(name: string, address: string, labels: Fields = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      addresses: [{ type: 'InternalIP', address }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

export function service(name: string, spec: Fields = {}, metadata: Fields = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop', ...metadata },
    spec: {
      type: 'LoadBalancer',
      selector: { app: name },
      ipFamilies: ['IPv4'],
      ports: [{ port: 80, protocol: 'TCP' }],
      ...spec,
    },
  };
}

export function endpoints(serviceName: string, ...nodes: readonly string[]): Manifest {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${serviceName}-1`,
      namespace: 'shop',
      labels: { 'kubernetes.io/service-name': serviceName },
    },
    addressType: 'IPv4',
    endpoints: nodes.map((nodeName, i) => ({
      addresses: [`10.200.0.${i + 1}`],
      nodeName,
      conditions: { ready: true },
    })),
  };
}

export function peer(name: string, spec: Fields): Manifest {
  return { apiVersion: HERALD, kind: 'BGPPeer', metadata: { name }, spec };
}

export function pool(name: string, ...addresses: readonly string[]): Manifest {
  return { apiVersion: HERALD, kind: 'IPAddressPool', metadata: { name }, spec: { addresses } };
}

export function advertisement(name: string, spec: Fields = {}): Manifest {
  return { apiVersion: HERALD, kind: 'BGPAdvertisement', metadata: { name }, spec };
}

export function secret(name: string, stringData: Fields, type = 'Opaque'): Manifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'herald' }, type, stringData };
}

export const SECRET = 'hunter2-never-to-be-seen';

export const NODES = [node('worker-1', '10.0.0.11'), node('worker-2', '10.0.0.12')];
export const TOR_1: Fields = {
  peerAddress: '192.0.2.1',
  peerASN: 64601,
  passwordSecret: { name: 'bgp', key: 'tor-1' },
};
export const TOR_2: Fields = { peerAddress: '192.0.2.2', peerASN: 64601, holdTime: '90s' };
const PEERS = [peer('tor-1', TOR_1), peer('tor-2', TOR_2)];
export const BGP_SECRET = secret('bgp', { 'tor-1': SECRET });
const PUBLIC = pool('public', '203.0.113.0/28');
const EVERYTHING = advertisement('default', { communities: ['65000:100'] });
export const WEB = [service('web'), endpoints('web', 'worker-1', 'worker-2')];
export const MAIL = [service('mail', { externalTrafficPolicy: 'Local' }), endpoints('mail', 'worker-2')];

/** One Service on both workers, one on the second, one without endpoints, and one that is no concern of ours. */
export const SITE: readonly Manifest[] = [
  ...NODES,
  ...PEERS,
  BGP_SECRET,
  PUBLIC,
  EVERYTHING,
  ...WEB,
  ...MAIL,
  service('idle'),
  service('inner', { type: 'ClusterIP' }),
];

/** The site without the objects of these kinds and names ("Service web"), and with the others. */
export function siteWith(replaced: readonly Manifest[], without: readonly string[] = []): Manifest[] {
  const names = new Set([...replaced.map(nameOf), ...without]);
  return [...SITE.filter((manifest) => !names.has(nameOf(manifest))), ...replaced];
}

function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

export interface Scene extends AsyncDisposable {
  path(name: string): string;
  /** Writes a folder of one file and gives its path. */
  folder(name: string, manifests: readonly Manifest[], text?: string): Promise<string>;
}

export async function scene(): Promise<Scene> {
  const base = await mkdtemp(join(tmpdir(), 'herald-plan-'));
  const path = (name: string): string => join(base, name);
  return {
    path,
    folder: async (name, manifests, text = '') => {
      await mkdir(path(name));
      const documents = manifests.map((manifest) => stringify(manifest));
      await writeFile(join(path(name), 'all.yaml'), [...documents, text].join('---\n'));
      return path(name);
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true }),
  };
}

export interface Planned {
  readonly code: number;
  readonly output: string;
}

export async function planned(manifests: string, options: Partial<PlanOptions> = {}): Promise<Planned> {
  let output = '';
  const code = await plan(manifests, { output: 'text', ...options }, (text) => (output += text));
  return { code, output };
}

/** The plan of the manifests, against others if there are any, as machines get it. */
export async function planOf(
  manifests: readonly Manifest[],
  against?: readonly Manifest[],
): Promise<PlanDocument & { readonly code: number }> {
  await using place = await scene();
  const before = against === undefined ? {} : { against: await place.folder('before', against) };
  const { code, output } = await planned(await place.folder('after', manifests), {
    output: 'json',
    ...before,
  });
  return { code, ...(JSON.parse(output) as PlanDocument) };
}
