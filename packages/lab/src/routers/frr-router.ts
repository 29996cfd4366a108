/**
 * A router that runs FRR: zebra and bgpd in the router's namespace, with sockets of their own.
 *
 * Serves both the machine's FRR (8.4 on Debian 12) and the one in the pods' root folder (10.3): the second one runs
 * in a sandbox with root's rights. The configuration is loaded by vtysh after the start, because 8.4 does not
 * read it by itself when its paths are given.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import type { IpFamily } from '../namespace.ts';
import type { Program } from '../program.ts';
import { samePath, sandboxArgv } from '../sandbox.ts';
import { vtyCommand, vtyJson } from '../vty.ts';
import { frrConfig } from './frr-config.ts';
import { frrRemovals } from './frr-removals.ts';
import { frrPaths, frrSessions } from './frr-output.ts';
import type { FrrNeighbors, FrrTable } from './frr-output.ts';
import { Router } from './router.ts';
import type { RouterOptions, RouterPath, RouterSession, RouterSettings } from './router.ts';

export interface FrrRouterSettings extends RouterSettings {
  /** `/` for the machine's own FRR. */
  readonly root: string;
  /** An existing empty folder; needed when `root` is not `/`. */
  readonly mountPoint: string;
}

export class FrrRouter extends Router {
  protected readonly fibProtocols = ['bgp'];
  readonly #settings: FrrRouterSettings;
  #zebra: Program | undefined;
  #bgpd: Program | undefined;
  #options: RouterOptions | undefined;
  #configuration = '';

  constructor(settings: FrrRouterSettings) {
    super(settings);
    this.#settings = settings;
    // The daemons give up root before they make their sockets here.
    chmodSync(this.directory, 0o777);
  }

  async start(options: RouterOptions): Promise<void> {
    writeFileSync(this.#file('none.conf'), '');
    chmodSync(this.#file('none.conf'), 0o644);
    await this.#startDaemon('zebra');
    await this.#startDaemon('bgpd');
    this.#options = options;
    this.#configuration = frrConfig(options);
    await this.loadConfiguration(this.#configuration);
  }

  /** Takes away what the new configuration lacks, then adds what it has. */
  async reconfigure(options: RouterOptions): Promise<void> {
    const configuration = frrConfig(options);
    const removals = frrRemovals(this.#configuration, configuration);
    if (removals !== '') await this.loadConfiguration(removals);
    await this.loadConfiguration(configuration);
    this.#options = options;
    this.#configuration = configuration;
  }

  /** Adds lines in FRR's own language to the running configuration. */
  async loadConfiguration(text: string): Promise<void> {
    writeFileSync(this.#file('frr.conf'), text);
    chmodSync(this.#file('frr.conf'), 0o644);
    await this.#vtysh('-f', this.#file('frr.conf'));
  }

  async sessions(): Promise<RouterSession[]> {
    return frrSessions(await vtyJson<FrrNeighbors>(this.#vty, 'show bgp neighbors json'));
  }

  async table(family: IpFamily): Promise<RouterPath[]> {
    return frrPaths(await vtyJson<FrrTable>(this.#vty, `show bgp ipv${family} unicast json detail`));
  }

  /** One command to bgpd, in FRR's own language. */
  show(command: string): Promise<string> {
    return vtyCommand(this.#vty, command);
  }

  get bgpd(): Program {
    if (this.#bgpd === undefined) throw new Error(`${this.name} was not started`);
    return this.#bgpd;
  }

  /** Only bgpd is killed and comes back with the configuration last loaded: "the router's bgpd crashes". */
  async restartBgpd(): Promise<void> {
    this.bgpd.kill('SIGKILL');
    await this.bgpd.exited;
    await this.#startDaemon('bgpd');
    await this.loadConfiguration(this.#configuration);
  }

  /** On SIGTERM alone bgpd says nothing to peers with graceful restart, and they would keep its routes. */
  override async stop(): Promise<void> {
    if (this.#options !== undefined && this.bgpd.isRunning) {
      const router = `router bgp ${this.#options.asn}`;
      await this.#vtysh('-c', 'configure terminal', '-c', router, '-c', 'bgp shutdown');
    }
    await super.stop();
  }

  protected programs(): Program[] {
    return [this.#zebra, this.#bgpd].filter((program) => program !== undefined);
  }

  async #startDaemon(daemon: 'zebra' | 'bgpd'): Promise<void> {
    const argv = this.#inRoot([`/usr/lib/frr/${daemon}`, ...this.#flags(daemon)]);
    const program = this.namespace.start(daemon, argv);
    if (daemon === 'zebra') this.#zebra = program;
    else this.#bgpd = program;
    await this.answering(program, () => vtyCommand(this.#file(`${daemon}.vty`), 'show version'));
  }

  #flags(daemon: string): string[] {
    const sockets = ['-z', this.#file('zserv.api'), '--vty_socket', this.directory];
    const files = ['-i', this.#file(`${daemon}.pid`), '-f', this.#file('none.conf'), '--log', 'stdout'];
    return ['-P', '0', '-A', '127.0.0.1', ...sockets, ...files];
  }

  async #vtysh(...words: readonly string[]): Promise<void> {
    await run(this.#inRoot(['vtysh', '--vty_socket', this.directory, ...words]));
  }

  #inRoot(argv: readonly string[]): string[] {
    const { root, mountPoint } = this.#settings;
    if (root === '/') return [...argv];
    return sandboxArgv({ root, mountPoint, writable: [samePath(this.directory)], rights: 'root' }, argv);
  }

  #file(name: string): string {
    return join(this.directory, name);
  }

  get #vty(): string {
    return this.#file('bgpd.vty');
  }
}
