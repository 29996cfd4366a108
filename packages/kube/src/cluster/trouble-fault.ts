// How the troubles of watches read as faults. An API server that is away is one fault, however many watches it cuts.

import { fault, type Fault, type Reason } from '@herald/api';
import type { Trouble, TroubleKind } from '../watch/collection.ts';

const REASONS_OF: Readonly<Record<TroubleKind, Reason>> = {
  unreachable: 'ApiUnreachable',
  refused: 'Unreadable',
  forbidden: 'Forbidden',
  missing: 'Unreadable',
  malformed: 'Unreadable',
  suspect: 'SuspectList',
  incomplete: 'Unreadable',
};

const UNREACHABLE: Fault = fault(
  'API server',
  '',
  'does not answer; what was last known of it stays',
  'ApiUnreachable',
);

export function troubleFault(title: string, { kind, rule }: Trouble): Fault {
  return fault(title, '', rule, REASONS_OF[kind]);
}

/** A single watch that is cut off stays as it is said: the others are well. */
export function withOneUnreachable(faults: readonly Fault[]): readonly Fault[] {
  const others = faults.filter(({ reason }) => reason !== 'ApiUnreachable');
  return faults.length - others.length < 2 ? faults : [UNREACHABLE, ...others];
}
