// How deep in objects and lists a stream of JSON is, byte by byte: what a reader needs that takes out parts before the
// whole is there. Only follows braces, brackets and strings; whether the text is good JSON is for JSON.parse to say.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class JsonNesting {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Of objects and lists that are open, after the last byte. */
  get depth(): number {
    return this.#depth;
  }

  get inString(): boolean {
    return this.#inString;
  }

  /** 1 where the byte opens an object or a list, -1 where it closes one, else 0. */
  follow(byte: number): number {
    if (this.#inString) {
      this.#insideString(byte);
    } else if (byte === QUOTE) {
      this.#inString = true;
    } else if (opens(byte)) {
      this.#depth += 1;
      return 1;
    } else if (closes(byte)) {
      this.#depth -= 1;
      return -1;
    }
    return 0;
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
}

function opens(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function closes(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}
