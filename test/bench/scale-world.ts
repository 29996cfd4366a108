// The large cluster as objects of the API: 5,000 Nodes, 10,000 Services and an EndpointSlice with 10 endpoints for
// each. Everything is derived from indices, so that every run has the same world.
//
// BENCH_SCALE makes it smaller for trying: a share of these numbers.

import { PATHS } from '../support/api-stage.ts';
import { service, slice, type Manifest } from '../support/manifests.ts';
import { LARGE, type Size } from './large-world.ts';

const SHARE = Number(process.env['BENCH_SCALE'] ?? 1);

export const SIZE: Size = {
  services: Math.round(LARGE.services * SHARE),
  nodes: Math.round(LARGE.nodes * SHARE),
  endpointsPerService: LARGE.endpointsPerService,
};

export function serviceName(index: number): string {
  return `service-${index}`;
}

export function slicePath(index: number): string {
  return `${PATHS.slices}/${sliceObject(index).metadata.name}`;
}

/** Without the node ports, of which there are fewer than Services. */
export function serviceObject(index: number): Manifest {
  const spec = { selector: undefined, allocateLoadBalancerNodePorts: false };
  return service(serviceName(index), { spec });
}

/** `shift` moves the first endpoint to another node, each time another one. */
export function sliceObject(index: number, shift = 0): Manifest {
  const endpoints = Array.from({ length: SIZE.endpointsPerService }, (_, k) => ({
    node: nodeName(index * 7 + k * Math.floor(SIZE.nodes / SIZE.endpointsPerService) + (k === 0 ? shift : 0)),
    address: `10.${100 + k}.${index >> 8}.${index & 255}`,
  }));
  return slice(serviceName(index), endpoints);
}

/** How often the first endpoint can move before it meets the next one. */
export const SHIFTS = Math.floor(SIZE.nodes / SIZE.endpointsPerService) - 1;

/** As its kubelet would have it, large lists that nobody reads included. */
export function nodeObject(index: number): object {
  const name = nodeName(index);
  const [high, low] = [Math.floor(index / 250), (index % 250) + 1];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${index % 3}` },
    },
    spec: { podCIDR: `172.${16 + (index >> 8)}.${index & 255}.0/24` },
    status: {
      addresses: [
        { type: 'InternalIP', address: `10.1.${high}.${low}` },
        { type: 'InternalIP', address: `fd00:1::${high.toString(16)}:${low.toString(16)}` },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        condition('Ready', 'True'),
        condition('MemoryPressure', 'False'),
        condition('DiskPressure', 'False'),
        condition('PIDPressure', 'False'),
      ],
      images: Array.from({ length: 20 }, (_, image) => ({
        names: [`registry.example/application-${image}@sha256:${String(image).padStart(64, '0')}`],
        sizeBytes: 100_000_000,
      })),
    },
  };
}

function condition(type: string, status: string): object {
  return {
    type,
    status,
    reason: 'Kubelet',
    message: 'as the kubelet says it',
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
}

function nodeName(index: number): string {
  return `node-${index % SIZE.nodes}`;
}
