/**
 * A router that runs GoBGP 3; it holds a BGP table but programs no kernel.
 *
 * Its API listens on the namespace's own loopback, so that many can run on one machine.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IpFamily } from '../namespace.ts';
import type { Program } from '../program.ts';
import { gobgpConfig } from './gobgp-config.ts';
import { gobgpPaths, gobgpSessions } from './gobgp-output.ts';
import { Router } from './router.ts';
import type { RouterOptions, RouterPath, RouterSession } from './router.ts';

export class GobgpRouter extends Router {
  protected readonly fibProtocols = [];
  #gobgpd: Program | undefined;

  async start(options: RouterOptions): Promise<void> {
    this.#writeConfiguration(options);
    const argv = [
      'gobgpd',
      '-p',
      '-f',
      this.#configuration,
      '--api-hosts',
      '127.0.0.1:50051',
      '--pprof-disable',
    ];
    this.#gobgpd = this.namespace.start('gobgpd', argv);
    await this.answering(this.#gobgpd, () => this.show('global', '-j'));
    await this.#gobgpd.lineMatching(/Finished reading the config file/);
    for (const prefix of options.originates ?? []) await this.#originate(prefix);
  }

  /** GoBGP reads its file again on SIGHUP and says so. */
  async reconfigure(options: RouterOptions): Promise<void> {
    this.#writeConfiguration(options);
    const read = new Promise<void>((resolve) => {
      const forget = this.#gobgpd?.onLine((line) => {
        if (!/Reload the config file|Update.*config|Finished reloading/.test(line)) return;
        forget?.();
        resolve();
      });
    });
    this.#gobgpd?.kill('SIGHUP');
    await read;
  }

  async sessions(): Promise<RouterSession[]> {
    return gobgpSessions(await this.show('neighbor', '-j'), this.logs);
  }

  async table(family: IpFamily): Promise<RouterPath[]> {
    return gobgpPaths(await this.show('global', 'rib', '-j', '-a', `ipv${family}`));
  }

  show(...words: readonly string[]): Promise<string> {
    return this.namespace.run(['gobgp', ...words]);
  }

  protected programs(): Program[] {
    return this.#gobgpd === undefined ? [] : [this.#gobgpd];
  }

  async #originate(prefix: string): Promise<void> {
    await this.show('global', 'rib', 'add', prefix, '-a', prefix.includes(':') ? 'ipv6' : 'ipv4');
  }

  #writeConfiguration(options: RouterOptions): void {
    writeFileSync(this.#configuration, gobgpConfig(options));
  }

  get #configuration(): string {
    return join(this.directory, 'gobgpd.conf');
  }
}
