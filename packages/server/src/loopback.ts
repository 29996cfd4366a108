// The listener without login is for this machine only: it refuses to listen anywhere but on a loopback
// address, and it answers only requests that name it by a loopback name. The second keeps a page in
// somebody's browser from reading it through a name of its own that resolves to 127.0.0.1 (DNS rebinding).

import { isLoopback, parseAddress } from '@herald/net';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

const HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Throws RangeError with a sentence. */
export function requireLoopback({ address }: ListenAddress): void {
  const parsed = parseAddress(address);
  if (!parsed.ok) {
    throw new RangeError(`http.address "${address}" is not an address: ${parsed.problem}`);
  }
  if (!isLoopback(parsed.value)) {
    throw new RangeError(
      `http.address ${address} is not a loopback address; this listener asks for no login, so it must be in 127.0.0.0/8 or ::1`,
    );
  }
}

/** An onRequest hook. */
export async function requireLoopbackHost(request: FastifyRequest): Promise<void> {
  const host = request.headers.host ?? '';
  if (!HOSTS.has(hostName(host))) {
    throw new Problem(421, 'The Host header must be localhost, 127.0.0.1 or [::1].');
  }
}

function hostName(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}
