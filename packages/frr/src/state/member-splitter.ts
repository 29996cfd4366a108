// Bytes of a table as bgpd prints it (`show bgp ... json`), cut anywhere -> the entries of its inner objects, each
// parsed when its last byte is there: `{..., "routes": {"PREFIX": [...], ...}, ...}` -> ("PREFIX", [...]). A table of
// 100 MB is thereby never held as text or as a tree, and the event loop is free between two pieces.
//
// Only follows braces and strings; an entry that is no JSON is passed over.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** Depth inside an object of the outermost one, between its entries. */
const BETWEEN_ENTRIES = 2;

export class MemberSplitter {
  readonly #take: (key: string, value: unknown) => void;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Of the entry that has begun. */
  #pieces: Buffer[] = [];

  constructor(take: (key: string, value: unknown) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        this.#insideString(byte);
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === COMMA && this.#depth === BETWEEN_ENTRIES) {
        start = this.#dropTo(at + 1);
      } else if (opens(byte)) {
        this.#depth += 1;
        start = this.#depth === BETWEEN_ENTRIES ? this.#dropTo(at + 1) : start;
      } else if (closes(byte)) {
        this.#depth -= 1;
        start = this.#depth === BETWEEN_ENTRIES ? this.#end(chunk, start, at + 1) : start;
      }
    }
    if (this.#depth >= BETWEEN_ENTRIES) {
      this.#pieces.push(chunk.subarray(start));
    }
  }

  #insideString(byte: number): void {
    if (this.#escaped) {
      this.#escaped = false;
    } else if (byte === BACKSLASH) {
      this.#escaped = true;
    } else if (byte === QUOTE) {
      this.#inString = false;
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

function opens(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function closes(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function entriesOf(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(`{${text}}`) as Record<string, unknown>);
  } catch {
    return [];
  }
}
