// What the routers of a cluster have of some address ranges, and who answers behind it: each replica's paths in the
// BGP table, the routes in the kernel, requests from the client behind the router.
//
// Expectations are names of nodes, kept up by prefix: a test says what changes, and everything else in the ranges
// has to be as it was. All replicas have to tell the same, since a router keeps the best only.

import { BlockList } from 'node:net';

import {
  FibMonitor,
  notYet,
  waitFor,
  type Cluster,
  type FibEvent,
  type HostAddresses,
  type Router,
} from '@herald/lab';
import { expect } from 'vitest';

import { eventText, type Routes } from './exact-routes.ts';

/** Prefix -> names of the nodes that are its next hops; none: the prefix is not there. */
export type NodesByPrefix = Readonly<Record<string, readonly string[]>>;

interface Seen {
  /** Address of the replica -> what it announces. */
  readonly told: Readonly<Record<string, Routes>>;
  readonly kernel: Routes;
}

export interface ClusterRoutesOptions {
  /** Whose routes are looked at; others are somebody else's. */
  readonly ranges: readonly string[];
  /** That have a session with each router. Default: 2. */
  readonly replicas?: number;
}

const CONVERGED_MS = 30_000;
/** Enough for each of n pods to be missed less than once in eight million times. */
const REQUESTS_A_POD = 16;
/** What is shown is who answers, not how fast; who asked too early is not answered however long it waits. */
const RATE_PER_SECOND = 300;
const FIRST_DEADLINE_MS = 1_000;
const LAST_DEADLINE_MS = 10_000;

export class ClusterRoutes<Name extends string> {
  readonly cluster: Cluster<Name>;
  readonly routers: readonly Name[];
  replicas: number;
  readonly #ranges = new BlockList();
  readonly #expected: Record<string, NodesByPrefix> = {};
  readonly #readdressed = new Map<string, HostAddresses>();

  constructor(cluster: Cluster<Name>, { ranges, replicas = 2 }: ClusterRoutesOptions) {
    this.cluster = cluster;
    this.routers = cluster.facts.routers.map(({ name }) => name as Name);
    this.replicas = replicas;
    for (const range of ranges) {
      const [address = '', length] = range.split('/');
      this.#ranges.addSubnet(address, Number(length), kindOf(address));
    }
  }

  /** These change, in these routers; waits until all is as expected in each. */
  async become(changes: NodesByPrefix, routers: readonly Name[] = this.routers): Promise<void> {
    this.expect(changes, routers);
    await this.hold();
  }

