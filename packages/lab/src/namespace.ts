/**
 * One network namespace: a machine of the lab, as far as the network is concerned.
 *
 * Changes links, addresses, routes and kernel settings inside it and starts programs in it. Programs are entered by
 * `nsenter`, because `ip netns exec` remounts /sys and hides the cgroups from what runs below it. Duplicate address
 * detection is off, so that IPv6 works at once.
 */
import { run, tryRun } from './command.ts';
import { parseRoutes } from './ip-route.ts';
import type { FibRoute } from './ip-route.ts';
import type { Ledger } from './ledger.ts';
import { Program } from './program.ts';
import type { ProgramOptions } from './program.ts';

export type IpFamily = 4 | 6;

/** Ends are named by namespace and device; the peer of a veth pair is the other end. */
export interface LinkEnd {
  readonly namespace: Namespace;
  readonly device: string;
  readonly addresses?: readonly string[];
}

/** A file below /proc/sys and what is written there. */
export type Setting = readonly [path: string, value: string];

const INITIAL_SETTINGS: readonly Setting[] = [
  ['net/ipv6/conf/all/accept_dad', '0'],
  ['net/ipv6/conf/default/accept_dad', '0'],
  ['net/ipv4/conf/all/rp_filter', '0'],
  ['net/ipv4/conf/default/rp_filter', '0'],
  ['net/ipv6/conf/all/keep_addr_on_down', '1'],
  ['net/ipv6/conf/default/keep_addr_on_down', '1'],
  ['net/ipv4/fib_multipath_hash_policy', '1'],
  ['net/ipv6/fib_multipath_hash_policy', '1'],
];

export class Namespace {
  readonly name: string;
  /** The name without the lab's prefix, as it appears in messages and answers. */
  readonly label: string;
  readonly #ledger: Ledger;
  readonly #programs = new Set<Program>();
  /** Static routes of links that were taken down: prefix -> gateway. */
  readonly #dropped = new Map<string, string>();

  private constructor(ledger: Ledger, name: string, label: string) {
    this.#ledger = ledger;
    this.name = name;
    this.label = label;
  }

  static async create(ledger: Ledger, name: string, label: string): Promise<Namespace> {
    ledger.addNamespace(name);
    await run(['ip', 'netns', 'add', name]);
    const namespace = new Namespace(ledger, name, label);
    await namespace.run(['sh', '-c', `${writeSettings(INITIAL_SETTINGS)} && ip link set lo up`]);
    return namespace;
  }

  /** One that another lab has made and will take away; programs started through this handle belong to `ledger`. */
  static existing(ledger: Ledger, name: string, label: string): Namespace {
    return new Namespace(ledger, name, label);
  }

  /** The argument vector that runs `argv` in this namespace, without a process in between. */
  enter(argv: readonly string[]): string[] {
    return ['nsenter', `--net=/run/netns/${this.name}`, '--', ...argv];
  }

  run(argv: readonly string[], input?: string): Promise<string> {
    return run(this.enter(argv), input === undefined ? {} : { input });
  }

  tryRun(argv: readonly string[]): Promise<string | undefined> {
    return tryRun(this.enter(argv));
  }

