// Bytes of a watch, cut anywhere -> its lines, one JSON document each. Text is made from whole lines only,
// so that a character that was cut in two stays whole. A line that grows beyond the limit ends the stream:
// it cannot be left out, since what it said of which object would be unknown.

import { MalformedStream } from './malformed-stream.ts';

const LINE_FEED = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes. */
  *push(chunk: Buffer): Iterable<string> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#begun).toString('utf8');
      this.#begun = [];
      this.#begunBytes = 0;
      if (line !== '') {
        yield line;
      }
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#begunBytes += piece.length;
    if (this.#begunBytes > this.#maxBytes) {
      throw new MalformedStream(`a line of more than ${this.#maxBytes} bytes`);
    }
    if (piece.length > 0) {
      this.#begun.push(piece);
    }
  }
}
