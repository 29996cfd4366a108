/**
 * The lab itself, on the real daemons: what every other lab test takes for granted is shown here once.
 *
 * Two pods without any right announce one service address each through a worker of their own; three routers balance
 * over both, requests from behind each router are answered, and the tools that watch routes and messages see it.
 */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FibMonitor, Lab, Topology, UpdateCapture, forgetHalfOpen, notYet, run, waitFor } from '@herald/lab';
import type { RouterPath, TcpBytes } from '@herald/lab';

const ROUTERS = ['frr-1', 'frr-2', 'bird-1'] as const;
type RouterName = (typeof ROUTERS)[number];
const SERVICE = { ipv4: '203.0.113.10', ipv6: '2001:db8:53::10' } as const;
const POD_ASN = 64_512;
const ROUTER_ASN = 64_500;

interface Announcement {
  readonly routerId: string;
  readonly routers: readonly string[];
  readonly worker: { readonly ipv4: string; readonly ipv6: string };
}

/** A bgpd that speaks for one worker: its next hops are the worker's addresses, not its own. */
function bgpdConfig({ routerId, routers, worker }: Announcement): string {
  const each = (lines: (router: string) => string[]): string[] => routers.flatMap(lines);
  return [
    'frr defaults datacenter',
    `router bgp ${POD_ASN}`,
    ` bgp router-id ${routerId}`,
    ' no bgp default ipv4-unicast',
    ' no bgp network import-check',
    ' bgp route-map delay-timer 1',
    ...each((router) => [
      ` neighbor ${router} remote-as ${ROUTER_ASN}`,
      ` neighbor ${router} ebgp-multihop 255`,
      ` neighbor ${router} timers connect 1`,
    ]),
    ' address-family ipv4 unicast',
    `  network ${SERVICE.ipv4}/32 route-map MARK`,
    ...each((router) => [`  neighbor ${router} activate`, `  neighbor ${router} route-map OUT4 out`]),
    ' exit-address-family',
    ' address-family ipv6 unicast',
    `  network ${SERVICE.ipv6}/128 route-map MARK`,
    ...each((router) => [`  neighbor ${router} activate`, `  neighbor ${router} route-map OUT6 out`]),
    ' exit-address-family',
    'exit',
    'route-map MARK permit 10',
    ' set metric 20',
    ' set community 64512:7',
    ' set large-community 64512:1:2',
    'exit',
    'route-map OUT4 permit 10',
    ` set ip next-hop ${worker.ipv4}`,
    'exit',
    'route-map OUT6 permit 10',
    ` set ipv6 next-hop global ${worker.ipv6}`,
    'exit',
    '',
  ].join('\n');
}

async function startRouters(topology: Topology<RouterName>, passive: boolean): Promise<void> {
  const neighbors = topology.controlPlanes.map(({ visibleAs }) => ({
    address: visibleAs.ipv4,
    asn: POD_ASN,
    multihop: 255,
    passive,
  }));
  await Promise.all(
    ROUTERS.map((name) => {
      const router = topology.router(name);
      return router.start({ asn: ROUTER_ASN, routerId: router.ipv4, neighbors });
    }),
  );
}

async function announceEverything(topology: Topology<RouterName>): Promise<void> {
  const routers = ROUTERS.map((name) => topology.router(name).ipv4);
  for (const [index, worker] of topology.workers.entries()) {
    await worker.addAddress(SERVICE.ipv4);
    await worker.addAddress(SERVICE.ipv6);
    const pod = topology.pod(index);
    await pod.runBgpd(bgpdConfig({ routerId: pod.ipv4, routers, worker }));
  }
}

const summary = (path: RouterPath): Partial<RouterPath> => ({
  prefix: path.prefix,
  nextHop: path.nextHop,
  peer: path.peer,
  asPath: path.asPath,
  communities: path.communities,
  med: path.med,
});

