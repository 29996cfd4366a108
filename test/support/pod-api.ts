// An API server for the controller of a pod in the lab, which can be taken away and given back: the one of the fault
// tests, in this process, behind a listening socket of the pod's own loopback. Objects in; a kubeconfig out.

import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { connect, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

import type { Pod } from '@herald/lab';

import { FakeApiServer } from '../../packages/kube/test/faults/api-server.ts';
import type { Manifest } from './manifests.ts';

const LISTENER = fileURLToPath(new URL('./pod-api-listener.ts', import.meta.url));
const PORT = 6443;

const PATHS: Readonly<Record<string, string>> = {
  Node: '/api/v1/nodes',
  Service: '/api/v1/services',
  EndpointSlice: '/apis/discovery.k8s.io/v1/endpointslices',
  BGPPeer: '/apis/heraldbgp.io/v1alpha1/bgppeers',
  IPAddressPool: '/apis/heraldbgp.io/v1alpha1/ipaddresspools',
  BGPAdvertisement: '/apis/heraldbgp.io/v1alpha1/bgpadvertisements',
};

export class PodApi {
  readonly #pod: Pod;
  readonly #server: FakeApiServer;
  readonly #connections = new Set<Socket>();
  #listener: Server | undefined;

  private constructor(pod: Pod, server: FakeApiServer) {
    this.#pod = pod;
    this.#server = server;
  }

  static async open(pod: Pod): Promise<PodApi> {
    const api = new PodApi(pod, await FakeApiServer.start());
    pod.writeShared('kubeconfig', KUBECONFIG);
    await api.giveBack();
    return api;
  }

  put(...objects: readonly Manifest[]): void {
    for (const object of objects) {
      const path = PATHS[object.kind];
      if (path === undefined) {
        throw new RangeError(`no path for ${object.kind}`);
      }
      const { name } = object.metadata;
      const metadata = { uid: `uid-${name}`, creationTimestamp: '2026-05-01T12:00:00Z', ...object.metadata };
      this.#server.put(path, { ...object, metadata });
    }
  }

  /** Whoever is connected hears nothing more, and nobody listens. */
  takeAway(): void {
    this.#listener?.close();
    this.#listener = undefined;
    this.#connections.forEach((socket) => socket.resetAndDestroy());
  }

  /** The socket is made in the pod's namespace by a process that ends when it has handed it over. */
  async giveBack(): Promise<void> {
    const [file = '', ...args] = this.#pod.namespace.enter([process.execPath, LISTENER, String(PORT)]);
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [, handle] = (await once(child, 'message')) as [unknown, Server];
    handle.on('connection', (near) => this.#pass(near));
    this.#listener = handle;
    child.disconnect();
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    this.takeAway();
    await this.#server.stop();
  }

  #pass(near: Socket): void {
    const far = connect({ host: '127.0.0.1', port: this.#server.port, noDelay: true });
    this.#connections.add(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('close', () => {
      this.#connections.delete(near);
      far.destroy();
    });
    far.on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  }
}

const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'lab',
  clusters: [{ name: 'lab', cluster: { server: `http://127.0.0.1:${PORT}` } }],
  users: [{ name: 'lab', user: {} }],
  contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
});
