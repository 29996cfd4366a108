// Bytes of a list, cut anywhere -> its items, each parsed when its last byte is there. A page of thousands
// of objects is thereby never held as text or as a tree, only one item at a time, and the event loop is free
// between chunks. What is not in `items` (kind, metadata) is handed out at the end.
//
// Whether an item is good JSON is for JSON.parse to say. An item beyond the limit is left out and counted.

import { JsonNesting } from '@herald/net';
import { MalformedStream } from './malformed-stream.ts';

/** Depth inside the outermost object, and inside its list of items. */
const IN_LIST = 1;
const IN_ITEMS = 2;
const ITEMS_FOLLOW = /"items"\s*:\s*$/;
/** kind, apiVersion and metadata of a list. */
const MAX_ENVELOPE_BYTES = 1024 * 1024;

export class ItemSplitter {
  readonly #maxBytes: number;
  readonly #take: (item: unknown) => void;
  readonly #nesting = new JsonNesting();
  #inItems = false;
  #item: Buffer[] = [];
  #itemBytes = 0;
  #envelope = '';
  #leftOut = 0;

  constructor(maxBytes: number, take: (item: unknown) => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  /** Items that were too large. */
  get leftOut(): number {
    return this.#leftOut;
  }

  push(chunk: Buffer): void {
    // Where the part begins that was not yet given to the item or the envelope.
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const step = this.#nesting.follow(chunk[i] ?? 0);
      if (step > 0) {
        start = this.#open(chunk, start, i);
      } else if (step < 0) {
        start = this.#close(chunk, start, i);
      }
    }
    this.#keepRest(chunk.subarray(start));
  }

  /** The list without its items. */
  finish(): Record<string, unknown> {
    if (this.#nesting.depth !== 0 || this.#envelope === '') {
      throw new MalformedStream('a list that ends too early');
    }
    return parse(this.#envelope) as Record<string, unknown>;
  }

  #open(chunk: Buffer, start: number, at: number): number {
    const outside = this.#nesting.depth - 1;
    if (this.#inItems && outside === IN_ITEMS) {
      // Commas and blanks between items belong to nobody.
      return at;
    }
    if (outside === IN_LIST) {
      this.#keepEnvelope(chunk.subarray(start, at + 1));
      this.#inItems = ITEMS_FOLLOW.test(this.#envelope.slice(0, -1));
      return at + 1;
    }
    return start;
  }

  #close(chunk: Buffer, start: number, at: number): number {
    const { depth } = this.#nesting;
    if (this.#inItems && depth === IN_ITEMS) {
      this.#keepItem(chunk.subarray(start, at + 1));
      this.#emit();
      return at + 1;
    }
    if (this.#inItems && depth === IN_LIST) {
      this.#inItems = false;
      return at;
    }
    return start;
  }

  /** What a chunk leaves over belongs to an item, to the envelope, or stands between two items. */
  #keepRest(piece: Buffer): void {
    if (!this.#inItems) {
      this.#keepEnvelope(piece);
    } else if (this.#nesting.depth > IN_ITEMS) {
      this.#keepItem(piece);
    }
  }

  #keepEnvelope(piece: Buffer): void {
    this.#envelope += piece.toString('latin1');
    if (this.#envelope.length > MAX_ENVELOPE_BYTES) {
      throw new MalformedStream('a list whose head is too long');
    }
  }

  #keepItem(piece: Buffer): void {
    this.#itemBytes += piece.length;
    if (this.#itemBytes <= this.#maxBytes) {
      this.#item.push(piece);
    }
  }

  #emit(): void {
    if (this.#itemBytes > this.#maxBytes) {
      this.#leftOut++;
    } else {
      this.#take(parse(Buffer.concat(this.#item).toString('utf8')));
    }
    this.#item = [];
    this.#itemBytes = 0;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedStream('a list that is not JSON');
  }
}