describe('routed pods', () => {
  let lab: Lab;
  let topology: Topology<RouterName>;

  beforeAll(async () => {
    lab = await Lab.create('routed');
    topology = await Topology.create(lab, {
      routers: { 'frr-1': 'frr', 'frr-2': 'frr-root', 'bird-1': 'bird' },
      workers: 2,
      controlPlanes: 2,
    });
    await startRouters(topology, true);
    await announceEverything(topology);
  });

  afterAll(() => lab.close());

  test.each(ROUTERS)('%s balances over both workers and requests are answered', async (name) => {
    const router = topology.router(name);
    for (const { visibleAs } of topology.controlPlanes) await router.established(visibleAs.ipv4);
    await router.forwardsTo(
      `${SERVICE.ipv4}/32`,
      topology.workers.map((worker) => worker.ipv4),
    );
    await router.forwardsTo(
      `${SERVICE.ipv6}/128`,
      topology.workers.map((worker) => worker.ipv6),
    );
    const targets = [SERVICE.ipv4, SERVICE.ipv6];
    const totals = await topology.client(name).send({ targets, count: 400, ratePerSecond: 400 });
    expect(totals).toMatchObject({ sent: 400, answered: 400, lost: 0, inFlight: 0 });
    const shares = topology.workers.map((worker) => totals.answers[worker.name] ?? 0);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(400);
    expect(Math.min(...shares)).toBeGreaterThan(120);
  });

  test.each(ROUTERS)('%s tells its paths with their attributes', async (name) => {
    const paths = await topology.router(name).table(4);
    const byPeer = paths.map(summary).sort((a, b) => (String(a.peer) < String(b.peer) ? -1 : 1));
    expect(byPeer).toEqual(
      topology.workers.map((worker, index) => ({
        prefix: `${SERVICE.ipv4}/32`,
        nextHop: worker.ipv4,
        peer: topology.pod(index).ipv4,
        asPath: [POD_ASN],
        communities: ['64512:7', '64512:1:2'],
        med: 20,
      })),
    );
    expect(paths.filter((path) => path.isBest)).toHaveLength(1);
    expect((await topology.router(name).table(6)).map((path) => path.nextHop).sort()).toEqual(
      topology.workers.map((worker) => worker.ipv6),
    );
  });

  test('a pod has no rights', async () => {
    const script = [
      'id -u; id -G',
      'grep -E "^(Cap|NoNewPrivs)" /proc/self/status',
      'for path in / /usr /etc /run /proc/sys/net/ipv4 "$REPOSITORY"; do touch $path/x 2>/dev/null && echo "wrote $path"; done',
      'touch /tmp/x /shared/x && echo scratch',
      'kill -0 1 2>/dev/null && echo "may signal init"',
      'ip link set eth0 down 2>/dev/null && echo "took its link down"',
      '"$NODE" -p "process.version"',
    ].join('\n');
    const env = { NODE: process.execPath, REPOSITORY: process.cwd() };
    const program = topology.pod().run('sh', ['-c', script], { env });
    await program.exited;
    expect(program.output.split('\n').map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      '65532',
      '65532',
      'CapInh: 0000000000000000',
      'CapPrm: 0000000000000000',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'CapAmb: 0000000000000000',
      'NoNewPrivs: 1',
      'scratch',
      process.version,
    ]);
  });

  test('bgpd runs in the pod without zebra and listens only for its feed', async () => {
    const pod = topology.pod();
    expect(await pod.vty('show version')).toMatch(/FRRouting (9\.[1-9]|1\d)/);
    const sockets = await pod.namespace.run(['ss', '-Hltn']);
    const listening = sockets
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)[3]);
    expect(listening).toEqual(['127.0.0.1:1790']);
  });

  test('routes and messages are seen as they change, and a frozen worker loses requests', async () => {
    const router = topology.router('frr-1');
    const monitor = await FibMonitor.start(router.namespace);
    const seen: TcpBytes[] = [];
    const capture = await UpdateCapture.start({
      namespace: router.namespace,
      device: 'eth0',
      pipe: join(lab.directory, 'capture'),
      onBytes: (bytes) => seen.push(bytes),
    });
    const isFromPod = (bytes: TcpBytes): boolean => bytes.source === topology.pod(1).ipv4;
    const [first] = topology.workers;
    const started = Date.now();
    await topology.pod(1).vty('clear bgp * soft out');
    await waitFor('the pod has sent its routes again', () => seen.some(isFromPod));
    await topology.pod(1).namespace.programs[0]?.stop();
    await router.forwardsTo(`${SERVICE.ipv4}/32`, [first?.ipv4 ?? '']);
    await monitor.stop();
    await capture.stop();
    const last = monitor.eventsFor(`${SERVICE.ipv4}/32`).at(-1);
    expect(last?.kind).toBe('set');
    expect(last?.route.nextHops.map((hop) => hop.address)).toEqual([first?.ipv4]);
    expect(last?.timeMs).toBeGreaterThanOrEqual(started - 1);
    expect(last?.timeMs).toBeLessThanOrEqual(Date.now() + 1);
    // RFC 4271, 4.1: each message begins with sixteen octets of ones.
    expect(seen.find(isFromPod)?.bytes.subarray(0, 16)).toEqual(Buffer.alloc(16, 0xff));
    first?.freeze();
    const totals = await topology.client('frr-1').send({ targets: [SERVICE.ipv4], count: 20 });
    first?.thaw();
    expect(totals).toMatchObject({
      sent: 20,
      answered: 0,
      lost: 20,
      lostByCause: { 'no answer in time': 20 },
    });
  });

  test('a worker that loses power is silent and comes back', async () => {
    const [worker] = topology.workers;
    const client = topology.client('frr-1');
    const ask = { targets: [SERVICE.ipv4], count: 10 };
    await worker?.powerOff();
    expect(await client.send(ask)).toMatchObject({ answered: 0, lost: 10 });
    await worker?.powerOn();
    await waitFor('the worker answers again', async () => {
      const totals = await client.send(ask);
      return totals.lost === 0 || notYet(totals);
    });
  });
});

