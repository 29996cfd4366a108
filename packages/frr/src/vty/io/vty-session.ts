// One connection to bgpd's vty socket: a command goes out with a NUL behind it, its answer comes back,
// then the next. Strings in, strings out; a failure is a VtyError and closes the connection, because what
// arrives afterwards could be the answer to something else. Rejected commands leave it open.
//
// Bounded in time and bytes. Does not know what the commands mean.

import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { AnswerReader } from '../answer.ts';
import type { VtyAnswer } from '../answer.ts';
import { VtyError } from '../vty-error.ts';

export interface VtySettings {
  /** DIR/bgpd.vty, where DIR is bgpd's --vty_socket. */
  readonly socketPath: string;
  readonly answerTimeoutMs: number;
  readonly maxAnswerBytes: number;
}

/**
 * A dump of 200,000 paths is about 100 MB and takes bgpd about two seconds. The bytes have to stay below what a
 * string can hold (2^29 - 24 characters): a longer answer would throw where nobody could catch it.
 */
export const VTY_BOUNDS = { answerTimeoutMs: 30_000, maxAnswerBytes: 480 * 1024 * 1024 } as const;

/** What an answer is handed to as it comes, in bytes. */
export type AnswerSink = (bytes: Buffer) => void;

interface Waiting {
  readonly command: string;
  readonly sink: AnswerSink | undefined;
  readonly resolve: (answer: VtyAnswer) => void;
  readonly reject: (error: VtyError) => void;
}

export class VtySession {
  readonly #settings: VtySettings;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  readonly #queue: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;

  constructor(settings: VtySettings) {
    this.#settings = settings;
    this.#socket = connect(settings.socketPath);
    this.#socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.#socket.on('error', (error) => this.#fail('Unreachable', error.message));
    this.#socket.on('close', () => this.#fail('Unreachable', 'bgpd closed the connection'));
  }

  /**
   * Whatever bgpd answers, accepted or not; the caller judges the status. With a sink the answer goes there piece by
   * piece and its text has only what came last.
   */
  ask(command: string, sink?: AnswerSink): Promise<VtyAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#problem !== undefined) {
        reject(new VtyError('Unreachable', command, this.#problem));
      } else if (/[\0\r\n]/.test(command)) {
        reject(new VtyError('Malformed', command, 'a command is one line without NUL'));
      } else {
        this.#enqueue({ command, sink, resolve, reject });
      }
    });
  }

  close(): void {
    this.#fail('Unreachable', 'this session was closed');
  }

  #enqueue(waiting: Waiting): void {
    this.#queue.push(waiting);
    if (this.#queue.length === 1) {
      this.#sendFirst();
    }
  }

  #sendFirst(): void {
    const first = this.#queue[0];
    clearTimeout(this.#timer);
    if (first !== undefined) {
      const ms = this.#settings.answerTimeoutMs;
      this.#timer = setTimeout(() => this.#fail('Timeout', `no answer within ${ms} ms`), ms);
      this.#socket.write(`${first.command}\0`);
    }
  }

  #receive(bytes: Uint8Array): void {
    for (const answer of this.#reader.push(bytes)) {
      this.#queue.shift()?.resolve(answer);
      this.#sendFirst();
    }
    this.#pass(this.#queue[0]?.sink);
    if (this.#reader.heldBytes > this.#settings.maxAnswerBytes) {
      this.#fail('AnswerTooLong', `more than ${this.#settings.maxAnswerBytes} bytes`);
    }
  }

  /** One piece in each turn of the event loop: who takes in a large answer keeps nobody waiting. */
  #pass(sink: AnswerSink | undefined): void {
    if (sink !== undefined) {
      sink(this.#reader.drain());
      this.#socket.pause();
      setImmediate(() => this.#socket.resume());
    }
  }

  #fail(code: 'Unreachable' | 'Timeout' | 'AnswerTooLong', problem: string): void {
    clearTimeout(this.#timer);
    this.#problem ??= problem;
    this.#socket.destroy();
    for (const waiting of this.#queue.splice(0)) {
      waiting.reject(new VtyError(code, waiting.command, problem));
    }
  }
}
