// Cuts a byte stream into messages: chunks of any size in, whole messages (header included) out, or the one
// session-reset problem that ends the stream. It checks headers as soon as they are complete, so a wrong
// length is an error at once and not a wait for octets that never come. It does not look at bodies.
//
// Memory is bounded by one message and one chunk. After a problem the framer stays silent: what follows a
// broken header cannot be trusted. RFC 4271 section 6.1.

import { decodeHeader } from './header.ts';
import { joined } from './octets.ts';
import { decoded, type Outcome } from './problem.ts';
import { HEADER_LENGTH, MAXIMUM_LENGTH } from './registry.ts';

export class MessageFramer {
  /** Raised to 65535 once extended messages are negotiated (RFC 8654). */
  maximumLength = MAXIMUM_LENGTH;
  #rest: Uint8Array[] = [];
  #restLength = 0;
  /** How many octets are needed before anything can be said. */
  #wanted = HEADER_LENGTH;
  #broken = false;

  /** Lazily, so that a raised `maximumLength` holds for the next message of the same chunk. */
  *push(chunk: Uint8Array): Generator<Outcome<Uint8Array>, void, undefined> {
    this.#rest.push(chunk);
    this.#restLength += chunk.length;
    while (!this.#broken && this.#restLength >= this.#wanted) {
      const next = this.#next(this.#gathered());
      if (next !== undefined) {
        yield next;
      }
    }
  }

  #next(bytes: Uint8Array): Outcome<Uint8Array> | undefined {
    const header = decodeHeader(bytes, this.maximumLength);
    if (!header.ok) {
      this.#broken = true;
      this.#keep(bytes, bytes.length);
      return header;
    }
    const { length } = header.value;
    if (bytes.length < length) {
      this.#wanted = length;
      return undefined;
    }
    this.#keep(bytes, length);
    return decoded(bytes.subarray(0, length));
  }

  #gathered(): Uint8Array {
    const [only] = this.#rest;
    if (only !== undefined && this.#rest.length === 1) {
      return only;
    }
    const whole = joined(this.#rest);
    this.#rest = [whole];
    return whole;
  }

  #keep(bytes: Uint8Array, from: number): void {
    this.#rest = from < bytes.length ? [bytes.subarray(from)] : [];
    this.#restLength = bytes.length - from;
    this.#wanted = HEADER_LENGTH;
  }
}
