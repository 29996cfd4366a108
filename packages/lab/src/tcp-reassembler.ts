/**
 * TCP segments, in any order and repeated -> the bytes of each direction of each connection, in order and once.
 *
 * A direction begins with its SYN, or, when the capture began later, with the first segment seen. What comes too early is
 * held until the gap is filled. Sequence numbers wrap (RFC 9293, section 3.4), so they are compared by difference.
 */
import type { TcpSegment } from './pcap.ts';

export interface TcpBytes {
  readonly timeMs: number;
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  /** Same for both directions and unique among the connections of one capture. */
  readonly connection: number;
  readonly bytes: Buffer;
}

interface Direction {
  next: number;
  readonly connection: number;
  readonly early: TcpSegment[];
}

export class TcpReassembler {
  readonly #onBytes: (bytes: TcpBytes) => void;
  readonly #directions = new Map<string, Direction>();
  #connections = 0;

  constructor(onBytes: (bytes: TcpBytes) => void) {
    this.#onBytes = onBytes;
  }

  push(segment: TcpSegment): void {
    if (segment.isSyn) {
      this.#begin(segment);
      return;
    }
    if (segment.payload.length === 0) return;
    const direction = this.#directions.get(key(segment)) ?? this.#join(segment, segment.sequence);
    direction.early.push(segment);
    this.#deliver(direction);
  }

  /** A SYN is one octet of sequence space. A repeated one changes nothing. */
  #begin(segment: TcpSegment): void {
    const next = add(segment.sequence, 1);
    if (this.#directions.get(key(segment))?.next === next) return;
    this.#join(segment, next);
  }

  #join(segment: TcpSegment, next: number): Direction {
    const known = this.#directions.get(key(segment));
    const reverse = this.#directions.get(reverseKey(segment));
    // Ports used again are a new connection: the first SYN of it forgets both old directions.
    if (known !== undefined) this.#directions.delete(reverseKey(segment));
    const connection = known === undefined && reverse !== undefined ? reverse.connection : this.#number();
    const direction: Direction = { next, connection, early: [] };
    this.#directions.set(key(segment), direction);
    return direction;
  }

  #number(): number {
    this.#connections += 1;
    return this.#connections;
  }

  #deliver(direction: Direction): void {
    for (let index = nextIndex(direction); index >= 0; index = nextIndex(direction)) {
      const [segment] = direction.early.splice(index, 1);
      if (segment === undefined) return;
      const known = difference(direction.next, segment.sequence);
      const bytes = segment.payload.subarray(known);
      if (bytes.length === 0) continue;
      direction.next = add(direction.next, bytes.length);
      const { timeMs, source, sourcePort, destination, destinationPort } = segment;
      const { connection } = direction;
      this.#onBytes({ timeMs, source, sourcePort, destination, destinationPort, connection, bytes });
    }
  }
}

/** A held segment that begins at or before the next expected octet. */
function nextIndex(direction: Direction): number {
  return direction.early.findIndex((segment) => difference(direction.next, segment.sequence) >= 0);
}

function difference(a: number, b: number): number {
  return (a - b) | 0;
}

function add(sequence: number, count: number): number {
  return (sequence + count) >>> 0;
}

function key(segment: TcpSegment): string {
  return `${segment.source} ${segment.sourcePort} ${segment.destination} ${segment.destinationPort}`;
}

function reverseKey(segment: TcpSegment): string {
  return `${segment.destination} ${segment.destinationPort} ${segment.source} ${segment.sourcePort}`;
}