  /** These are to change, in these routers. */
  expect(changes: NodesByPrefix, routers: readonly Name[] = this.routers): void {
    for (const name of routers) {
      const all = Object.entries({ ...this.#expected[name], ...changes });
      this.#expected[name] = Object.fromEntries(all.filter(([, nodes]) => nodes.length > 0));
    }
  }

  /** The node is next hop by these addresses from now on. */
  readdress(node: string, addresses: HostAddresses): void {
    this.#readdressed.set(node, addresses);
  }

  /** Every router has exactly what is expected. */
  async hold(): Promise<void> {
    await Promise.all(this.routers.map((name) => this.#exactly(name)));
  }

  /**
   * Requests to the addresses from behind the routers are answered, all of them, by all of these pods and by no other.
   * Not at once: the first next hops of a prefix wait for nobody, and a node's kube-proxy takes its time.
   */
  async answered(
    addresses: readonly string[],
    pods: readonly { readonly name: string }[],
    routers: readonly Name[] = this.routers,
  ): Promise<void> {
    const count = REQUESTS_A_POD * pods.length * addresses.length;
    const wanted = JSON.stringify({ lost: {}, by: pods.map((pod) => pod.name).sort() });
    for (const name of routers) {
      let deadlineMs = FIRST_DEADLINE_MS;
      await waitFor(
        `${addresses.join(', ')} behind ${name}: ${wanted}`,
        async () => {
          const request = { targets: addresses, count, ratePerSecond: RATE_PER_SECOND, deadlineMs };
          deadlineMs = Math.min(LAST_DEADLINE_MS, deadlineMs * 2);
          const totals = await this.cluster.client(name).send(request);
          const by = Object.keys(totals.answers).map((answer) => answer.trim());
          const found = JSON.stringify({ lost: totals.lostByCause, by: by.sort() });
          return found === wanted || notYet(found);
        },
        CONVERGED_MS,
      );
    }
    await this.cluster.forgetHalfOpen();
  }

  /** Nothing about these prefixes changes in any router's kernel while something else happens. */
  async untouched(prefixes: readonly string[], act: () => Promise<unknown>): Promise<void> {
    const seen = await this.changes(prefixes, act);
    expect(seen.map(({ router, event }) => eventText(router, event))).toEqual([]);
  }

  /** What the routers' kernels hear of these prefixes while something happens. */
  async changes(
    prefixes: readonly string[],
    act: () => Promise<unknown>,
  ): Promise<readonly { readonly router: Name; readonly event: FibEvent }[]> {
    const monitors = await Promise.all(
      this.routers.map(async (router) => {
        const monitor = await FibMonitor.start(this.cluster.router(router).namespace);
        return { router, monitor };
      }),
    );
    try {
      await act();
      await Promise.all(monitors.map(({ monitor }) => monitor.caughtUp()));
      return monitors.flatMap(({ router, monitor }) =>
        prefixes.flatMap((one) => monitor.eventsFor(one)).map((event) => ({ router, event })),
      );
    } finally {
      await Promise.all(monitors.map(({ monitor }) => monitor.stop()));
    }
  }

  /** Of the sessions that are there now, by the replica's address. */
  async connectionsDropped(): Promise<Record<string, Record<string, number>>> {
    const found = this.routers.map(async (name) => {
      const sessions = await this.cluster.router(name).sessions();
      const up = sessions.filter(({ isEstablished }) => isEstablished);
      return [name, Object.fromEntries(up.map((one) => [one.peer, one.connectionsDropped]))] as const;
    });
    return Object.fromEntries(await Promise.all(found));
  }

  async speakers(name: Name): Promise<readonly string[]> {
    return await speakersOf(this.cluster.router(name));
  }

  async #exactly(name: Name): Promise<void> {
    const wanted = JSON.stringify(this.#routes(this.#expected[name] ?? {}));
    await waitFor(
      `${name} has exactly ${wanted}, from ${this.replicas} replicas`,
      async () => {
        const seen = await this.#seen(this.cluster.router(name));
        const all = [seen.kernel, ...Object.values(seen.told)];
        const enough = all.length === this.replicas + 1;
        return (enough && all.every((one) => JSON.stringify(one) === wanted)) || notYet(JSON.stringify(seen));
      },
      CONVERGED_MS,
    );
  }

  async #seen(router: Router): Promise<Seen> {
    const [speakers, ...tables] = await Promise.all([speakersOf(router), router.table(4), router.table(6)]);
    const fibs = await Promise.all([router.kernelFib(4), router.kernelFib(6)]);
    const told = speakers.map((speaker) => {
      const paths = tables.flat().filter(({ peer }) => peer === speaker);
      const byPrefix = Map.groupBy(paths, ({ prefix }) => prefix);
      const hops = Array.from(byPrefix, ([prefix, of]) => [prefix, of.map((one) => one.nextHop)] as const);
      return [speaker, this.#inRanges(hops)] as const;
    });
    const kernel = fibs.flatMap((fib) => [...fib]);
    return {
      told: Object.fromEntries(told),
      kernel: this.#inRanges(kernel.map(([prefix, hops]) => [prefix, hops.map(({ address }) => address)])),
    };
  }

  #inRanges(routes: readonly (readonly [string, readonly string[]])[]): Routes {
    const own = routes.filter(([prefix]) => {
      const address = prefix.split('/')[0] ?? '';
      return this.#ranges.check(address, kindOf(address));
    });
    return sorted(own);
  }

  #addressesOf(node: string): HostAddresses {
    return this.#readdressed.get(node) ?? this.cluster.node(node).plan;
  }

  #routes(nodes: NodesByPrefix): Routes {
    return sorted(
      Object.entries(nodes).map(([prefix, names]) => [
        prefix,
        names.map((name) => this.#addressesOf(name)[kindOf(prefix)]),
      ]),
    );
  }
}

async function speakersOf(router: Router): Promise<readonly string[]> {
  const sessions = await router.sessions();
  return sessions.filter(({ isEstablished }) => isEstablished).map(({ peer }) => peer);
}

/** Every address as a prefix of its own, with the same nodes. */
export function hostRoutes(addresses: readonly string[], nodes: readonly string[]): NodesByPrefix {
  return Object.fromEntries(addresses.map((address) => [hostPrefix(address), nodes]));
}

export function hostPrefix(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

function kindOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

function sorted(routes: readonly (readonly [string, readonly string[]])[]): Routes {
  const normal = routes.map(([prefix, hops]) => [prefix, [...hops].sort()] as const);
  return Object.fromEntries(normal.sort(([a], [b]) => (a < b ? -1 : 1)));
}
