// How long an open watch is listened to: until it is silent for too long, until its reader stops, or until contact
// with the API server was lost and is back. For then it may be open and mute for as long again, until the kernel
// of the other end sends once more what was lost; it is let go, and another one begins where it was.

import type { ApiRequest } from '../transport/api-request.ts';
import { TimeLimit } from '../transport/time-limit.ts';
import type { Currency } from './currency.ts';
import { silence } from './follow-trouble.ts';

export class WatchLimit {
  readonly #limit: TimeLimit;
  readonly #unlisten: () => void;
  #mute = false;

  /** `silentMs`: until the first word. A watch that is not open yet has nothing that it could have missed. */
  constructor(currency: Currency, silentMs: number, signal: AbortSignal) {
    this.#limit = new TimeLimit(silentMs, signal);
    this.#unlisten = currency.contact.onRegained(() => {
      if (currency.isOpen) {
        currency.closed();
        this.#mute = true;
        this.#limit.restart(0);
      }
    });
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** What a watch that was broken off by this error met; any other trouble is thrown. */
  judge(error: unknown, request: ApiRequest): 'mute' {
    if (this.#limit.outcome !== 'timeout') {
      throw error;
    }
    if (!this.#mute) {
      throw silence(request);
    }
    return 'mute';
  }

  /** It said something, so it is not mute; the next word may take so long. */
  heard(silentMs: number): void {
    this.#mute = false;
    this.#limit.restart(silentMs);
  }

  /** Must be called at the end. */
  clear(): void {
    this.#unlisten();
    this.#limit.clear();
  }
}
