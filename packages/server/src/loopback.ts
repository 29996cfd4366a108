// The listener without login is for this machine only: it refuses to listen anywhere but on a loopback
// address, and it answers only requests that name it by a loopback name or address. The second keeps a page in
// somebody's browser from reading it through a name of its own that resolves to 127.0.0.1 (DNS rebinding).

import { isLoopback, parseAddress } from '@herald/net';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

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
  if (!isLoopbackHost(hostName(host))) {
    throw new Problem(421, 'The Host header must be localhost or a loopback address.');
  }
}

function hostName(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}

function isLoopbackHost(name: string): boolean {
  const literal = /^\[.*\]$/.test(name) ? name.slice(1, -1) : name;
  const parsed = parseAddress(literal);
  // Brackets belong to IPv6 addresses only, and these are not written without them (RFC 3986 section 3.2.2).
  const isWritten = parsed.ok && (parsed.value.family === 6) === (literal !== name);
  return name === 'localhost' || (isWritten && isLoopback(parsed.value));
}
