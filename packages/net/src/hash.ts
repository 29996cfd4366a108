// The one hash of the project: MurmurHash3 x86_32 over UTF-8 with seed 0. Path ids and the choice among too
// many next hops come from it, on every replica and in every version, so its results must never change.
// Text -> unsigned 32 bits. Not for secrets, and not for input that an attacker may craft to collide.

const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

const ASCII_END = 0x80;

export function hash32(text: string): number {
  const octets = octetString(text);
  const tail = octets.length & ~3;
  let hash = 0;
  for (let i = 0; i < tail; i += 4) {
    hash = rotateLeft(hash ^ scrambled(littleEndian(octets, i, 4)), 13);
    hash = Math.imul(hash, 5) + 0xe6546b64;
  }
  const rest = littleEndian(octets, tail, octets.length - tail);
  return mixed32(hash ^ scrambled(rest) ^ octets.length);
}

/** The UTF-8 of the text with one character for each octet: nearly always the text itself, without a copy. */
function octetString(text: string): string {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= ASCII_END) {
      return Array.from(new TextEncoder().encode(text), (octet) => String.fromCharCode(octet)).join('');
    }
  }
  return text;
}

function littleEndian(octets: string, start: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) {
    value |= octets.charCodeAt(start + i) << (8 * i);
  }
  return value;
}

function scrambled(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, C1), 15), C2);
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The finaliser: every input bit changes every output bit with a chance of one half; a bijection. */
export function mixed32(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
