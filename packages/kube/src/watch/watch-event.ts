// One line of a watch -> an event. An object that is not ours to judge stays raw here.

import { MalformedStream } from './malformed-stream.ts';
import { metadataOf, resourceVersionOf } from './read-entry.ts';

export type WatchEvent =
  | { readonly kind: 'set' | 'removed'; readonly object: unknown; readonly resourceVersion: string }
  /** initialEnd: everything that there was at the start of the watch has been sent. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string; readonly initialEnd: boolean }
  | { readonly kind: 'error'; readonly object: unknown };

const INITIAL_END = 'k8s.io/initial-events-end';

export function parseWatchEvent(line: string): WatchEvent {
  const { type, object } = parseLine(line);
  const resourceVersion = resourceVersionOf(object);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'set', object, resourceVersion };
    case 'DELETED':
      return { kind: 'removed', object, resourceVersion };
    case 'BOOKMARK':
      return { kind: 'bookmark', resourceVersion, initialEnd: isInitialEnd(object) };
    case 'ERROR':
      return { kind: 'error', object };
    default:
      throw new MalformedStream('an event of an unknown type');
  }
}

function parseLine(line: string): { type?: unknown; object?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw new MalformedStream('a line that is not JSON');
  }
}

function isInitialEnd(object: unknown): boolean {
  const { annotations } = metadataOf(object) as { annotations?: Record<string, unknown> };
  return annotations?.[INITIAL_END] === 'true';
}
