// A source that follows a misbehaving API server, with times so short that a test need not wait.

import { ClusterSource } from '../../src/cluster/cluster-source.ts';
import { ApiClient, type ClientLimits } from '../../src/transport/api-client.ts';
import type { Access } from '../../src/transport/access.ts';
import type { WatchTimes } from '../../src/watch/watch-times.ts';
import { FakeApiServer, type ApiObject } from './api-server.ts';

export const NODES = '/api/v1/nodes';
export const SERVICES = '/api/v1/services';
export const SLICES = '/apis/discovery.k8s.io/v1/endpointslices';
export const PEERS = '/apis/heraldbgp.io/v1alpha1/bgppeers';
export const POOLS = '/apis/heraldbgp.io/v1alpha1/ipaddresspools';
export const SECRETS = '/api/v1/namespaces/herald/secrets';

export const SHORT: WatchTimes = {
  pageSize: 3,
  requestMs: 10_000,
  watchSeconds: [1200, 2400],
  silentMs: 10_000,
  initialSilentMs: 10_000,
  backoffMs: 8,
  longestBackoffMs: 40,
  hopelessBackoffMs: 40,
  longestRetryAfterMs: 60_000,
  healthyMs: 10_000,
  suspectListMs: 30,
  maxObjectBytes: 64 * 1024,
};

export interface Rig extends AsyncDisposable {
  readonly server: FakeApiServer;
  readonly client: ApiClient;
  readonly source: ClusterSource;
  /** Waits for the condition, looking at it whenever the server or the source did something. */
  until(condition: () => boolean): Promise<void>;
  nodes(): readonly string[];
}

export interface RigOptions {
  readonly times?: Partial<WatchTimes>;
  readonly limits?: Partial<ClientLimits>;
  readonly prepare?: (server: FakeApiServer) => void;
}

export function accessTo(server: FakeApiServer, headers: Record<string, string> = {}): Access {
  return {
    server: server.url,
    headers: () => Promise.resolve(headers),
    tls: () => Promise.resolve({}),
    renew: () => undefined,
  };
}

/** Begins to follow; synced unless told to wait for nothing. */
export async function beginRig(options: RigOptions = {}): Promise<Rig> {
  const server = await FakeApiServer.start();
  options.prepare?.(server);
  const client = new ApiClient(accessTo(server), options.limits);
  const source = new ClusterSource({
    client,
    namespace: 'herald',
    settings: { suspectListMs: SHORT.suspectListMs },
    times: { ...SHORT, ...options.times },
    random: () => 0.5,
  });
  await source.start();
  return {
    server,
    client,
    source,
    until: (condition) => until(condition, server, source),
    nodes: () => [...source.snapshot().nodes.keys()].sort(),
    async [Symbol.asyncDispose]() {
      await source.close();
      await client.close();
      await server.stop();
    },
  };
}

export async function syncedRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await beginRig(options);
  await rig.until(() => rig.source.synced && rig.server.watches(NODES) === 1);
  return rig;
}

function until(condition: () => boolean, server: FakeApiServer, source: ClusterSource): Promise<void> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const look = (): void => {
      if (condition()) {
        stops.forEach((stop) => stop());
        resolve();
      }
    };
    stops.push(server.onActivity(look), source.onChange(look));
    look();
  });
}

export function node(name: string, labels: Record<string, string> = {}): ApiObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: `uid-${name}`, labels } };
}

export function nodes(count: number): readonly ApiObject[] {
  return Array.from({ length: count }, (_, i) => node(`n${i}`));
}

export function fill(server: FakeApiServer, path: string, objects: readonly ApiObject[]): void {
  objects.forEach((object) => server.put(path, object));
}

export function peer(name: string, spec: Record<string, unknown> = {}): ApiObject {
  return {
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'BGPPeer',
    metadata: { name, uid: `uid-${name}` },
    spec: { peerAddress: '192.0.2.1', peerASN: 64512, ...spec },
  };
}

export function service(name: string, spec: Record<string, unknown> = {}): ApiObject {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { type: 'LoadBalancer', ...spec },
  };
}

export function secret(name: string, value: string): ApiObject {
  const data = { password: Buffer.from(value).toString('base64') };
  return { metadata: { name, namespace: 'herald', uid: `uid-${name}` }, type: 'Opaque', data };
}