  start(name: string, argv: readonly string[], options: ProgramOptions = {}): Program {
    const program = new Program(this.#ledger, `${this.label}/${name}`, this.enter(argv), options);
    this.#programs.add(program);
    void program.exited.then(() => this.#programs.delete(program));
    return program;
  }

  get programs(): readonly Program[] {
    return [...this.#programs];
  }

  /** Runs `ip` commands in one go; a line is what would follow the word `ip`. */
  async ip(...lines: readonly string[]): Promise<void> {
    await this.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
  }

  async settings(pairs: readonly Setting[]): Promise<void> {
    await this.run(['sh', '-c', writeSettings(pairs)]);
  }

  /** Makes it a router for both families. */
  forward(): Promise<void> {
    return this.settings([
      ['net/ipv4/conf/all/forwarding', '1'],
      ['net/ipv6/conf/all/forwarding', '1'],
    ]);
  }

  addAddress(device: string, address: string): Promise<void> {
    return this.ip(addressLine('add', device, address));
  }

  removeAddress(device: string, address: string): Promise<void> {
    return this.ip(addressLine('del', device, address));
  }

  addRoute(prefix: string, via: string): Promise<void> {
    return this.addRoutes([[prefix, via]]);
  }

  async addRoutes(routes: readonly (readonly [prefix: string, via: string])[]): Promise<void> {
    if (routes.length === 0) return;
    await this.ip(...routes.map(([prefix, via]) => `route replace ${prefix} via ${via}`));
  }

  async linkUp(device: string): Promise<void> {
    await this.ip(`link set ${device} up`);
    await this.#restoreRoutes();
  }

  linkDown(device: string): Promise<void> {
    return this.#linksDown([device]);
  }

  async devices(): Promise<string[]> {
    const links = JSON.parse(await this.run(['ip', '-j', 'link', 'show'])) as { readonly ifname: string }[];
    return links.map((link) => link.ifname).filter((name) => name !== 'lo');
  }

  /** The main routing table of the kernel. */
  async routes(family: IpFamily): Promise<FibRoute[]> {
    return parseRoutes(await this.run(['ip', `-${family}`, '-j', 'route', 'show', 'table', 'main']), family);
  }

  /** Source translation of what comes from `sources` and leaves by `device`, as clusters do with pod traffic. */
  async masquerade(device: string, sources: readonly string[]): Promise<void> {
    await this.run(['nft', '-f', '-'], masqueradeRules(device, sources));
  }

  async stopMasquerade(): Promise<void> {
    await this.tryRun(['nft', 'delete', 'table', 'inet', MASQUERADE_TABLE]);
  }

  /** Pulls the plug: no link carries anything, no program does anything, nobody is told. */
  async powerOff(): Promise<void> {
    for (const program of this.#programs) program.pause();
    await this.#linksDown(await this.devices());
  }

  /** Power is back without a reboot: programs go on from where they were. */
  async powerOn(): Promise<void> {
    const devices = await this.devices();
    await this.ip(...devices.map((device) => `link set ${device} up`));
    await this.#restoreRoutes();
    for (const program of this.#programs) program.resume();
  }

  /** The kernel drops a static route with its link and does not bring it back, whoever added it. */
  async #linksDown(devices: readonly string[]): Promise<void> {
    const routes = [...(await this.routes(4)), ...(await this.routes(6))];
    for (const { prefix, protocol, nextHops } of routes) {
      const [via] = nextHops;
      if (protocol === 'boot' && via !== undefined && devices.includes(via.device)) {
        this.#dropped.set(prefix, via.address);
      }
    }
    await this.ip(...devices.map((device) => `link set ${device} down`));
  }

  /** What belongs to a link that is still down has to wait for it. */
  async #restoreRoutes(): Promise<void> {
    const lines = [...this.#dropped].map(([prefix, via]) => `route replace ${prefix} via ${via}\n`);
    // Forced: a route over a link that is still down must not keep the others back.
    await tryRun(this.enter(['ip', '-force', '-batch', '-']), { input: lines.join('') });
  }
}

function writeSettings(settings: readonly Setting[]): string {
  return settings.map(([path, value]) => `echo ${value} > /proc/sys/${path}`).join(' && ');
}

const MASQUERADE_TABLE = 'lab_masquerade';

export function masqueradeRules(device: string, sources: readonly string[]): string {
  const rules = sources.map(
    (source) => `    ${source.includes(':') ? 'ip6' : 'ip'} saddr ${source} oifname "${device}" masquerade`,
  );
  return [
    `table inet ${MASQUERADE_TABLE} {`,
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    ...rules,
    '  }',
    '}',
    '',
  ].join('\n');
}

function addressLine(verb: 'add' | 'del', device: string, address: string): string {
  const nodad = verb === 'add' && address.includes(':') ? ' nodad' : '';
  return `addr ${verb} ${address} dev ${device}${nodad}`;
}

/** A veth pair between two namespaces, both ends up. */
export async function connect(a: LinkEnd, b: LinkEnd): Promise<void> {
  await a.namespace.ip(`link add ${a.device} type veth peer name ${b.device} netns ${b.namespace.name}`);
  await Promise.all([a, b].map((end) => end.namespace.ip(...endLines(end))));
}

/** A bridge that joins the named devices of its namespace on one segment. */
export async function addBridge(namespace: Namespace, device: string): Promise<void> {
  await namespace.ip(
    `link add ${device} type bridge forward_delay 0 mcast_snooping 0`,
    `link set ${device} up`,
  );
}

/** Plugs one end of a new veth pair into a bridge; the other end gets the addresses. */
export async function plug(
  bridge: { readonly namespace: Namespace; readonly device: string },
  end: LinkEnd,
  port: string,
): Promise<void> {
  await connect(end, { namespace: bridge.namespace, device: port });
  await bridge.namespace.ip(`link set ${port} master ${bridge.device}`);
}

function endLines(end: LinkEnd): string[] {
  const addresses = (end.addresses ?? []).map((address) => addressLine('add', end.device, address));
  return [`link set ${end.device} up`, ...addresses];
}
