// Asks the health ports of nodes that wait to join a prefix (Decision.joining) whether their kube-proxy is
// programmed for the Service: 200 is yes, any other answer is no, silence is unknown. In: who waits, whole.
// Out: World.programmed, with a signal when it changed. Nobody is asked who does not wait.
//
// A kube-proxy answers there for externalTrafficPolicy Local, with 503 while it has no endpoint on the node.

import { get } from 'node:http';

import type { Joining } from '@herald/decision';
import { PersistentMap } from '@herald/net';

/** From an answer, or the lack of one, to the next question, in milliseconds. */
const INTERVAL_MS = 100;
/** The time for an answer. */
const TIMEOUT_MS = 1000;

interface Target {
  readonly host: string;
  readonly port: number;
}

export type AskHealth = (target: Target, signal: AbortSignal) => Promise<boolean | undefined>;

export class HealthProber {
  readonly #onChange: () => void;
  readonly #ask: AskHealth;
  readonly #asking = new Map<string, AbortController>();
  #programmed: PersistentMap<boolean> = PersistentMap.empty();

  constructor(onChange: () => void, ask: AskHealth = askOverHttp) {
    this.#onChange = onChange;
    this.#ask = ask;
  }

  /** By Joining.probe. */
  get programmed(): PersistentMap<boolean> {
    return this.#programmed;
  }

  set(joining: readonly Joining[]): void {
    const wanted = new Map(
      joining.flatMap(({ probe, address, port }) =>
        probe === undefined || port === undefined ? [] : [[probe, { host: address.text, port }] as const],
      ),
    );
    for (const [key, controller] of this.#asking) {
      if (!wanted.has(key)) {
        controller.abort();
        this.#asking.delete(key);
      }
    }
    const gone = [...this.#programmed.keys()].filter((key) => !wanted.has(key));
    this.#programmed = this.#programmed.with([], gone);
    for (const [key, target] of wanted) {
      if (!this.#asking.has(key)) {
        const controller = new AbortController();
        this.#asking.set(key, controller);
        void this.#follow(key, target, controller.signal);
      }
    }
  }

  close(): void {
    this.set([]);
  }

  async #follow(key: string, target: Target, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answer = await this.#ask(target, signal);
      if (!signal.aborted) {
        this.#note(key, answer);
      }
      await pause(INTERVAL_MS, signal);
    }
  }

  #note(key: string, answer: boolean | undefined): void {
    if (this.#programmed.get(key) === answer) {
      return;
    }
    this.#programmed =
      answer === undefined ? this.#programmed.with([], [key]) : this.#programmed.with([[key, answer]]);
    this.#onChange();
  }
}

function askOverHttp({ host, port }: Target, signal: AbortSignal): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const request = get({ host, port, path: '/healthz', agent: false, signal: limited }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(undefined));
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
