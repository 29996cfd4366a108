// `npm run soak -- [--minutes N] [--seed S] [--router frr|bird] [--json]`: random failures and changes, one after the
// other, in front of a real router, until the time is over or something is not as it must be. A seed makes the same
// choices again. Exit code 0 only if every next hop was always a node that serves, no prefix was ever without
// one, no request was lost, and everything came to rest after each failure.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { RequestTotals } from '@herald/lab';

import { Chance } from './chance.ts';
import { MISCHIEF } from './mischief.ts';
import type { Violation } from './route-claims.ts';
import { SoakScene } from './soak-scene.ts';

const RATE_PER_SECOND = 100;
const LEAST_NODES = 2;
const MOST_NODES = 3;

interface Outcome {
  readonly seed: number;
  readonly rounds: number;
  readonly changes: number;
  readonly kernelMessages: number;
  readonly sent: number;
  readonly lost: number;
  readonly lostByCause: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Why it ended early; '': it did not. */
  readonly stuck: string;
}

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    router: { type: 'string', default: 'frr' },
    json: { type: 'boolean', default: false },
  },
});

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

class Soak {
  readonly #scene: SoakScene;
  readonly #chance: Chance;
  readonly #startedMs = Date.now();
  #changes = 0;
  #rounds = 0;
  #told = 0;

  constructor(scene: SoakScene, seed: number) {
    this.#scene = scene;
    this.#chance = new Chance(seed);
  }

  async run(minutes: number, seed: number): Promise<Outcome> {
    const { client, services, watch } = this.#scene;
    const targets = services.map(({ address }) => address);
    await client.start({ targets, ratePerSecond: RATE_PER_SECOND });
    let stuck = '';
    while (stuck === '' && Date.now() - this.#startedMs < minutes * 60_000) {
      stuck = await this.#round().then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
      this.#tell();
    }
    const { sent, lost, lostByCause }: RequestTotals = await client.stop();
    const counted = { rounds: this.#rounds, changes: this.#changes, kernelMessages: watch.events };
    return { seed, ...counted, sent, lost, lostByCause, violations: watch.violations, stuck };
  }

  async #round(): Promise<void> {
    const { name, changes: kind, act } = this.#chance.pick(MISCHIEF);
    this.#rounds += 1;
    say(`${this.#now()} ${name}`);
    // Its own generator: how many changes there is time for depends on the machine.
    const changing = new Chance(Math.floor(this.#chance.between(0, 2 ** 31)));
    const over = new AbortController();
    const changes = kind === 'none' ? Promise.resolve() : this.#change(changing, kind, over.signal);
    try {
      await act(this.#scene, this.#chance);
    } finally {
      over.abort();
      await changes;
    }
    await this.#scene.calm();
  }

  async #change(chance: Chance, kind: 'all' | 'moves', signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#changeOne(chance, kind);
      await sleep(chance.between(100, 1000));
    }
  }

  async #changeOne(chance: Chance, kind: 'all' | 'moves'): Promise<void> {
    const { services, passing, nodes, truth } = this.#scene;
    const on = chance.some(nodes, Math.round(chance.between(LEAST_NODES, MOST_NODES)));
    const one = chance.pick(kind === 'all' ? [...services, ...passing] : services);
    this.#changes += 1;
    if (services.includes(one)) {
      await this.#scene.move(one, on);
    } else if (truth.mustBeThere(one.prefix)) {
      await this.#scene.remove(one);
    } else {
      await this.#scene.create(one, on);
    }
  }

  #tell(): void {
    const { violations } = this.#scene.watch;
    violations.slice(this.#told).forEach(({ atMs, text }) => say(`${this.#now(atMs)} VIOLATION ${text}`));
    this.#told = violations.length;
  }

  #now(atMs: number = Date.now()): string {
    return `${((atMs - this.#startedMs) / 1000).toFixed(1)} s`;
  }
}

function sentence({ seed, rounds, changes, kernelMessages, sent, lost, violations, stuck }: Outcome): string {
  return [
    `seed ${seed}: ${rounds} failures, ${changes} changes, ${kernelMessages} messages of the kernel`,
    `${sent} requests sent, ${lost} lost`,
    `${violations.length} violations`,
    ...(stuck === '' ? [] : [`it did not come to rest: ${stuck}`]),
  ].join('; ');
}

async function main(): Promise<number> {
  const [minutes, seed] = [Number(options.minutes), Number(options.seed)];
  const { router } = options;
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || (router !== 'frr' && router !== 'bird')) {
    throw new Error('--minutes is a number above 0, --seed a whole number, --router frr or bird');
  }
  say(`seed ${seed}, ${minutes} minutes, ${router}`);
  const scene = await SoakScene.open(router);
  try {
    const outcome = await new Soak(scene, seed).run(minutes, seed);
    const ok = outcome.lost === 0 && outcome.violations.length === 0 && outcome.stuck === '';
    say(sentence(outcome));
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ ok, ...outcome })}\n`);
    }
    return ok ? 0 : 1;
  } finally {
    await scene.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  say(`soak: ${(error as Error).message}`);
  process.exitCode = 1;
}
