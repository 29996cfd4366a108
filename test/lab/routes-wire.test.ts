// What goes over the wire, and what does not (CASES A11, A12, A13): weights, UPDATEs for one changed Service only,
// and nothing at all that routers announce themselves.

import { join } from 'node:path';

import { MessageFramer, decode, type Negotiated } from '@herald/bgp';
import { UpdateCapture, notYet, waitFor, type TcpBytes } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { advertisement, type Manifest } from '../support/manifests.ts';
import { ROUTER_NAMES, RoutesLab, eachRouter, type RouterName } from '../support/routes-lab.ts';
import { both, dualStack, on, serviceAddresses, type Expected } from '../support/service-address.ts';

const WEB = 1;
const API = 2;
/** A network of the router's own, a default route, and a service address. */
const ORIGINATED = ['198.18.7.0/24', '2001:db8:7::/48', '203.0.113.99/32', '2001:db8:53::63/128'];

let lab: RoutesLab;

beforeAll(async () => {
  lab = await RoutesLab.open({ name: 'wire', workers: 3, serves: [WEB, API], originates: ORIGINATED });
  announce();
});

afterAll(() => lab.close());

function announce(spec: Readonly<Record<string, unknown>> = {}): void {
  lab.manifests.write('default', advertisement('default', { ipAddressPools: ['public'], ...spec }));
}

/** The first worker's part of the weights that the kernel has for the prefix. */
async function kernelShare(name: RouterName, prefix: string): Promise<number> {
  const hops = (await lab.router(name).kernelFib(prefix.includes(':') ? 6 : 4)).get(prefix) ?? [];
  const weights = new Map(hops.map(({ address, weight }) => [address, weight]));
  const first = lab.nodeAddresses[0];
  const own = weights.get(first?.ipv4 ?? '') ?? weights.get(first?.ipv6 ?? '') ?? 0;
  return own / [...weights.values()].reduce((sum, weight) => sum + weight, 0);
}

describe('A11: weights', () => {
  const REQUESTS = 1200;
  /** Of a share of 3/4 among so many requests. */
  const SIGMA = Math.sqrt((0.75 * 0.25) / REQUESTS);
  const threeToOne = [...dualStack('web', WEB, on(0, 0, 0, 1)), ...dualStack('api', API, on(0, 1, 1, 1))];
  const routes = { ...both(WEB, [0, 1]), ...both(API, [0, 1]) };

  beforeAll(async () => {
    announce({ nextHops: { weight: 'Endpoints' } });
    await lab.step(threeToOne, routes);
  });

  afterAll(() => announce());

  async function measuredShare(name: RouterName, address: string): Promise<number> {
    const client = lab.topology.client(name);
    const totals = await client.send({ targets: [address], count: REQUESTS, ratePerSecond: 600 });
    expect(totals.lost).toBe(0);
    return (totals.answers['worker-0'] ?? 0) / totals.answered;
  }

  const cases = (['frr8', 'frr10'] as const).flatMap((name) => [
    { name, number: WEB, share: 0.75 },
    { name, number: API, share: 0.25 },
  ]);
  test.each(cases)('A11: $name: kernel and clients of Service $number agree on $share', async (expected) => {
    const { name, number, share } = expected;
    for (const [index, prefix] of Object.keys(both(number, [])).entries()) {
      await waitFor(`${name} has the weights of ${prefix}`, async () => {
        const found = await kernelShare(name, prefix);
        return Math.abs(found - share) < 0.005 || notYet(found);
      });
      const measured = await measuredShare(name, serviceAddresses(number)[index] ?? '');
      expect(Math.abs(measured - share), `${name} ${prefix}: ${measured}`).toBeLessThan(5 * SIGMA);
    }
  });

  test('A11: changed endpoints change the weights, not the next hops', async () => {
    const [prefix = ''] = Object.keys(both(WEB, []));
    await lab.step([...dualStack('web', WEB, on(0, 1)), ...dualStack('api', API, on(0, 1, 1, 1))], routes);
    for (const name of ['frr8', 'frr10'] as const) {
      await waitFor(`${name} has equal weights`, async () => {
        const found = await kernelShare(name, prefix);
        return found === 0.5 || notYet(found);
      });
    }
  });
});

/** As our bgpd and these routers agree; the test makes sure of the part that matters. */
const NEGOTIATED: Negotiated = {
  peering: 'external',
  holdTimeSeconds: 30,
  families: [4, 6],
  addPathSend: [],
  addPathReceive: [4, 6],
  maximumLength: 65_535,
  asnOctets: 4,
  gracefulRestart: undefined,
};

/** Prefixes that Herald names in UPDATEs to one router. */
class NamedPrefixes {
  readonly prefixes: string[] = [];
  readonly problems: string[] = [];
  readonly #framers = new Map<number, MessageFramer>();
  readonly #speaker: string;

  constructor(speaker: string) {
    this.#speaker = speaker;
  }

  hear({ source, connection, bytes }: TcpBytes): void {
    if (source !== this.#speaker) {
      return;
    }
    const framer = this.#framers.get(connection) ?? new MessageFramer();
    framer.maximumLength = NEGOTIATED.maximumLength;
    this.#framers.set(connection, framer);
    for (const framed of framer.push(bytes)) {
      this.#read(framed.ok ? decode(framed.value, NEGOTIATED) : framed);
    }
  }

