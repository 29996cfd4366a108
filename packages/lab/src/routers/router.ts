/**
 * What every router of the lab can do, whatever daemon it runs, and the words in which its state is told.
 *
 * A router is a namespace with a daemon in it. Configuration goes in as RouterOptions (the common ground of four
 * daemons; `extra` takes the daemon's own words); sessions, BGP table and kernel routes come out in one form.
 */
import type { FibNextHop } from '../ip-route.ts';
import type { IpFamily, Namespace } from '../namespace.ts';
import type { Program } from '../program.ts';
import { notYet, waitFor } from '../wait-for.ts';

export interface PeerOptions {
  readonly asn: number | 'internal' | 'external';
  readonly families?: readonly IpFamily[];
  /** Families for which the router offers to receive several paths. Default: all of them. */
  readonly addPathReceive?: readonly IpFamily[];
  readonly addPathSend?: readonly IpFamily[];
  readonly password?: string;
  /** Largest number of hops away (TTL), for sessions that are not on-link. */
  readonly multihop?: number;
  /** GTSM: packets from further away than this are dropped. Excludes `multihop`. */
  readonly ttlSecurityHops?: number;
  readonly passive?: boolean;
  readonly localAddress?: string;
  readonly port?: number;
  readonly holdTimeSeconds?: number;
  readonly connectRetrySeconds?: number;
  readonly maxPrefixes?: number;
  /** Only these and what lies inside them are accepted; absent: everything. */
  readonly importPrefixes?: readonly string[];
  readonly gracefulRestart?: 'off' | 'helper' | 'full';
  readonly routeReflectorClient?: boolean;
  readonly nextHopSelf?: boolean;
}

export interface NeighborOptions extends PeerOptions {
  readonly address: string;
}

export interface ListenRangeOptions extends PeerOptions {
  readonly range: string;
}

export interface RouterOptions {
  readonly asn: number;
  /** A dotted quad. */
  readonly routerId: string;
  readonly neighbors?: readonly NeighborOptions[];
  readonly listenRanges?: readonly ListenRangeOptions[];
  /** Prefixes that the router itself announces. */
  readonly originates?: readonly string[];
  /** Most next hops of one prefix in the kernel. */
  readonly maximumPaths?: number;
  /** Text in the daemon's own language, appended. */
  readonly extra?: string;
}

export interface RouterSession {
  readonly peer: string;
  readonly asn: number;
  /** In the daemon's own words. */
  readonly state: string;
  readonly isEstablished: boolean;
  /** Times that an established session ended since the daemon started. */
  readonly connectionsDropped: number;
  /** Families for which this router receives several paths; undefined where the daemon does not say. */
  readonly addPathReceive: readonly IpFamily[] | undefined;
}

export interface RouterPath {
  readonly prefix: string;
  readonly nextHop: string;
  readonly peer: string;
  readonly asPath: readonly number[];
  readonly communities: readonly string[];
  readonly pathId: number | undefined;
  readonly med: number | undefined;
  readonly localPref: number | undefined;
  readonly isBest: boolean;
}

export const DEFAULT_MAXIMUM_PATHS = 64;
const READY_TIMEOUT_MS = 15_000;

export abstract class Router {
  readonly namespace: Namespace;
  /** Folder of configuration and sockets. */
  readonly directory: string;
  readonly ipv4: string;
  readonly ipv6: string;

  constructor(settings: RouterSettings) {
    this.namespace = settings.namespace;
    this.directory = settings.directory;
    this.ipv4 = settings.ipv4;
    this.ipv6 = settings.ipv6;
  }

  get name(): string {
    return this.namespace.label;
  }

  /** Starts the daemon and resolves when it answers, configuration loaded. */
  abstract start(options: RouterOptions): Promise<void>;
  /** Changes the configuration of a running daemon; sessions that the change does not concern stay. */
  abstract reconfigure(options: RouterOptions): Promise<void>;
  abstract sessions(): Promise<RouterSession[]>;
  abstract table(family: IpFamily): Promise<RouterPath[]>;
  /** Names that the kernel gives to this daemon's routes; none: it does not program the kernel. */
  protected abstract readonly fibProtocols: readonly string[];
  /** In the order in which they were started. */
  protected abstract programs(): readonly Program[];

