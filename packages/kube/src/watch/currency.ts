// When what is kept of a collection was last known to be current. While its watch is open, any answer of the API
// server counts: it would have told us, TCP keepalive watches the connection, and after contact was lost the watch is
// not open any more but begins anew (watch-limit).

import type { Contact } from '../transport/contact.ts';

export class Currency {
  readonly contact: Contact;
  #isOpen = false;
  #knownAtMs = 0;

  constructor(contact: Contact) {
    this.contact = contact;
  }

  /** In milliseconds since the epoch; 0 before the first time. */
  get atMs(): number {
    return this.#isOpen ? Math.max(this.#knownAtMs, this.contact.answeredAtMs) : this.#knownAtMs;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A list, or word that there is nothing. */
  known(): void {
    this.#knownAtMs = Date.now();
  }

  /** The watch said something. */
  opened(): void {
    this.#isOpen = true;
    this.known();
  }

  closed(): void {
    this.#isOpen = false;
  }
}
