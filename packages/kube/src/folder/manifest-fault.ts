// Faults of a file rather than of an object. They name the file, the line or field, and the rule, and never
// quote the content: a manifest may hold a Secret.

import type { Fault } from '@herald/api';

type FileReason = 'Invalid' | 'Unreadable' | 'DuplicateObject';

/** `rule` continues the sentence after the field's name. */
export function manifestFault(
  path: string,
  field: string,
  rule: string,
  reason: FileReason = 'Invalid',
): Fault {
  const object = `File ${path}`;
  const subject = field === '' ? object : `${object}: ${field}`;
  return { object, field, reason, message: `${subject} ${rule}.` };
}

/** The object exists in two places; what is in `winner` counts. */
export function duplicateFault(object: string, winner: string, loser: string): Fault {
  const where =
    winner === loser ? `twice in ${winner}; the first counts` : `in ${winner} and ${loser}; ${winner} counts`;
  return {
    object,
    field: 'metadata.name',
    reason: 'DuplicateObject',
    message: `${object}: metadata.name stands ${where}.`,
  };
}
