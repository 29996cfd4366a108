// Text of one YAML or JSON document -> plain values, or what is not well formed and on which line.
// A problem is named by the parser's code and never quotes the text: a manifest may hold a Secret.
// YAML 1.2 core schema, as `kubectl` writes it: `yes`, `on` and dates are text.

import { parseAllDocuments } from 'yaml';
import { lineAt, looksLikeJson, type DocumentText } from './manifest-text.ts';

export type ParsedDocument =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly line: number; readonly problem: string };

/** Objects have a dozen levels; what goes down without end would overflow the stack of whoever reads it. */
const MAX_LEVELS = 100;

export function parseDocument(document: DocumentText): ParsedDocument {
  // JSON is valid YAML, but the JSON parser is fifty times as fast.
  const parsed = parseJson(document) ?? parseYaml(document);
  return parsed.ok && isTooDeep(parsed.values)
    ? { ok: false, line: document.line, problem: `nested deeper than ${MAX_LEVELS} levels` }
    : parsed;
}

/** Level by level, so that a value which an alias makes part of itself comes to an end too. */
function isTooDeep(values: readonly unknown[]): boolean {
  let level = new Set(values.filter(isNested));
  for (let depth = 1; level.size > 0; depth++) {
    if (depth > MAX_LEVELS) {
      return true;
    }
    level = new Set([...level].flatMap((value): unknown[] => Object.values(value)).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parseJson(document: DocumentText): ParsedDocument | undefined {
  if (!looksLikeJson(document.text)) {
    return undefined;
  }
  try {
    return { ok: true, values: [JSON.parse(document.text) as unknown] };
  } catch {
    return undefined;
  }
}

function parseYaml({ text, line }: DocumentText): ParsedDocument {
  // A text that was cut between a carriage return and its line feed: the parser would take it as content.
  const lines = text.endsWith('\r') ? text.slice(0, -1) : text;
  const documents = parseAllDocuments(lines, { prettyErrors: false, logLevel: 'silent', uniqueKeys: true });
  const error = documents.flatMap((document) => document.errors)[0];
  if (error !== undefined) {
    return { ok: false, line: line + lineAt(text, error.pos[0]) - 1, problem: sentence(error.code) };
  }
  try {
    return { ok: true, values: documents.map((document): unknown => document.toJS({ maxAliasCount: 100 })) };
  } catch {
    return { ok: false, line, problem: 'aliases expand to more than is allowed, or to nothing' };
  }
}

function sentence(code: string): string {
  return code === 'DUPLICATE_KEY'
    ? 'a key stands twice in one map (DUPLICATE_KEY)'
    : `not well-formed YAML or JSON (${code})`;
}