test('masqueraded pods are seen as their nodes', async () => {
  const lab = await Lab.create('masqueraded');
  try {
    const topology = await Topology.create(lab, {
      routers: { 'frr-1': 'frr', 'frr-2': 'frr-root', 'bird-1': 'bird' },
      workers: 2,
      controlPlanes: 2,
      podTraffic: 'masqueraded',
    });
    await startRouters(topology, true);
    await announceEverything(topology);
    for (const name of ROUTERS) {
      const router = topology.router(name);
      await router.forwardsTo(
        `${SERVICE.ipv4}/32`,
        topology.workers.map((worker) => worker.ipv4),
      );
      expect((await router.sessions()).map((session) => session.peer).sort()).toEqual(
        topology.controlPlanes.map((node) => node.ipv4),
      );
    }
  } finally {
    await lab.close();
  }
});

test('every daemon reads several paths of one prefix, and a new configuration touches only what it changes', async () => {
  const lab = await Lab.create('daemons');
  try {
    const topology = await Topology.create(lab, {
      routers: { source: 'bird', frr: 'frr', root: 'frr-root', gobgp: 'gobgp', openbgpd: 'openbgpd' },
      workers: 2,
      controlPlanes: 0,
    });
    const readers = ['frr', 'root', 'gobgp', 'openbgpd'] as const;
    const source = topology.router('source');
    const nextHops = topology.workers.map((worker) => worker.ipv4);
    const neighbors = readers.map((name) => ({
      address: topology.router(name).ipv4,
      asn: ROUTER_ASN,
      addPathSend: [4, 6] as const,
    }));
    const routes = nextHops.map(
      (hop, index) => `protocol static s${index} { ipv4; route 203.0.113.20/32 via ${hop}; }`,
    );
    await source.start({ asn: POD_ASN, routerId: source.ipv4, neighbors, extra: routes.join('\n') });
    const options = (name: (typeof readers)[number]) => ({
      asn: ROUTER_ASN,
      routerId: topology.router(name).ipv4,
      neighbors: [{ address: source.ipv4, asn: POD_ASN }],
    });
    await Promise.all(readers.map((name) => topology.router(name).start(options(name))));
    for (const name of readers) {
      const router = topology.router(name);
      await router.established(source.ipv4);
      const paths = await waitFor(`${name} has both paths`, async () => {
        const table = await router.table(4);
        return table.length === 2 ? table : notYet(table);
      });
      expect(paths.map((path) => path.nextHop).sort()).toEqual(nextHops);
      // GoBGP keeps the ids to itself.
      if (name !== 'gobgp') expect(new Set(paths.map((path) => path.pathId)).size).toBe(2);
      const extraPeer = { address: '192.0.2.250', asn: 65_001 };
      await router.reconfigure({ ...options(name), neighbors: [...options(name).neighbors, extraPeer] });
      await waitFor(`${name} knows both peers`, async () => (await router.sessions()).length === 2);
      await router.reconfigure(options(name));
      await waitFor(`${name} forgot one peer`, async () => (await router.sessions()).length === 1);
      expect(await router.connectionsDropped(source.ipv4), name).toBe(0);
    }
    await source.stop();
    for (const name of readers)
      await waitFor(
        `${name} counts the drop`,
        async () => (await topology.router(name).connectionsDropped(source.ipv4)) === 1,
      );
  } finally {
    await lab.close();
  }
});

