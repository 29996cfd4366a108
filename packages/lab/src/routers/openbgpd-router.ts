/**
 * A router that runs OpenBGPD (portable); it holds a BGP table but programs no kernel.
 *
 * Runs in a sandbox of the machine's own root, because its privilege separation insists on a folder in /run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import type { IpFamily } from '../namespace.ts';
import type { Program } from '../program.ts';
import { samePath, sandboxArgv } from '../sandbox.ts';
import { openbgpdConfig } from './openbgpd-config.ts';
import { openbgpdPaths, openbgpdSessions } from './openbgpd-output.ts';
import { Router } from './router.ts';
import type { RouterOptions, RouterPath, RouterSession, RouterSettings } from './router.ts';

export interface OpenbgpdRouterSettings extends RouterSettings {
  readonly mountPoint: string;
}

export class OpenbgpdRouter extends Router {
  protected readonly fibProtocols = [];
  readonly #mountPoint: string;
  #bgpd: Program | undefined;

  constructor(settings: OpenbgpdRouterSettings) {
    super(settings);
    this.#mountPoint = settings.mountPoint;
  }

  async start(options: RouterOptions): Promise<void> {
    this.#writeConfiguration(options);
    const start = ['sh', '-c', 'mkdir -p /run/openbgpd && exec bgpd -d -v -f "$0"', this.#configuration];
    const sandbox = { root: '/', mountPoint: this.#mountPoint, writable: [samePath(this.directory)] };
    this.#bgpd = this.namespace.start('openbgpd', sandboxArgv({ ...sandbox, rights: 'root' }, start));
    await this.answering(this.#bgpd, () => this.show('show'));
  }

  async reconfigure(options: RouterOptions): Promise<void> {
    this.#writeConfiguration(options);
    await this.show('reload');
  }

  async sessions(): Promise<RouterSession[]> {
    return openbgpdSessions(await this.show('-j', 'show', 'neighbor'), this.logs);
  }

  async table(family: IpFamily): Promise<RouterPath[]> {
    return openbgpdPaths(await this.show('-j', 'show', 'rib', 'detail'), family);
  }

  show(...words: readonly string[]): Promise<string> {
    return run(['bgpctl', '-s', this.#socket, ...words]);
  }

  protected programs(): Program[] {
    return this.#bgpd === undefined ? [] : [this.#bgpd];
  }

  #writeConfiguration(options: RouterOptions): void {
    // It refuses a file that others may read.
    writeFileSync(this.#configuration, openbgpdConfig(options, this.#socket), { mode: 0o600 });
  }

  get #configuration(): string {
    return join(this.directory, 'openbgpd.conf');
  }

  get #socket(): string {
    return join(this.directory, 'bgpd.sock');
  }
}
