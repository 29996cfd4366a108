// What a failed write means for the writer: (error) -> one of four words. Only "unreachable" says something
// about the API server as a whole and ends a batch; the others are about one object.

import { ApiError } from '../transport/api-error.ts';
import { NotLeading } from './leader-client.ts';

/**
 * conflict: the object is another one than was read. gone: it is not there any more, or its namespace ends. refused:
 * the server says no, and would again. unreachable: nothing is known, or the server cannot now. forbidden: RBAC says
 * no.
 */
export type WriteOutcome = 'conflict' | 'gone' | 'refused' | 'forbidden' | 'not-leading' | 'unreachable';

const OUTCOMES: ReadonlyMap<number, WriteOutcome> = new Map([
  [400, 'refused'],
  [403, 'forbidden'],
  [404, 'gone'],
  [409, 'conflict'],
  [410, 'gone'],
  [413, 'refused'],
  [422, 'refused'],
]);

/** The cause of a 403 that is no matter of rights: nothing is made in a namespace that is being deleted. */
const NAMESPACE_ENDS = 'NamespaceTerminating';

/** Anything that is no answer of the API server and not ours is thrown on: it is a fault in the program. */
export function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof NotLeading) {
    return 'not-leading';
  }
  if (!(error instanceof ApiError)) {
    throw error;
  }
  return error.causes.includes(NAMESPACE_ENDS) ? 'gone' : (OUTCOMES.get(error.status ?? 0) ?? 'unreachable');
}
