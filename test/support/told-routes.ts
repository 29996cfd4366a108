// What a router has been told by one speaker, and with which rank: paths of both families as sorted lines.

import { notYet, waitFor, type Router } from '@herald/lab';

export interface ToldRoute {
  /** Prefix and next hop. */
  readonly path: string;
  readonly med: number | undefined;
}

export async function toldRoutes(router: Router, speaker: string): Promise<ToldRoute[]> {
  const paths = [...(await router.table(4)), ...(await router.table(6))];
  return paths
    .filter(({ peer }) => peer === speaker)
    .map(({ prefix, nextHop, med }) => ({ path: `${prefix} ${nextHop}`, med }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export async function hasTold(
  router: Router,
  speaker: string,
  count: number,
  patienceMs: number,
): Promise<void> {
  await waitFor(
    `${router.name} has its table`,
    async () => {
      const found = await toldRoutes(router, speaker);
      return found.length === count || notYet(found.length);
    },
    patienceMs,
  );
}
