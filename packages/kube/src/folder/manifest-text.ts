// Cuts the text of a manifest file into its documents, so that after an edit only the documents whose text
// changed are parsed again (parsing YAML costs about a millisecond for four Services).
// A line that starts with `---` is a document marker wherever it stands, even inside a block scalar
// (YAML 1.2.2 section 9.1.2). Directives (`%YAML`) belong to the document after them: a text with a line
// that may be one is left in one piece. Does not parse.

export interface DocumentText {
  readonly text: string;
  /** Line of the file on which the text starts, from 1. */
  readonly line: number;
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm;
const DIRECTIVE = /^%/m;
/** A line that starts like no comment or marker; most texts have one at once. */
const SURE_CONTENT = /^[ \t]*[^\s#.-]/m;
const ONLY_COMMENTS = /^(?:[ \t]*(?:#.*)?|---[ \t]*(?:#.*)?|\.\.\.[ \t]*)$/;

export function splitDocuments(text: string): DocumentText[] {
  if (DIRECTIVE.test(text)) {
    return [{ text, line: 1 }];
  }
  const starts = [0, ...Array.from(text.matchAll(MARKER), (match) => match.index)];
  const pieces: DocumentText[] = [];
  let line = 1;
  for (const [i, start] of starts.entries()) {
    const piece = text.slice(start, starts[i + 1] ?? text.length);
    if (!holdsNothing(piece)) {
      pieces.push({ text: piece, line });
    }
    line += countLines(piece);
  }
  return pieces;
}

/** Only comments, markers and blank lines. */
export function holdsNothing(text: string): boolean {
  return !SURE_CONTENT.test(text) && text.split(/\r?\n/).every((line) => ONLY_COMMENTS.test(line));
}

/** Nothing at all, not even a comment: how a file looks between being truncated and being written. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A YAML text that was cut in the middle of a line; JSON shows by itself that its end is missing. */
export function endsMidLine(text: string): boolean {
  return !text.endsWith('\n') && !looksLikeJson(text);
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

export function lineAt(text: string, offset: number): number {
  return 1 + countLines(text.slice(0, offset));
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}
