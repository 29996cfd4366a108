// A socket that a test holds in its hands: it decides when octets arrive, when the kernel takes what was written
// and when the connection ends. With it back-pressure is a fact and not a matter of waiting long enough.

import { Socket } from 'node:net';
import { Listeners } from '../../src/index.ts';
import type { Claim } from '../../src/feed/io/listeners.ts';

type Taken = (error?: Error | null) => void;

export class ScriptedSocket extends Socket {
  /** What the kernel took, one entry for each write. */
  readonly written: Buffer[] = [];
  /** The peer was told that nothing more comes. */
  finished = false;
  #blocked = false;
  #waiting: { readonly chunks: readonly Buffer[]; readonly taken: Taken } | undefined;

  /** From now on the kernel takes nothing. */
  block(): void {
    this.#blocked = true;
  }

  /** The kernel takes what waits, and whatever comes. */
  unblock(): void {
    this.#blocked = false;
    this.takeOnce();
  }

  /** The kernel takes what waits, and nothing more. */
  takeOnce(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) {
      this.written.push(...waiting.chunks);
      waiting.taken();
    }
  }

  arrive(bytes: Uint8Array): void {
    this.push(Buffer.from(bytes));
  }

  override _read(): void {
    // octets come when the test says so
  }

  override _write(chunk: Buffer, _: BufferEncoding, taken: Taken): void {
    this.#take([chunk], taken);
  }

  override _writev(chunks: { chunk: Buffer }[], taken: Taken): void {
    this.#take(
      chunks.map(({ chunk }) => chunk),
      taken,
    );
  }

  override _final(done: Taken): void {
    this.finished = true;
    done();
  }

  override setNoDelay(): this {
    return this;
  }

  #take(chunks: readonly Buffer[], taken: Taken): void {
    if (this.#blocked) {
      this.#waiting = { chunks, taken };
      return;
    }
    this.written.push(...chunks);
    taken();
  }
}

/** Servers without a network: connections come from the test. */
export class ScriptedListeners extends Listeners {
  claimed: Claim | undefined;
  released = 0;

  override claim(claim: Claim): void {
    this.claimed = claim;
  }

  override release(): Promise<void> {
    this.released += 1;
    return Promise.resolve();
  }

  connect(socket: Socket = new ScriptedSocket()): Socket {
    this.claimed?.onConnection(socket);
    return socket;
  }
}
