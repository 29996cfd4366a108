// What is wrong with the input of a plan: faults of single files and objects, and those that take two
// objects to see, which a cluster shows as a condition. A peer, pool or advertisement that is not accepted is
// a fault; a Service that is not announced is none, since its endpoints may simply be away.

import type { Fault, Reason } from '@herald/api';

import type { Offline } from './decide-offline.ts';
import { compareText } from './sorted-entries.ts';

interface Verdict {
  readonly accepted: boolean;
  readonly reason: Reason | 'Accepted';
  readonly message: string;
}

/** The field that a reason is about, where it is always the same one. */
const FIELDS: Partial<Record<Reason, string>> = {
  DuplicatePeerAddress: 'spec.peerAddress',
  SecretMissing: 'spec.passwordSecret',
  SecretInvalid: 'spec.passwordSecret',
  PoolOverlaps: 'spec.addresses',
  ReservedCommunity: 'spec.communities',
  AggregateUnsafe: 'spec.aggregation.unassigned',
};

export function planFaults(input: readonly Fault[], { decision }: Offline): Fault[] {
  return [
    ...input,
    ...refused('BGPPeer', decision.peers),
    ...refused('IPAddressPool', decision.pools),
    ...refused('BGPAdvertisement', decision.advertisements),
  ].sort((a, b) => compareText(sortKey(a), sortKey(b)));
}

function refused(kind: string, verdicts: Iterable<readonly [string, Verdict]>): Fault[] {
  return [...verdicts].flatMap(([name, { accepted, reason, message }]) => {
    const isFault = !accepted && reason !== 'Accepted';
    return isFault ? [refusal(`${kind} ${name}`, reason, message)] : [];
  });
}

function refusal(object: string, reason: Reason, message: string): Fault {
  const field = FIELDS[reason] ?? '';
  const subject = field === '' ? object : `${object}: ${field}`;
  return { object, field, reason, message: `${subject}: ${message}` };
}

function sortKey({ object, field, message }: Fault): string {
  return [object, field, message].join('\0');
}
