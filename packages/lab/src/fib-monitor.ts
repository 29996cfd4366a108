/**
 * Watches the kernel's routes in one namespace and tells every change with its time.
 *
 * In: a namespace. Out: events in order, from `ip monitor`. It is known to be listening before `start` resolves: a
 * probe route in a table of its own is added until it is seen, and such events are not told.
 */
import type { FibEvent } from './ip-route.ts';
import { parseMonitorLine } from './ip-route.ts';
import type { Namespace } from './namespace.ts';
import type { Program } from './program.ts';
import { waitFor } from './wait-for.ts';

const PROBE_TABLE = '4242';
const PROBE_ROUTE = 'blackhole 192.0.2.254/32';

export type FibListener = (event: FibEvent) => void;

export class FibMonitor {
  readonly #program: Program;
  readonly #events: FibEvent[] = [];
  readonly #listeners = new Set<FibListener>();
  #isListening = false;

  private constructor(program: Program) {
    this.#program = program;
    program.onLine((line) => this.#hear(line));
  }

  static async start(namespace: Namespace): Promise<FibMonitor> {
    const monitor = new FibMonitor(
      namespace.start('ip-monitor', ['ip', '-ts', '-o', 'monitor', 'route'], {
        // Its time stamps are local time.
        env: { ...onlyPath(), TZ: 'UTC' },
        priority: -5,
      }),
    );
    await waitFor('the route monitor listens', async () => {
      const probe = `${PROBE_ROUTE} table ${PROBE_TABLE}`;
      await namespace.ip(`route replace ${probe}`, `route del ${probe}`);
      return monitor.#isListening;
    });
    return monitor;
  }

  get events(): readonly FibEvent[] {
    return this.#events;
  }

  eventsFor(prefix: string): FibEvent[] {
    return this.#events.filter((event) => event.route.prefix === prefix);
  }

  onEvent(listener: FibListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#events.length = 0;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  #hear(line: string): void {
    const event = parseMonitorLine(line);
    if (event === undefined) return;
    if (event.table === PROBE_TABLE) {
      this.#isListening = true;
      return;
    }
    if (event.table !== 'main') return;
    this.#events.push(event);
    for (const listener of this.#listeners) listener(event);
  }
}

function onlyPath(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' };
}
