// What two OPENs agree on: local and remote OPEN in, the rules of the session out. Pure; whether the remote
// OPEN is acceptable at all is for the FSM. RFC 4271 section 4.2, RFC 4724, 4760, 5492, 6793, 7911, 8538, 8654.

import type { Family } from '@herald/net';
import { FAMILIES, unicastFamily, type AfiSafi } from './afi-safi.ts';
import type { AddPathMode, Capability, CapabilityOf } from './capability.ts';
import type { OpenMessage } from './message.ts';
import { EXTENDED_MAXIMUM_LENGTH, MAXIMUM_LENGTH } from './registry.ts';

export interface Negotiated {
  readonly peering: 'internal' | 'external';
  /** The smaller of both; 0 means that neither keepalives are sent nor a hold timer runs. */
  readonly holdTimeSeconds: number;
  readonly families: readonly Family[];
  /** Families whose prefixes we send with path identifiers. */
  readonly addPathSend: readonly Family[];
  readonly addPathReceive: readonly Family[];
  /** Octets of the longest UPDATE, both ways. */
  readonly maximumLength: number;
  readonly asnOctets: 2 | 4;
  /** What the peer offered, if both offered it. */
  readonly gracefulRestart: CapabilityOf<'graceful-restart'> | undefined;
}

/** What holds before both OPENs are known. */
export const BEFORE_OPEN: Negotiated = {
  peering: 'external',
  holdTimeSeconds: 0,
  families: [4],
  addPathSend: [],
  addPathReceive: [],
  maximumLength: MAXIMUM_LENGTH,
  asnOctets: 2,
  gracefulRestart: undefined,
};

export function negotiate(local: OpenMessage, remote: OpenMessage): Negotiated {
  const bothOffer = (kind: Capability['kind']): boolean =>
    capabilityOf(local, kind) !== undefined && capabilityOf(remote, kind) !== undefined;
  const families = FAMILIES.filter((family) => offers(local, family) && offers(remote, family));
  return {
    peering: local.asn === remote.asn ? 'internal' : 'external',
    holdTimeSeconds: Math.min(local.holdTimeSeconds, remote.holdTimeSeconds),
    families,
    addPathSend: families.filter((family) => sends(local, family) && receives(remote, family)),
    addPathReceive: families.filter((family) => receives(local, family) && sends(remote, family)),
    maximumLength: bothOffer('extended-message') ? EXTENDED_MAXIMUM_LENGTH : MAXIMUM_LENGTH,
    asnOctets: bothOffer('four-octet-asn') ? 4 : 2,
    gracefulRestart: bothOffer('graceful-restart') ? capabilityOf(remote, 'graceful-restart') : undefined,
  };
}

/** The last one counts where a kind is repeated (RFC 5492 section 4 leaves it open). */
export function capabilityOf<K extends Capability['kind']>(
  open: OpenMessage,
  kind: K,
): CapabilityOf<K> | undefined {
  return open.capabilities.findLast((each): each is CapabilityOf<K> => each.kind === kind);
}

/** RFC 4760 section 8: who offers no family at all speaks IPv4 unicast. */
function offers(open: OpenMessage, family: Family): boolean {
  const offered = open.capabilities.filter((each) => each.kind === 'multiprotocol');
  return offered.length === 0 ? family === 4 : offered.some((each) => isFamily(each, family));
}

function sends(open: OpenMessage, family: Family): boolean {
  return hasMode(open, family, 'send');
}

function receives(open: OpenMessage, family: Family): boolean {
  return hasMode(open, family, 'receive');
}

function hasMode(open: OpenMessage, family: Family, wanted: AddPathMode): boolean {
  const families = capabilityOf(open, 'add-path')?.families ?? [];
  return families.some((each) => isFamily(each, family) && (each.mode === wanted || each.mode === 'both'));
}

function isFamily(afiSafi: AfiSafi, family: Family): boolean {
  return unicastFamily(afiSafi) === family;
}
