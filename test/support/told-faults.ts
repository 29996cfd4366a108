// What all replicas say is wrong, waited for: until each of some sentences was said, and until there are none left.

import { notYet, waitFor, type Cluster } from '@herald/lab';

import { faultMessages } from './replica-status.ts';

/** Each of these is said by some replica at some time. */
export async function faultsAreSaid(
  cluster: Cluster,
  sentences: readonly RegExp[],
  timeoutMs: number,
): Promise<void> {
  const missing = new Set(sentences);
  await waitFor(
    `it is said: ${sentences.map(String).join()}`,
    async () => {
      const all = await faultMessages(cluster);
      const said = [...missing].filter((sentence) => all.some((message) => sentence.test(message)));
      said.forEach((sentence) => missing.delete(sentence));
      return missing.size === 0 || notYet({ missing: [...missing], all });
    },
    timeoutMs,
  );
}

export async function nothingIsSaid(cluster: Cluster, timeoutMs: number): Promise<void> {
  await waitFor(
    'there is nothing to say any more',
    async () => {
      const all = await faultMessages(cluster);
      return all.length === 0 || notYet(all);
    },
    timeoutMs,
  );
}