const CENTRE_KINDS = ['frr', 'frr-root', 'bird', 'gobgp', 'openbgpd'] as const;

describe.each(CENTRE_KINDS)('every option of a %s router', (kind) => {
  let lab: Lab;
  let topology: Topology<'centre' | 'peer'>;

  beforeAll(async () => {
    lab = await Lab.create('options');
    topology = await Topology.create(lab, {
      routers: { centre: kind, peer: 'frr' },
      workers: 0,
      controlPlanes: 0,
    });
  });

  afterAll(() => lab.close());

  test('listens to a range, knows a password, filters, and can be left', async () => {
    const [centre, peer] = [topology.router('centre'), topology.router('peer')];
    // The others have passwords for single addresses only.
    const password = kind === 'gobgp' || kind === 'openbgpd' ? {} : { password: 'correct-horse' };
    const session = { ...password, asn: POD_ASN, holdTimeSeconds: 6 };
    await centre.start({
      asn: ROUTER_ASN,
      routerId: centre.ipv4,
      listenRanges: [
        {
          ...session,
          range: '192.0.2.0/24',
          importPrefixes: ['203.0.113.0/24', '2001:db8:53::/64'],
          maxPrefixes: 10,
          gracefulRestart: 'helper',
        },
      ],
    });
    await peer.start({
      asn: POD_ASN,
      routerId: peer.ipv4,
      originates: ['203.0.113.1/32', '198.51.100.200/32', '2001:db8:53::1/128', '2001:db8:54::1/128'],
      neighbors: [{ ...session, address: centre.ipv4, asn: ROUTER_ASN }],
    });
    await centre.established(peer.ipv4);
    for (const [family, prefix] of [
      [4, '203.0.113.1/32'],
      [6, '2001:db8:53::1/128'],
    ] as const)
      await waitFor(`only ${prefix} is accepted`, async () => {
        const prefixes = (await centre.table(family)).map((path) => path.prefix);
        return prefixes.join() === prefix || notYet(prefixes);
      });
    await peer.kill();
    await waitFor('the hold timer or the reset has ended it', async () => {
      const sessions = await centre.sessions();
      return sessions.every((one) => !one.isEstablished) || notYet(sessions);
    });
  });

  test('accepts GTSM, one family, no ADD-PATH, and originates', async () => {
    const [centre, peer] = [topology.router('centre'), topology.router('peer')];
    await Promise.all([centre.stop(), peer.stop()]);
    const gtsm = {
      password: 'correct-horse',
      ttlSecurityHops: 1,
      families: [4] as const,
      addPathReceive: [],
      gracefulRestart: 'off' as const,
    };
    await centre.start({
      asn: ROUTER_ASN,
      routerId: centre.ipv4,
      originates: ['203.0.113.7/32'],
      neighbors: [{ ...gtsm, address: peer.ipv4, asn: POD_ASN, passive: true }],
    });
    await peer.start({
      asn: POD_ASN,
      routerId: peer.ipv4,
      neighbors: [{ ...gtsm, address: centre.ipv4, asn: ROUTER_ASN, addPathSend: [4] }],
    });
    await peer.forwardsTo('203.0.113.7/32', [centre.ipv4]);
    const session = await centre.established(peer.ipv4);
    expect(session.addPathReceive ?? []).toEqual([]);
  });
});

const curl = (address: string): string[] => ['curl', '--max-time', '20', `http://${address}`];

