// What a BGPPeer must satisfy beyond the form of single fields: how its fields go together. Everything
// here can be seen in the one object; what takes two objects becomes a condition elsewhere.

import { parseAddress } from '@herald/net';
import { celIsDuration, isDuration, secondsOf } from './duration-field.ts';
import type { Rule } from './rule.ts';

/** The fields that the rules read, as they are after defaulting. */
export interface PeerText {
  readonly peerAddress: string;
  readonly peerASN?: number;
  readonly dynamicASN?: string;
  readonly localASN?: number;
  readonly sourceAddress?: string;
  readonly holdTime: string;
  readonly keepaliveTime?: string;
  readonly ebgpMultiHop?: number;
  readonly ttlSecurityHops?: number;
  readonly rank: { readonly mode: string };
}

const ONE_ASN: Rule<PeerText> = {
  must: 'must be set, or dynamicASN instead of it, but not both',
  cel: 'has(self.peerASN) != has(self.dynamicASN)',
  field: 'peerASN',
  holds: (peer) => (peer.peerASN === undefined) !== (peer.dynamicASN === undefined),
};

const LOCAL_ASN_IS_EXTERNAL: Rule<PeerText> = {
  must: 'must not be set for an internal peer: it is shown to external peers only',
  cel: "!has(self.localASN) || !has(self.dynamicASN) || self.dynamicASN == 'external'",
  field: 'localASN',
  holds: (peer) => peer.localASN === undefined || peer.dynamicASN !== 'internal',
};

const LOCAL_ASN_DIFFERS: Rule<PeerText> = {
  must: 'must differ from peerASN, or the session would be internal',
  cel: '!has(self.localASN) || !has(self.peerASN) || self.localASN != self.peerASN',
  field: 'localASN',
  holds: (peer) => peer.localASN === undefined || peer.localASN !== peer.peerASN,
};

const SOURCE_FAMILY: Rule<PeerText> = {
  must: 'must be of the same address family as peerAddress',
  cel:
    '!has(self.sourceAddress) || !isIP(self.sourceAddress) || !isIP(self.peerAddress) || ' +
    'ip(self.sourceAddress).family() == ip(self.peerAddress).family()',
  field: 'sourceAddress',
  holds: (peer) => sameFamily(peer.sourceAddress, peer.peerAddress),
};

const SOURCE_DIFFERS: Rule<PeerText> = {
  must: 'must differ from peerAddress',
  // As text: comparing two parsed addresses is beyond the cost that CEL may have.
  cel: '!has(self.sourceAddress) || self.sourceAddress != self.peerAddress',
  field: 'sourceAddress',
  holds: (peer) => !sameAddress(peer.sourceAddress, peer.peerAddress),
};

const KEEPALIVE = celIsDuration('self.keepaliveTime');
const HOLD = celIsDuration('self.holdTime');

const KEEPALIVE_WITH_HOLD: Rule<PeerText> = {
  must: 'must be more than 0s unless holdTime is 0s: a hold timer needs something to reset it',
  cel:
    `!has(self.keepaliveTime) || !${KEEPALIVE} || !${HOLD} || ` +
    'duration(self.keepaliveTime).getSeconds() > 0 || duration(self.holdTime).getSeconds() == 0',
  field: 'keepaliveTime',
  holds: ({ keepaliveTime, holdTime }) =>
    keepaliveTime === undefined ||
    !isDuration(keepaliveTime) ||
    !isDuration(holdTime) ||
    secondsOf(keepaliveTime) > 0 ||
    secondsOf(holdTime) === 0,
};

const KEEPALIVE_FITS_HOLD: Rule<PeerText> = {
  must: 'must be at most a third of holdTime, as bgpd would lower it to that anyway',
  cel:
    `!has(self.keepaliveTime) || !${KEEPALIVE} || !${HOLD} || ` +
    'duration(self.keepaliveTime).getSeconds() * 3 <= duration(self.holdTime).getSeconds()',
  field: 'keepaliveTime',
  holds: ({ keepaliveTime, holdTime }) =>
    keepaliveTime === undefined ||
    !isDuration(keepaliveTime) ||
    !isDuration(holdTime) ||
    secondsOf(keepaliveTime) * 3 <= secondsOf(holdTime),
};

const ONE_TTL_RULE: Rule<PeerText> = {
  must: 'must not be set together with ebgpMultiHop: both decide the TTL',
  cel: '!(has(self.ttlSecurityHops) && has(self.ebgpMultiHop))',
  field: 'ttlSecurityHops',
  holds: (peer) => peer.ttlSecurityHops === undefined || peer.ebgpMultiHop === undefined,
};

const LOCAL_PREF_IS_INTERNAL: Rule<PeerText> = {
  must: 'must not be LocalPref for an external peer: LOCAL_PREF is not sent to it',
  cel: "self.rank.mode != 'LocalPref' || !has(self.dynamicASN) || self.dynamicASN == 'internal'",
  field: 'rank.mode',
  holds: (peer) => peer.rank.mode !== 'LocalPref' || peer.dynamicASN !== 'external',
};

export const PEER_RULES: readonly Rule<PeerText>[] = [
  ONE_ASN,
  LOCAL_ASN_IS_EXTERNAL,
  LOCAL_ASN_DIFFERS,
  SOURCE_FAMILY,
  SOURCE_DIFFERS,
  KEEPALIVE_WITH_HOLD,
  KEEPALIVE_FITS_HOLD,
  ONE_TTL_RULE,
  LOCAL_PREF_IS_INTERNAL,
];

export const RANK_BASE_NEEDS_MODE: Rule<{ readonly mode: string; readonly base?: number }> = {
  must: 'must not be set when rank.mode is None',
  cel: "!has(self.base) || self.mode != 'None'",
  field: 'base',
  holds: ({ mode, base }) => base === undefined || mode !== 'None',
};

export const LONG_LIVED_NEEDS_RESTART: Rule<{
  readonly enabled: boolean;
  readonly longLivedStaleTime?: string;
}> = {
  must: 'must not be set unless gracefulRestart.enabled is true (RFC 9494 section 4.1)',
  cel: '!has(self.longLivedStaleTime) || self.enabled',
  field: 'longLivedStaleTime',
  holds: ({ enabled, longLivedStaleTime }) => longLivedStaleTime === undefined || enabled,
};

export const ANNOTATION_FITS_TYPE: Rule<{ readonly type: string; readonly annotation?: string }> = {
  must: 'must be set when nextHop.type is Annotation, and only then',
  cel: "has(self.annotation) == (self.type == 'Annotation')",
  field: 'annotation',
  holds: ({ type, annotation }) => (annotation !== undefined) === (type === 'Annotation'),
};

function sameFamily(a: string | undefined, b: string): boolean {
  return bothAddresses(a, b, (first, second) => first.family === second.family) ?? true;
}

function sameAddress(a: string | undefined, b: string): boolean {
  return bothAddresses(a, b, (first, second) => first.text === second.text) ?? false;
}

/** undefined when one of them is no address, which another rule says. */
function bothAddresses(
  a: string | undefined,
  b: string,
  compare: (a: { family: number; text: string }, b: { family: number; text: string }) => boolean,
): boolean | undefined {
  const first = parseAddress(a ?? '');
  const second = parseAddress(b);
  return first.ok && second.ok ? compare(first.value, second.value) : undefined;
}
