// What a router has from one speaker: every path in its BGP table and every route that it put into its kernel,
// both families. Router in, prefix -> next hops out; a next hop that is there twice is told twice, so that a
// stale path cannot hide behind a fresh one.
//
// Waits until table and kernel hold exactly what is expected and nothing else.

import { notYet, waitFor, type FibEvent, type Router } from '@herald/lab';

/** Prefix -> addresses of next hops. */
export type Routes = Readonly<Record<string, readonly string[]>>;

const CONVERGED_MS = 20_000;

async function tableOf(speaker: string, router: Router): Promise<Routes> {
  const [paths4, paths6] = await Promise.all([router.table(4), router.table(6)]);
  const paths = [...paths4, ...paths6].filter(({ peer }) => peer === speaker);
  const byPrefix = Map.groupBy(paths, ({ prefix }) => prefix);
  return sorted(Array.from(byPrefix, ([prefix, found]) => [prefix, found.map(({ nextHop }) => nextHop)]));
}

async function kernelOf(router: Router): Promise<Routes> {
  const [fib4, fib6] = await Promise.all([router.kernelFib(4), router.kernelFib(6)]);
  return sorted([...fib4, ...fib6].map(([prefix, hops]) => [prefix, hops.map(({ address }) => address)]));
}

export async function exactly(speaker: string, router: Router, expected: Routes): Promise<void> {
  const wanted = JSON.stringify(sorted(Object.entries(expected)));
  const isWanted = (routes: Routes): boolean => JSON.stringify(routes) === wanted;
  await accepted(speaker, router, isWanted, `exactly ${wanted}`);
}

/** Waits until table and kernel hold the same and it is accepted. */
export async function accepted(
  speaker: string,
  router: Router,
  isAccepted: (routes: Routes) => boolean,
  what = 'acceptable routes',
): Promise<Routes> {
  return await waitFor(
    `${router.name} has ${what}`,
    async () => {
      const bgp = await tableOf(speaker, router);
      if (!isAccepted(bgp)) {
        return notYet(JSON.stringify({ bgp }));
      }
      const kernel = await kernelOf(router);
      return JSON.stringify(bgp) === JSON.stringify(kernel) ? bgp : notYet(JSON.stringify({ bgp, kernel }));
    },
    CONVERGED_MS,
  );
}

function sorted(entries: readonly (readonly [string, readonly string[]])[]): Routes {
  const normal = entries.map(([prefix, hops]) => [prefix, [...hops].sort()] as const);
  return Object.fromEntries(normal.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a router's kernel has heard, in a line. */
export function eventText(router: string, { kind, timeMs, route }: FibEvent): string {
  const hops = route.nextHops.map(({ address }) => address).join(' ');
  return `${new Date(timeMs).toISOString()} ${router}: ${route.prefix} ${kind} ${hops}`;
}