test('connections that nobody answered are forgotten, the others not', async () => {
  const lab = await Lab.create('half-open');
  try {
    const namespace = await lab.namespace('a');
    const tracked = 'table inet t { chain c { type filter hook output priority 0; ct state new counter; }; }';
    await namespace.run(['nft', '-f', '-'], tracked);
    await namespace.run(
      ['ip', '-batch', '-'],
      [
        'link set lo up',
        'link add nobody type veth peer name silent',
        'link set silent up',
        'link set nobody up',
        'addr add 192.0.2.1/24 dev nobody',
      ]
        .map((line) => `${line}\n`)
        .join(''),
    );
    const listener = 'require("net").createServer().listen(80, "192.0.2.1")';
    namespace.start('listener', [process.execPath, '--eval', listener]);
    const count = async (state: string): Promise<number> => {
      const listed = await namespace.run(['conntrack', '-L', '-p', 'tcp', '--state', state]);
      return listed.split('\n').filter((line) => line !== '').length;
    };
    await waitFor('one is answered', async () => {
      namespace.start('asker', curl('192.0.2.1'));
      return (await count('ESTABLISHED')) > 0;
    });
    namespace.start('asker', curl('192.0.2.2'));
    await waitFor('the other is not', async () => (await count('SYN_SENT')) === 1);
    const answered = await count('ESTABLISHED');
    expect(await forgetHalfOpen(namespace)).toBe(1);
    expect(await forgetHalfOpen(namespace)).toBe(0);
    expect(await count('ESTABLISHED')).toBe(answered);
  } finally {
    await lab.close();
  }
});

test('a closed lab leaves nothing behind', async () => {
  const lab = await Lab.create('gone');
  const namespace = await lab.namespace('a');
  const program = namespace.start('sleep', ['sleep', '1000']);
  const { directory } = lab;
  await lab.close();
  expect(program.isRunning).toBe(false);
  expect(existsSync(directory)).toBe(false);
  expect(await run(['ip', 'netns', 'list'])).not.toContain(lab.id);
});

interface OtherLab {
  readonly id: string;
  readonly pid: number;
}

/** A lab in a process of its own, which then sends itself a signal. */
async function labThatEndsBy(signal: string): Promise<OtherLab> {
  const script = [
    `import { Lab } from '@herald/lab';`,
    `const lab = await Lab.create('other');`,
    `const namespace = await lab.namespace('a');`,
    `const sleeper = namespace.start('sleep', ['sleep', '1000']);`,
    `console.log(JSON.stringify({ id: lab.id, pid: sleeper.pid }));`,
    `process.kill(process.pid, '${signal}');`,
  ].join('\n');
  const argv = [process.execPath, '--input-type=module', '--eval', script];
  return JSON.parse(await run(['sh', '-c', '"$@" || true', 'sh', ...argv])) as OtherLab;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  'a lab whose process gets %s leaves nothing behind',
  async (signal) => {
    const other = await labThatEndsBy(signal);
    expect(await run(['ip', 'netns', 'list'])).not.toContain(other.id);
    await waitFor('its program is gone', () => !isAlive(other.pid));
  },
);

test('a child that outlived its program, in a group of its own, goes with the lab', async () => {
  const lab = await Lab.create('orphan');
  const namespace = await lab.namespace('parent');
  const program = namespace.start('parent', ['sh', '-c', 'setsid sleep 600 & echo $!; wait']);
  const line = await program.lineMatching(/^\d+$/, 10_000);
  program.kill('SIGKILL');
  await program.exited;
  const child = `/proc/${line.trim()}`;
  expect(existsSync(child)).toBe(true);
  await lab.close();
  await waitFor('the child is gone', async () => hasEnded(child), 5000);
});

test('what a killed process left is swept by the next lab', async () => {
  const orphan = await labThatEndsBy('SIGKILL');
  expect(await run(['ip', 'netns', 'list'])).toContain(orphan.id);
  const lab = await Lab.create('sweeper');
  try {
    expect(await run(['ip', 'netns', 'list'])).not.toContain(orphan.id);
    await waitFor('the orphaned program is gone', () => !isAlive(orphan.pid));
  } finally {
    await lab.close();
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process that is only waiting to be reaped has ended. */
function hasEnded(path: string): boolean {
  try {
    return readFileSync(`${path}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
