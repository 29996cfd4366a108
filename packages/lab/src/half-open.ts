/**
 * Forgets the TCP connections that a namespace has seen begin and nobody answer.
 *
 * Linux keeps a connection's way from its first packet. One that came to a node before kube-proxy had programmed the
 * Service was not translated, and for two minutes neither is the next one from the same port of the same client: it
 * is lost long after everything is in place. So whoever has asked too early and goes on to count, asks for this first.
 */
import { CommandError } from './command.ts';
import type { Namespace } from './namespace.ts';

const FAMILIES = ['ipv4', 'ipv6'] as const;

/** Gives how many were forgotten. */
export async function forgetHalfOpen(namespace: Namespace): Promise<number> {
  let forgotten = 0;
  for (const family of FAMILIES) {
    const deletion = ['conntrack', '-D', '-f', family, '-p', 'tcp', '--state', 'SYN_SENT'];
    try {
      const listed = await namespace.run(deletion);
      forgotten += listed.split('\n').filter((line) => line !== '').length;
    } catch (error) {
      if (!isNothingFound(error)) {
        throw error;
      }
    }
  }
  return forgotten;
}

/** conntrack(8) fails when nothing matches. */
function isNothingFound(error: unknown): boolean {
  return error instanceof CommandError && error.stderr.includes(' 0 flow entries have been deleted');
}
