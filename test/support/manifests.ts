// A folder of manifests as an operator would keep it, one YAML file for each thing that changes together, and
// short ways to write the objects. Files are replaced atomically; a test that wants a torn file writes it itself.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const HERALD = 'heraldbgp.io/v1alpha1';

export class ManifestFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true, mode: 0o755 });
  }

  write(file: string, ...objects: readonly Manifest[]): void {
    this.writeText(file, objects.map((object) => stringify(object)).join('---\n'));
  }

  /** One JSON list, which is read far faster than as many YAML documents. */
  writeMany(file: string, objects: readonly Manifest[]): void {
    this.writeText(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  }

  writeText(file: string, text: string): void {
    const target = join(this.path, `${file}.yaml`);
    writeFileSync(`${target}.new`, text, { mode: 0o644 });
    renameSync(`${target}.new`, target);
  }

  remove(file: string): void {
    rmSync(join(this.path, `${file}.yaml`));
  }
}

export interface NodeFields {
  readonly ipv4?: string;
  readonly ipv6?: string;
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Fields;
  readonly conditions?: readonly Fields[];
}

export function node(name: string, fields: NodeFields): Manifest {
  const addresses = [fields.ipv4, fields.ipv6].filter((address) => address !== undefined);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: fields.labels ?? {} },
    spec: fields.spec ?? {},
    status: {
      addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
      conditions: [{ type: 'Ready', status: fields.ready ?? 'True' }, ...(fields.conditions ?? [])],
    },
  };
}

export interface ServiceFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Fields;
  /** status.loadBalancer.ingress; without it Herald gives addresses from its pools. */
  readonly addresses?: readonly string[];
}

export function service(name: string, fields: ServiceFields = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: 'default',
      labels: fields.labels ?? {},
      annotations: fields.annotations ?? {},
    },
    spec: {
      type: 'LoadBalancer',
      selector: { app: name },
      ipFamilies: ['IPv4'],
      ports: [{ port: 80, protocol: 'TCP' }],
      ...fields.spec,
    },
    ...(fields.addresses && {
      status: { loadBalancer: { ingress: fields.addresses.map((ip) => ({ ip })) } },
    }),
  };
}

/** spec of a Service with an address of each family. */
export const DUAL_STACK: Fields = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };

export interface EndpointFields {
  readonly node?: string;
  readonly conditions?: Fields;
  /** Default: by family and place in the slice, so that equal lists are the same pods. */
  readonly address?: string;
}

/** One slice of the family; an endpoint is a node name or its fields. */
export function slice(
  serviceName: string,
  endpoints: readonly (string | EndpointFields)[],
  family: 'IPv4' | 'IPv6' | 'FQDN' = 'IPv4',
): Manifest {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${serviceName}-${family.toLowerCase()}`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': serviceName },
    },
    addressType: family,
    endpoints: endpoints.map((endpoint, index) => {
      const fields = typeof endpoint === 'string' ? { node: endpoint } : endpoint;
      return {
        addresses: [fields.address ?? podAddress(family, index)],
        ...(fields.node === undefined ? {} : { nodeName: fields.node }),
        conditions: fields.conditions ?? { ready: true },
      };
    }),
    ports: [{ port: 80, protocol: 'TCP' }],
  };
}

/** The same endpoints in both families. */
export function slices(serviceName: string, endpoints: readonly (string | EndpointFields)[]): Manifest[] {
  return [slice(serviceName, endpoints, 'IPv4'), slice(serviceName, endpoints, 'IPv6')];
}

function podAddress(family: 'IPv4' | 'IPv6' | 'FQDN', index: number): string {
  const addresses = {
    IPv4: `10.200.0.${index + 1}`,
    IPv6: `fd00:200::${index + 1}`,
    FQDN: `pod-${index}.example`,
  };
  return addresses[family];
}

export function peer(name: string, spec: Fields, labels: Readonly<Record<string, string>> = {}): Manifest {
  return { apiVersion: HERALD, kind: 'BGPPeer', metadata: { name, labels }, spec };
}

export function pool(name: string, addresses: readonly string[], spec: Fields = {}): Manifest {
  return { apiVersion: HERALD, kind: 'IPAddressPool', metadata: { name }, spec: { addresses, ...spec } };
}

export function advertisement(name: string, spec: Fields = {}): Manifest {
  return { apiVersion: HERALD, kind: 'BGPAdvertisement', metadata: { name }, spec };
}

export function secret(name: string, data: Readonly<Record<string, string>>, fields: Fields = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    type: 'Opaque',
    stringData: data,
    ...fields,
  };
}
