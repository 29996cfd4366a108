// Servers that wait for bgpd: one per local address and port however many feeds listen there, each feed with
// the one remote address that it takes connections from. Anybody else is closed at once and reported.
//
// A server that cannot listen is reported and tries again; it ends when its last feed lets go.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

const RETRY_MS = 1000;

export interface Claim {
  readonly localAddress: string;
  readonly port: number;
  readonly remoteAddress: string;
  readonly onConnection: (socket: Socket) => void;
  readonly onListenFailed: (text: string) => void;
  /** Somebody else connected. */
  readonly onStranger: (address: string) => void;
}

interface Listener {
  readonly server: Server;
  readonly claims: Set<Claim>;
  retry: NodeJS.Timeout | undefined;
  /** The last attempt to listen has succeeded or failed. */
  settled: Promise<unknown>;
}

export class Listeners {
  readonly #listeners = new Map<string, Listener>();

  claim(claim: Claim): void {
    const key = keyOf(claim);
    const existing = this.#listeners.get(key);
    if (existing !== undefined) {
      existing.claims.add(claim);
      return;
    }
    const listener: Listener = {
      server: createServer(),
      claims: new Set([claim]),
      retry: undefined,
      settled: Promise.resolve(),
    };
    this.#listeners.set(key, listener);
    run(listener, claim);
  }

  /** Connections that were handed over stay open. Resolves when nothing listens there for this claim. */
  async release(claim: Claim): Promise<void> {
    const key = keyOf(claim);
    const listener = this.#listeners.get(key);
    if (listener?.claims.delete(claim) !== true || listener.claims.size > 0) {
      return;
    }
    await listener.settled; // a server that is about to listen cannot be closed
    if (listener.claims.size > 0 || this.#listeners.get(key) !== listener) {
      return;
    }
    this.#listeners.delete(key);
    clearTimeout(listener.retry);
    if (listener.server.listening) {
      await stopped(listener.server);
    }
  }
}

function keyOf({ localAddress, port }: Claim): string {
  return `${localAddress} ${port}`;
}

function run(listener: Listener, claim: Claim): void {
  const { server, claims } = listener;
  server.on('connection', (socket) => {
    handOver(claims, socket);
  });
  server.on('error', (error) => {
    claims.forEach((each) => {
      each.onListenFailed(error.message);
    });
    if (!server.listening) {
      tryAgain(listener, claim);
    } // else one connection could not be accepted, and to listen twice would throw
  });
  attempt(listener, claim);
}

function tryAgain(listener: Listener, claim: Claim): void {
  clearTimeout(listener.retry);
  listener.retry = setTimeout(() => {
    attempt(listener, claim);
  }, RETRY_MS);
}

function attempt(listener: Listener, { localAddress: host, port }: Claim): void {
  listener.settled = once(listener.server, 'listening').catch(() => undefined);
  listener.server.listen({ host, port });
}

function handOver(claims: ReadonlySet<Claim>, socket: Socket): void {
  const remote = socket.remoteAddress ?? 'unknown';
  const claim = [...claims].find(({ remoteAddress }) => remoteAddress === remote);
  if (claim !== undefined) {
    claim.onConnection(socket);
    return;
  }
  socket.on('error', () => undefined); // it is gone either way
  socket.destroy();
  claims.forEach((each) => {
    each.onStranger(remote);
  });
}

/** Stops accepting; `close` itself would wait for every connection that was handed over. */
async function stopped(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close();
  setImmediate(resolve);
  await promise;
}
