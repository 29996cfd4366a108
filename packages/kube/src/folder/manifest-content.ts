// Decides what a manifest file stands for after its text changed: the new content, the last good content
// with a fault, or "wait", because the file may still be being written.
//
//   blank text                         -> keep; a file that is meant to be empty holds a comment or `---`
//   a document that is not well formed -> keep all of it (if there is nothing to keep: what can be read)
//   an object that breaks a rule       -> keep that object's last good state, take the rest
//   written in place, and shorter by an object or cut in mid-line -> wait until it has been quiet
//
// Pure. Unchanged documents are not parsed again, and what came out of them stays the same reference.

import { hash } from 'node:crypto';
import type { Fault } from '@herald/api';
import { objectName, objectRef, type KubeObject } from '../stores/object-set.ts';
import { duplicateFault, manifestFault } from './manifest-fault.ts';
import { joinObjects, readObjects, type ManifestObjects } from './manifest-object.ts';
import { endsMidLine, isBlank, splitDocuments, type DocumentText } from './manifest-text.ts';
import { parseDocument } from './parse-document.ts';

/**
 * How the text came: `whole` - renamed into place or read at the start; `written` - by writes to the file
 * itself, the last one a moment ago; `settled` - by writes, and quiet since.
 */
export type Arrival = 'whole' | 'written' | 'settled';

export interface ManifestContent {
  /** By object name ("Service default/web"). */
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly faults: readonly Fault[];
  /** By digest of the document's text. */
  readonly documents: ReadonlyMap<string, ManifestObjects>;
}

export type Acceptance =
  | { readonly kind: 'content'; readonly content: ManifestContent }
  | { readonly kind: 'wait' };

interface Reading {
  readonly parts: readonly ManifestObjects[];
  readonly documents: ReadonlyMap<string, ManifestObjects>;
  readonly broken: readonly Fault[];
}

const NO_CONTENT: ManifestContent = { objects: new Map(), faults: [], documents: new Map() };
const WAIT: Acceptance = { kind: 'wait' };

export function acceptText(
  path: string,
  text: string,
  arrival: Arrival,
  previous: ManifestContent | undefined,
): Acceptance {
  const known = previous ?? NO_CONTENT;
  if (isBlank(text)) {
    return kept(known, [manifestFault(path, '', emptyRule, 'Unreadable')]);
  }
  const reading = readDocuments(path, text, known);
  if (reading.broken.length > 0 && known.objects.size > 0) {
    return kept(known, reading.broken);
  }
  const content = contentOf(path, reading, known);
  return arrival === 'written' && mayBeUnfinished(text, content, known) ? WAIT : { kind: 'content', content };
}

const emptyRule = 'is empty, so it is taken as not yet written (a comment or --- makes it empty on purpose)';

function kept(content: ManifestContent, faults: readonly Fault[]): Acceptance {
  return { kind: 'content', content: { ...content, faults } };
}

function mayBeUnfinished(text: string, content: ManifestContent, known: ManifestContent): boolean {
  return endsMidLine(text) || [...known.objects.keys()].some((name) => !content.objects.has(name));
}

function readDocuments(path: string, text: string, known: ManifestContent): Reading {
  const parts: ManifestObjects[] = [];
  const documents = new Map<string, ManifestObjects>();
  const broken: Fault[] = [];
  for (const document of splitDocuments(text)) {
    const digest = hash('sha256', document.text, 'base64');
    const part = known.documents.get(digest) ?? readDocument(path, document);
    if ('object' in part) {
      broken.push(part);
    } else {
      documents.set(digest, part);
      parts.push(part);
    }
  }
  return { parts, documents, broken };
}

function readDocument(path: string, document: DocumentText): ManifestObjects | Fault {
  const parsed = parseDocument(document);
  if (!parsed.ok) {
    return manifestFault(path, `line ${parsed.line}`, `is ${parsed.problem}`, 'Unreadable');
  }
  return joinObjects(parsed.values.map((value) => readObjects(value, path)));
}

function contentOf(path: string, reading: Reading, known: ManifestContent): ManifestContent {
  const objects = new Map<string, KubeObject>();
  const faults = [...reading.broken, ...reading.parts.flatMap((part) => part.faults)];
  for (const object of reading.parts.flatMap((part) => part.objects)) {
    const name = objectName(objectRef(object));
    if (objects.has(name)) {
      faults.push(duplicateFault(name, path, path));
    } else {
      objects.set(name, object);
    }
  }
  keepRejected(objects, reading, known);
  return { objects, faults, documents: reading.documents };
}

/** A rejected object without a name may be any of those that are missing now. */
function keepRejected(objects: Map<string, KubeObject>, reading: Reading, known: ManifestContent): void {
  const rejected = new Set(reading.parts.flatMap((part) => part.rejected));
  const nameless = rejected.has('');
  for (const [name, object] of known.objects) {
    if (!objects.has(name) && (nameless || rejected.has(name))) {
      objects.set(name, object);
    }
  }
}
