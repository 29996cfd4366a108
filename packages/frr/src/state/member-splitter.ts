// Bytes of a table as bgpd prints it (`show bgp ... json`), cut anywhere -> the entries of its inner objects, each
// parsed when its last byte is there: `{..., "routes": {"PREFIX": [...], ...}, ...}` -> ("PREFIX", [...]). A table of
// 100 MB is thereby never held as text or as a tree, and the event loop is free between two pieces.
//
// An entry that is no JSON is passed over.

import { JsonNesting } from '@herald/net';

const COMMA = 0x2c;
/** Depth inside an object of the outermost one, between its entries. */
const BETWEEN_ENTRIES = 2;

export class MemberSplitter {
  readonly #take: (key: string, value: unknown) => void;
  readonly #nesting = new JsonNesting();
  /** Of the entry that has begun. */
  #pieces: Buffer[] = [];

  constructor(take: (key: string, value: unknown) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    const nesting = this.#nesting;
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const step = nesting.follow(byte);
      if (nesting.depth === BETWEEN_ENTRIES) {
        if (step < 0) {
          start = this.#end(chunk, start, at + 1);
        } else if (step > 0 || (byte === COMMA && !nesting.inString)) {
          start = this.#dropTo(at + 1);
        }
      }
    }
    if (nesting.depth >= BETWEEN_ENTRIES) {
      this.#pieces.push(chunk.subarray(start));
    }
  }

  #dropTo(start: number): number {
    this.#pieces = [];
    return start;
  }

  #end(chunk: Buffer, start: number, end: number): number {
    const text = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]).toString('utf8');
    for (const [key, value] of entriesOf(text)) {
      this.#take(key, value);
    }
    return this.#dropTo(end);
  }
}

function entriesOf(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(`{${text}}`) as Record<string, unknown>);
  } catch {
    return [];
  }
}
