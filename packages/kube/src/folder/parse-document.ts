// Text of one YAML or JSON document -> plain values, or what is not well formed and on which line.
// A problem is named by the parser's code and never quotes the text: a manifest may hold a Secret.
// YAML 1.2 core schema, as `kubectl` writes it: `yes`, `on` and dates are text.

import { parseAllDocuments } from 'yaml';
import { lineAt, looksLikeJson, type DocumentText } from './manifest-text.ts';

export type ParsedDocument =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly line: number; readonly problem: string };

export function parseDocument(document: DocumentText): ParsedDocument {
  // JSON is valid YAML, but the JSON parser is fifty times as fast.
  return parseJson(document) ?? parseYaml(document);
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
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: true });
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