  #read(decoded: ReturnType<typeof decode>): void {
    if (!decoded.ok) {
      this.problems.push(decoded.problem.text);
    } else if (decoded.message.kind === 'update') {
      const { withdrawn, announced, reach, unreach } = decoded.message;
      const named = [...withdrawn, ...announced, ...(reach?.nlri ?? []), ...(unreach?.nlri ?? [])];
      this.prefixes.push(...named.map(({ prefix }) => prefix.text));
      this.problems.push(...decoded.problems.map(({ text }) => text));
    }
  }
}

async function listen(name: RouterName) {
  const named = new NamedPrefixes(lab.speaker);
  const capture = await UpdateCapture.start({
    namespace: lab.router(name).namespace,
    device: 'eth0',
    pipe: join(lab.topology.lab.directory, `updates-${name}`),
    onBytes: (bytes) => named.hear(bytes),
  });
  return { named, capture };
}

describe('A12: one Service changes', () => {
  const FIRST = 10;
  const others = Array.from({ length: 40 }, (_, index) => FIRST + index);
  const WATCHED_MS = 10_000;
  const background: Manifest[] = others.flatMap((number) => dualStack(`svc-${number}`, number, on(0, 1, 2)));
  const backgroundRoutes: Expected = Object.assign({}, ...others.map((number) => both(number, [0, 1, 2])));

  /** What the Service goes through: grow, shrink, move, vanish, come back. */
  const SETS = [[0], [0, 1], [0, 1, 2], [1], [], [2]];
  let base: Expected = {};

  beforeAll(async () => {
    base = await lab.step(background, backgroundRoutes);
  });

  afterAll(() => lab.manifests.remove('web'));

  test('A12: UPDATEs name its prefixes only, and for ten seconds no session is dropped', async () => {
    const sessions = await eachRouter((name) => lab.router(name).established(lab.speaker));
    ROUTER_NAMES.forEach((name) => expect(sessions[name].addPathReceive, name).toEqual([4, 6]));
    const before = await lab.connectionsDropped();
    const heard = await eachRouter(async (name) => listen(name));
    const started = performance.now();
    const untouched = Object.keys(backgroundRoutes);
    await lab.untouched(untouched, async () => {
      for (let round = 0; round < SETS.length || performance.now() - started < WATCHED_MS; round++) {
        const workers = SETS[round % SETS.length] ?? [];
        lab.manifests.write('web', ...dualStack('web', WEB, on(...workers)));
        await lab.reached(() => ({ ...base, ...(workers.length > 0 ? both(WEB, workers) : {}) }));
      }
    });
    await eachRouter((name) => heard[name].capture.stop());
    for (const name of ROUTER_NAMES) {
      const { problems, prefixes } = heard[name].named;
      expect(problems, name).toEqual([]);
      expect([...new Set(prefixes)].sort(), name).toEqual(Object.keys(both(WEB, [])).sort());
    }
    expect(await lab.connectionsDropped()).toEqual(before);
  });
});

describe('A13: what routers announce themselves', () => {
  interface Neighbor {
    readonly messageStats: { readonly updatesRecv: number };
    readonly addressFamilyInfo: Readonly<Record<string, { readonly acceptedPrefixCounter?: number }>>;
  }

  test('A13: it reaches us, and is in no table of ours and at no other router', async () => {
    await lab.step(dualStack('web', WEB, on(0)), both(WEB, [0]));
    const pod = lab.topology.pod();
    const neighbors = await pod.vtyJson<Record<string, Neighbor>>('show bgp neighbors json');
    for (const name of ROUTER_NAMES) {
      const neighbor = neighbors[lab.router(name).ipv4];
      // Two End-of-RIB and at least one route of each family.
      expect(neighbor?.messageStats.updatesRecv, name).toBeGreaterThanOrEqual(4);
      const accepted = Object.values(neighbor?.addressFamilyInfo ?? {}).map(
        (family) => family.acceptedPrefixCounter,
      );
      expect(accepted, name).toEqual([0, 0]);
    }
    for (const family of ['ipv4', 'ipv6']) {
      const { routes } = await pod.vtyJson<{ routes: Record<string, unknown> }>(
        `show bgp ${family} unicast json`,
      );
      expect(Object.keys(routes)).toContain(family === 'ipv4' ? '203.0.113.1/32' : '2001:db8:53::1/128');
      ORIGINATED.forEach((prefix) => expect(Object.keys(routes)).not.toContain(prefix));
    }
    const page = await lab.herald.get<{ items: { prefix: string }[] }>('/api/v1/routes?limit=1000');
    const prefixes = page.items.map(({ prefix }) => prefix);
    expect(prefixes).toContain('203.0.113.1/32');
    ORIGINATED.forEach((prefix) => expect(prefixes).not.toContain(prefix));
  });
});

test('A12: no session was touched by any of this', async () => {
  expect(await lab.connectionsDropped()).toEqual({ frr8: 0, frr10: 0, bird: 0 });
});
