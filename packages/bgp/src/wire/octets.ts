// Reading and building runs of octets in network byte order.
//
// The reader never throws: reading past the end gives zeros and sets `overrun`, which the caller checks once
// after a group of fields. That keeps decoders short and makes "truncated anywhere" one case instead of many.
// It knows nothing of BGP.

export class OctetReader {
  readonly #bytes: Uint8Array;
  #offset = 0;
  overrun = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  /** The next octet, which stays to be read; undefined behind the end. */
  peek(): number | undefined {
    return this.#bytes[this.#offset];
  }

  uint8(): number {
    if (this.#offset >= this.#bytes.length) {
      this.overrun = true;
      return 0;
    }
    return this.#bytes[this.#offset++] ?? 0;
  }

  uint16(): number {
    return this.uint8() * 0x100 + this.uint8();
  }

  uint32(): number {
    return this.uint16() * 0x10000 + this.uint16();
  }

  /** The next `length` octets without a copy; fewer, and `overrun`, when there are not so many. */
  take(length: number): Uint8Array {
    const end = Math.min(this.#offset + length, this.#bytes.length);
    this.overrun ||= end < this.#offset + length;
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}

export function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value);
}

export function uint32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Many at once, without an array for each: AS paths and communities can be thousands. */
export function uint32s(values: readonly number[]): Uint8Array {
  const octets = new Uint8Array(4 * values.length);
  let at = 0;
  for (const value of values) {
    octets[at++] = value >>> 24;
    octets[at++] = value >>> 16;
    octets[at++] = value >>> 8;
    octets[at++] = value;
  }
  return octets;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** A copy that does not keep the receive buffer alive. */
export function copied(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
