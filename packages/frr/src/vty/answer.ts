// Cuts the byte stream that bgpd sends over its vty socket into answers.
// Bytes in any pieces -> complete answers {status, text}. An answer is text, three NUL bytes and one
// status byte. Pure: knows no socket and no command. The pieces of one answer are kept as they came and
// joined once, so that an answer of 100 MB costs one copy; who wants it in pieces drains it meanwhile.

export interface VtyAnswer {
  readonly status: number;
  readonly text: string;
}

/** Command results of FRR's lib/command.h that mean the command did its work. */
const SUCCESS = 0;
const NO_CHANGE_WARNING = 1;

export function isAccepted(answer: VtyAnswer): boolean {
  return answer.status === SUCCESS || answer.status === NO_CHANGE_WARNING;
}

const NULS_BEFORE_STATUS = 3;

export class AnswerReader {
  #pieces: Uint8Array[] = [];
  #nuls = 0;
  #heldBytes = 0;

  /** Bytes of the answer that has begun and is not complete. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(bytes: Uint8Array): VtyAnswer[] {
    const answers: VtyAnswer[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length;) {
      if (this.#nuls === NULS_BEFORE_STATUS) {
        answers.push(this.#complete(bytes.subarray(start, at), bytes[at] ?? 0));
        at += 1;
        start = at;
      } else {
        at = this.#pass(bytes, at);
      }
    }
    this.#hold(bytes.subarray(start));
    return answers;
  }

  /** What has come of the answer that has begun; its text will lack it. NULs that may be its end stay. */
  drain(): Buffer {
    const joined = Buffer.concat(this.#pieces);
    const end = joined.length - Math.min(this.#nuls, joined.length);
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#hold(joined.subarray(end));
    return joined.subarray(0, end);
  }

  /** Past one NUL, or past text up to the next one. */
  #pass(bytes: Uint8Array, at: number): number {
    if (bytes[at] === 0) {
      this.#nuls += 1;
      return at + 1;
    }
    this.#nuls = 0;
    const next = bytes.indexOf(0, at);
    return next < 0 ? bytes.length : next;
  }

  #hold(piece: Uint8Array): void {
    if (piece.length > 0) {
      this.#pieces.push(piece);
      this.#heldBytes += piece.length;
    }
  }

  #complete(last: Uint8Array, status: number): VtyAnswer {
    const joined = Buffer.concat([...this.#pieces, last]);
    const text = joined.toString('utf8', 0, joined.length - NULS_BEFORE_STATUS);
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#nuls = 0;
    return { status, text };
  }
}
