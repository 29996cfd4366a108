/**
 * A router that runs BIRD 2, with its control socket and configuration in its own folder.
 *
 * State is read through `birdc`; a new configuration is loaded by `configure`, which touches only what changed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import type { IpFamily } from '../namespace.ts';
import type { Program } from '../program.ts';
import { birdConfig } from './bird-config.ts';
import { birdPaths, birdPeers, birdSessions } from './bird-output.ts';
import { Router } from './router.ts';
import type { RouterOptions, RouterPath, RouterSession } from './router.ts';

export class BirdRouter extends Router {
  protected readonly fibProtocols = ['bird'];
  #bird: Program | undefined;

  async start(options: RouterOptions): Promise<void> {
    writeFileSync(this.#file('bird.conf'), birdConfig(options));
    const argv = [
      'bird',
      '-f',
      '-c',
      this.#file('bird.conf'),
      '-s',
      this.#socket,
      '-P',
      this.#file('bird.pid'),
    ];
    this.#bird = this.namespace.start('bird', argv);
    await this.answering(this.#bird, () => this.show('show status'));
  }

  async reconfigure(options: RouterOptions): Promise<void> {
    writeFileSync(this.#file('bird.conf'), birdConfig(options));
    const answer = await this.show('configure');
    if (!/Reconfigur/.test(answer)) throw new Error(`${this.name} refused its configuration: ${answer}`);
  }

  async sessions(): Promise<RouterSession[]> {
    return birdSessions(await this.show('show protocols all'), this.logs);
  }

  async table(family: IpFamily): Promise<RouterPath[]> {
    const peers = birdPeers(await this.show('show protocols all'));
    return birdPaths(await this.show(`show route table master${family} all`), peers);
  }

  /** One command in BIRD's own language. */
  show(command: string): Promise<string> {
    return run(['birdc', '-s', this.#socket, ...command.split(' ')]);
  }

  protected programs(): Program[] {
    return this.#bird === undefined ? [] : [this.#bird];
  }

  get #socket(): string {
    return this.#file('bird.ctl');
  }

  #file(name: string): string {
    return join(this.directory, name);
  }
}
