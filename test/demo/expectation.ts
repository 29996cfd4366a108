// What both routers must have: prefix -> next hops, exactly these and no other service route. Found is read
// from the BGP table and from the kernel of each router, in both families.

import { notYet, waitFor, type Router } from '@herald/lab';

/** Prefix -> addresses of next hops, sorted. */
export type Routes = Readonly<Record<string, readonly string[]>>;

export interface RouterRoutes {
  readonly bgp: Routes;
  readonly kernel: Routes;
}

/** Prefixes that the demo announces; everything else in a router is none of its business. */
const SERVICE_PREFIX = /^(203\.0\.113\.|2001:db8:53:)/;

const CONVERGED_MS = 15_000;

export async function routesOf(router: Router): Promise<RouterRoutes> {
  const [bgp4, bgp6, fib4, fib6] = await Promise.all([
    router.table(4),
    router.table(6),
    router.kernelFib(4),
    router.kernelFib(6),
  ]);
  const kernel = [...fib4, ...fib6].map(
    ([prefix, hops]) => [prefix, hops.map(({ address }) => address)] as const,
  );
  const paths = Map.groupBy([...bgp4, ...bgp6], ({ prefix }) => prefix);
  const bgp = Array.from(paths, ([prefix, found]) => [prefix, found.map(({ nextHop }) => nextHop)] as const);
  return { bgp: normal(bgp), kernel: normal(kernel) };
}

/** Resolves when table and kernel hold exactly this; rejects with what they hold when they never do. */
export async function exactly(router: Router, expected: Routes): Promise<RouterRoutes> {
  return await waitFor(
    `${router.name} has exactly the expected routes`,
    async () => {
      const found = await routesOf(router);
      const isExact = isSame(found.bgp, expected) && isSame(found.kernel, expected);
      return isExact ? found : notYet(JSON.stringify(found));
    },
    CONVERGED_MS,
  );
}

function isSame(found: Routes, expected: Routes): boolean {
  return JSON.stringify(found) === JSON.stringify(normal(Object.entries(expected)));
}

/** A next hop that is there twice stays twice: a stale path must not hide behind a fresh one. */
function normal(entries: readonly (readonly [string, readonly string[]])[]): Routes {
  const service = entries.filter(([prefix]) => SERVICE_PREFIX.test(prefix));
  const sorted = service.map(([prefix, hops]) => [prefix, [...hops].sort()] as const);
  return Object.fromEntries(sorted.sort(([a], [b]) => (a < b ? -1 : 1)));
}
