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
/** Octets; the default of one million is a few thousand routes with many next hops. */
const RECEIVE_BUFFER = '134217728';
/** ENOBUFS in the words of iproute2. */
const OVERRUN = /No buffer space|buffer overrun/i;
/** One of 65,536 in the benchmarking range (RFC 2544), so that an earlier probe is not taken for this one. */
function probePrefix(number: number): string {
  return `198.19.${(number >> 8) & 255}.${number & 255}`;
}

export type FibListener = (event: FibEvent) => void;

export class FibMonitor {
  readonly #program: Program;
  readonly #events: FibEvent[] = [];
  readonly #listeners = new Set<FibListener>();
  readonly #namespace: Namespace;
  #probes = 0;
  #heardProbe = '';
  #overruns = 0;

  private constructor(namespace: Namespace, program: Program) {
    this.#namespace = namespace;
    this.#program = program;
    program.onLine((line) => this.#hear(line));
  }

  static async start(namespace: Namespace): Promise<FibMonitor> {
    const monitor = new FibMonitor(
      namespace,
      namespace.start('ip-monitor', ['ip', '-rcvbuf', RECEIVE_BUFFER, '-ts', '-o', 'monitor', 'route'], {
        // Its time stamps are local time.
        env: { ...onlyPath(), TZ: 'UTC' },
        priority: -5,
      }),
    );
    await monitor.caughtUp();
    return monitor;
  }

  /** Everything that happened before the call has been heard: events come in order, so a probe's comes last. */
  async caughtUp(): Promise<void> {
    const prefix = probePrefix(this.#probes++);
    const probe = `unreachable ${prefix} table ${PROBE_TABLE}`;
    await waitFor('the route monitor hears its probe', async () => {
      await this.#namespace.ip(`route replace ${probe}`, `route del ${probe}`);
      return this.#heardProbe.startsWith(prefix);
    });
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

  /** How often messages were lost because they came faster than they were read. */
  get overruns(): number {
    return this.#overruns;
  }

  clear(): void {
    this.#events.length = 0;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  #hear(line: string): void {
    const event = parseMonitorLine(line);
    if (event === undefined) {
      this.#overruns += OVERRUN.test(line) ? 1 : 0;
      return;
    }
    if (event.table === PROBE_TABLE) {
      this.#heardProbe = event.route.prefix;
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