  /** Prefix -> next hops of what this daemon has put into the kernel. */
  async kernelFib(family: IpFamily): Promise<Map<string, readonly FibNextHop[]>> {
    const routes = await this.namespace.routes(family);
    const own = routes.filter((route) => this.fibProtocols.includes(route.protocol));
    return new Map(own.map((route) => [route.prefix, sortNextHops(route.nextHops)]));
  }

  /** Sorted next hop addresses of one prefix in the kernel; empty when it is not there. */
  async kernelNextHops(prefix: string): Promise<string[]> {
    const fib = await this.kernelFib(prefix.includes(':') ? 6 : 4);
    return (fib.get(prefix) ?? []).map((hop) => hop.address);
  }

  async connectionsDropped(peer: string): Promise<number> {
    const session = (await this.sessions()).find((one) => one.peer === peer);
    return session?.connectionsDropped ?? 0;
  }

  async established(peer: string, timeoutMs?: number): Promise<RouterSession> {
    return waitFor(
      `${this.name} has an established session with ${peer}`,
      async () => {
        const sessions = await this.sessions();
        return sessions.find((one) => one.peer === peer && one.isEstablished) ?? notYet(sessions);
      },
      timeoutMs,
    );
  }

  /** Resolves when the kernel holds exactly these next hops for the prefix. */
  async forwardsTo(prefix: string, nextHops: readonly string[], timeoutMs?: number): Promise<void> {
    const wanted = [...nextHops].sort().join(' ');
    await waitFor(
      `${this.name} forwards ${prefix} to exactly [${wanted}]`,
      async () => {
        const seen = await this.kernelNextHops(prefix);
        return [...seen].sort().join(' ') === wanted || notYet(seen);
      },
      timeoutMs,
    );
  }

  get logs(): string {
    return this.programs()
      .map((program) => program.output)
      .join('\n');
  }

  /** Ends the daemon as an administrator would: sessions are closed with a reason. */
  async stop(): Promise<void> {
    for (const program of this.programs().toReversed()) await program.stop();
  }

  /** kill -9: the peers learn it from TCP or from their hold timers. */
  async kill(): Promise<void> {
    for (const program of this.programs()) program.kill('SIGKILL');
    await Promise.all(this.programs().map((program) => program.exited));
  }

  pause(): void {
    for (const program of this.programs()) program.pause();
  }

  resume(): void {
    for (const program of this.programs()) program.resume();
  }

  /** Waits until the daemon answers; a daemon that has ended says why at once. */
  protected async answering(program: Program, probe: () => Promise<unknown>): Promise<void> {
    const outcome = await Promise.race([
      waitFor(`${program.name} answers`, async () => (await probe()) !== undefined, READY_TIMEOUT_MS),
      program.exited,
    ]);
    if (outcome !== true) throw new Error(`${program.name} ended at start:\n${program.output}`);
  }
}

export interface RouterSettings {
  readonly namespace: Namespace;
  readonly directory: string;
  readonly ipv4: string;
  readonly ipv6: string;
}

function sortNextHops(nextHops: readonly FibNextHop[]): FibNextHop[] {
  return [...nextHops].sort((a, b) => (a.address < b.address ? -1 : 1));
}

export function familiesOf(peer: PeerOptions): readonly IpFamily[] {
  return peer.families ?? [4, 6];
}

export function receivesAddPath(peer: PeerOptions, family: IpFamily): boolean {
  return peer.addPathReceive?.includes(family) ?? true;
}

export function sendsAddPath(peer: PeerOptions, family: IpFamily): boolean {
  return peer.addPathSend?.includes(family) ?? false;
}

export function familyOf(prefix: string): IpFamily {
  return prefix.includes(':') ? 6 : 4;
}

/** Some daemons set TCP MD5 only for an address that they know beforehand, and then silently hear nothing. */
export function refuseRangePasswords(daemon: string, options: RouterOptions): void {
  if (options.listenRanges?.some((range) => range.password !== undefined) === true)
    throw new RangeError(`${daemon} cannot have a password on a listen range`);
}
