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

/**
 * The list is read while the kernel goes on: it may pass over one, and one that ends meanwhile ends the deletion. So
 * there are as many goes as it takes to find none.
 */
const ATTEMPTS = 20;

/** Gives how many were forgotten. */
export async function forgetHalfOpen(namespace: Namespace): Promise<number> {
  let forgotten = 0;
  for (const family of FAMILIES) {
    forgotten += await forgetOf(namespace, family, ATTEMPTS);
  }
  return forgotten;
}

async function forgetOf(namespace: Namespace, family: string, attempts: number): Promise<number> {
  const deletion = ['conntrack', '-D', '-f', family, '-p', 'tcp', '--state', 'SYN_SENT'];
  try {
    const listed = await namespace.run(deletion);
    const forgotten = listed.split('\n').filter((line) => line !== '').length;
    return forgotten + (attempts > 0 ? await forgetOf(namespace, family, attempts - 1) : 0);
  } catch (error) {
    const said = error instanceof CommandError ? error.stderr : '';
    if (said.includes(' 0 flow entries have been deleted')) {
      return 0;
    }
    if (said.includes("such conntrack doesn't exist") && attempts > 0) {
      return await forgetOf(namespace, family, attempts - 1);
    }
    throw error;
  }
}
