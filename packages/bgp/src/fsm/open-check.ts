// Whether the OPEN of the peer is one that we can have a session with: both OPENs in, a problem or nothing out.
//
// Stricter than RFC 4271 section 6.2 in one thing: without four-octet AS numbers (RFC 6793) there is no session,
// because our attributes are only ever written in that form.

import type { OpenMessage } from '../wire/message.ts';
import { capabilityOf } from '../wire/negotiated.ts';
import { joined, uint32 } from '../wire/octets.ts';
import { sessionReset, type WireProblem } from '../wire/problem.ts';
import { CAPABILITY, ERROR_CODE, OPEN_ERROR } from '../wire/registry.ts';

export function openProblem(
  local: OpenMessage,
  remote: OpenMessage,
  remoteAsn: number,
): WireProblem | undefined {
  if (remote.asn !== remoteAsn) {
    return refused(OPEN_ERROR.badPeerAs, `the peer is AS ${remote.asn}, not ${remoteAsn}`);
  }
  // RFC 6286 section 2.2: within an AS every identifier is unique.
  if (remote.asn === local.asn && remote.identifier.value === local.identifier.value) {
    return refused(OPEN_ERROR.badIdentifier, `the peer has our own identifier ${local.identifier.text}`);
  }
  if (capabilityOf(remote, 'four-octet-asn') === undefined) {
    const wanted = joined([Uint8Array.of(CAPABILITY.fourOctetAsn, 4), uint32(local.asn)]);
    return refused(OPEN_ERROR.unsupportedCapability, 'the peer has no four-octet AS numbers', wanted);
  }
  return undefined;
}

function refused(subcode: number, text: string, data?: Uint8Array): WireProblem {
  return sessionReset(ERROR_CODE.open, subcode, text, data);
}
