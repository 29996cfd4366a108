// One TCP connection that carries messages: a connected socket in, whole messages out; octets in, back-pressure
// out. It cuts the stream and reports the end once. It knows no message and takes no decision.

import type { Socket } from 'node:net';
import { MessageFramer } from '../../wire/framer.ts';
import type { Outcome } from '../../wire/problem.ts';

/** How long the peer may take to read what is queued after we said goodbye. */
const FAREWELL_MS = 1000;

export interface ConnectionHandlers {
  readonly onFrame: (frame: Outcome<Uint8Array>) => void;
  /** There is room again after a `write` that returned false. */
  readonly onDrain: () => void;
  readonly onEnd: (text: string) => void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #framer = new MessageFramer();
  #handlers: ConnectionHandlers | undefined;
  #endText = 'the peer closed the connection';

  constructor(socket: Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Uint8Array) => {
      this.#received(chunk);
    });
    socket.on('drain', () => this.#handlers?.onDrain());
    socket.on('error', (error) => {
      this.#endText = error.message;
    });
    socket.on('close', () => this.#handlers?.onEnd(this.#endText));
  }

  /** Octets of the longest message that the peer may send. */
  allow(maximumLength: number): void {
    this.#framer.maximumLength = maximumLength;
  }

  get hasRoom(): boolean {
    return !this.#socket.writableNeedDrain;
  }

  /** Nothing is left that the kernel has not taken. */
  get isFlushed(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** False: write no more before `onDrain`. */
  write(bytes: Uint8Array, onTaken?: () => void): boolean {
    return this.#socket.write(bytes, (error) => {
      if (!error) {
        onTaken?.();
      }
    });
  }

  /** Lets one system call take all that `writes` writes. */
  together(writes: () => void): void {
    this.#socket.cork();
    writes();
    this.#socket.uncork();
  }

  /** No handler is called any more. Sends what is queued, for a bounded time, and resolves when closed. */
  async finish(): Promise<void> {
    this.#handlers = undefined;
    const socket = this.#socket;
    if (socket.closed) {
      return;
    }
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
    const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
    socket.end(); // and go on reading: closing with unread data would reset, and lose the NOTIFICATION
    await closed;
    clearTimeout(timer);
  }

  #received(chunk: Uint8Array): void {
    for (const frame of this.#framer.push(chunk)) {
      if (this.#handlers === undefined) {
        return;
      }
      this.#handlers.onFrame(frame);
    }
  }
}
