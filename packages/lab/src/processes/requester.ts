/**
 * Runs in a client's namespace: sends HTTP requests at a steady rate, each on a new connection, never retried, and
 * counts what came back.
 *
 * Lost = no complete answer within the deadline. A request that the local kernel or the network refuses at once is
 * lost as well, told apart by its cause. Answers that had arrived but were not read yet when the deadline passed
 * count as answered: the socket is read before the judgement.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { answerLines } from './answer-lines.ts';

export interface Target {
  readonly address: string;
  readonly port: number;
}

export interface StartQuestion {
  readonly id: number;
  readonly kind: 'start';
  readonly targets: readonly Target[];
  readonly ratePerSecond: number;
  readonly deadlineMs: number;
  /** Stops by itself after so many. */
  readonly count: number | null;
}

export interface Totals {
  readonly sent: number;
  readonly answered: number;
  readonly lost: number;
  readonly inFlight: number;
  /** By the text that came back: a worker's name. */
  readonly answers: Readonly<Record<string, number>>;
  /** By service address. */
  readonly lostByAddress: Readonly<Record<string, number>>;
  readonly lostByCause: Readonly<Record<string, number>>;
  /** When the lost ones were sent, epoch milliseconds; the first thousand. */
  readonly lostAtMs: readonly number[];
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The longest time that this process itself was kept from sending: large values spoil a measurement. */
  readonly longestStallMs: number;
}

type Question =
  | StartQuestion
  | { readonly id: number; readonly kind: 'totals' }
  | { readonly id: number; readonly kind: 'stop' };

interface Request {
  readonly target: Target;
  readonly sentAt: number;
  readonly socket: Socket;
  done: boolean;
}

interface Counters {
  sent: number;
  answered: number;
  lost: number;
  readonly answers: Record<string, number>;
  readonly lostByAddress: Record<string, number>;
  readonly lostByCause: Record<string, number>;
  readonly lostAtMs: number[];
  readonly latencies: number[];
  longestStallMs: number;
}

const TICK_MS = 2;
const MAX_LOST_TIMES = 1_000;
const END_OF_HEAD = '\r\n\r\n';

let current: Run | undefined;

answerLines((question: Question) => {
  switch (question.kind) {
    case 'start':
      current = new Run(question);
      return undefined;
    case 'totals':
      return current?.totals();
    case 'stop':
      return current?.stop();
  }
});

class Run {
  readonly #question: StartQuestion;
  readonly #counters: Counters = newCounters();
  readonly #pending: Request[] = [];
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #lastTick = performance.now();
  #sending = true;
  #drained: (() => void) | undefined;

  constructor(question: StartQuestion) {
    this.#question = question;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  totals(): Totals {
    const { latencies, ...counters } = this.#counters;
    const sorted = Float64Array.from(latencies).sort();
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const inFlight = counters.sent - counters.answered - counters.lost;
    return { ...counters, inFlight, latencyMs: { p50: at(0.5), p99: at(0.99), max: at(1) } };
  }

  /** Sends no more and waits until every request is answered or lost. */
  async stop(): Promise<Totals> {
    this.#sending = false;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    return this.totals();
  }

  #tick(): void {
    const now = performance.now();
    this.#counters.longestStallMs = Math.max(this.#counters.longestStallMs, now - this.#lastTick - TICK_MS);
    this.#lastTick = now;
    if (this.#sending) this.#sendDue(now);
    // After the sockets have been read, hence not here.
    setImmediate(() => this.#judge(now));
  }

  #sendDue(now: number): void {
    const { ratePerSecond, count } = this.#question;
    const due = Math.min(Math.floor(((now - this.#startedAt) / 1_000) * ratePerSecond), count ?? Infinity);
    while (this.#counters.sent < due) this.#send();
  }

  #send(): void {
    const { targets } = this.#question;
    const target = targets[this.#counters.sent % targets.length];
    if (target === undefined) return;
    this.#counters.sent += 1;
    const socket = connect({ host: target.address, port: target.port, noDelay: true, allowHalfOpen: true });
    const request: Request = { target, sentAt: performance.now(), socket, done: false };
    this.#pending.push(request);
    this.#converse(request);
  }

  #converse(request: Request): void {
    const { socket, target } = request;
    let answer = '';
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lose(request, error.code ?? 'error'));
    socket.on('end', () => (request.done ? giveBack(socket) : this.#lose(request, 'incomplete')));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const body = completeBody(answer);
      if (body !== undefined) this.#answer(request, body);
    });
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostHeader(target)}\r\nConnection: close\r\n\r\n`);
  }

  #answer(request: Request, body: string): void {
    if (request.done) return;
    request.done = true;
    this.#counters.answered += 1;
    this.#counters.latencies.push(performance.now() - request.sentAt);
    increment(this.#counters.answers, body);
  }

  #lose(request: Request, cause: string): void {
    if (request.done) return;
    request.done = true;
    giveBack(request.socket);
    this.#counters.lost += 1;
    increment(this.#counters.lostByAddress, request.target.address);
    increment(this.#counters.lostByCause, cause);
    if (this.#counters.lostAtMs.length < MAX_LOST_TIMES)
      this.#counters.lostAtMs.push(Date.now() - (performance.now() - request.sentAt));
  }

  /** Every request has the same deadline, so the oldest is always in front. What is answered has until then to close. */
  #judge(now: number): void {
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending) {
      if (!first.socket.destroyed && now - first.sentAt < this.#question.deadlineMs) break;
      this.#lose(first, 'no answer in time');
      giveBack(first.socket);
      this.#pending.shift();
    }
    if (this.#drained === undefined || this.#pending.length > 0) return;
    clearInterval(this.#timer);
    this.#drained();
  }
}

function newCounters(): Counters {
  return {
    sent: 0,
    answered: 0,
    lost: 0,
    answers: {},
    lostByAddress: {},
    lostByCause: {},
    lostAtMs: [],
    latencies: [],
    longestStallMs: 0,
  };
}

/**
 * Reset, not closed: a port in TIME_WAIT for a minute each would run out of ports in half a minute. After the server has
 * closed: of a connection that is reset first, Linux may keep the way through NAT for days, and the next one from the
 * same port goes to a pod that is long gone. One that was never answered is given up, else it would be tried on.
 */
function giveBack(socket: Socket): void {
  if (socket.connecting) socket.destroy();
  else socket.resetAndDestroy();
}

function completeBody(answer: string): string | undefined {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(answer)?.[1];
  const body = answer.slice(end + END_OF_HEAD.length);
  if (length === undefined || !answer.startsWith('HTTP/1.1 200 ')) return undefined;
  return body.length < Number(length) ? undefined : body.slice(0, Number(length));
}

function hostHeader({ address, port }: Target): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function increment(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
