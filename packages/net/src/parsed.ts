// The outcome of reading text at an edge: a value, or a sentence that says which rule the text breaks.
// The sentence names the offending text but not the object and field; the caller knows those and adds them.

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function refused(problem: string): Parsed<never> {
  return { ok: false, problem };
}

/** Unwraps the parse of a literal written in source code or a test; throws RangeError with the problem. */
export function literal<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) {
    throw new RangeError(parsed.problem);
  }
  return parsed.value;
}

const QUOTED_LENGTH = 64;

/** Offending text as it appears in a problem: escaped, and cut so that a sentence stays a sentence. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** Cut in the same way; for text that is known to be digits, which need no quotes. */
export function shortened(text: string): string {
  return text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text;
}
