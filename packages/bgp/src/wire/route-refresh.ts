// ROUTE-REFRESH (RFC 2918, RFC 7313): the peer asks for all routes of a family again, or marks the begin and
// end of such an answer. Body octets in, message or problem out, and back. Unknown subtypes are handed on: to
// ignore them (RFC 7313 section 5) is a decision of the session. ORF entries (RFC 5291) are not understood.

import { encodeMessage } from './header.ts';
import type { RouteRefreshMessage } from './message.ts';
import { OctetReader, uint16 } from './octets.ts';
import { decoded, failed, sessionReset, type Outcome } from './problem.ts';
import { ERROR_CODE, HEADER_LENGTH, MAXIMUM_LENGTH, MESSAGE_TYPE, ROUTE_REFRESH_ERROR } from './registry.ts';

const BODY_OCTETS = 4;
/** What a NOTIFICATION has room for besides its header, code and subcode, whatever was negotiated. */
const LONGEST_RETURNED_OCTETS = MAXIMUM_LENGTH - HEADER_LENGTH - 2;

//  +---------------+---------+--------+
//  | AFI (2)       | Subtype |  SAFI  |
//  +---------------+---------+--------+
export function encodeRouteRefresh({ afi, subtype, safi }: RouteRefreshMessage): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.routeRefresh, [uint16(afi), Uint8Array.of(subtype, safi)]);
}

/** `whole` is the message with its header, which RFC 7313 section 5 wants back, as far as it fits. */
export function decodeRouteRefresh(body: Uint8Array, whole: Uint8Array): Outcome<RouteRefreshMessage> {
  if (body.length !== BODY_OCTETS) {
    const text = `a ROUTE-REFRESH has ${BODY_OCTETS} octets behind its header, not ${body.length}`;
    const returned = whole.slice(0, LONGEST_RETURNED_OCTETS);
    return failed(sessionReset(ERROR_CODE.routeRefresh, ROUTE_REFRESH_ERROR.invalidLength, text, returned));
  }
  const reader = new OctetReader(body);
  const afi = reader.uint16();
  const subtype = reader.uint8();
  return decoded({ kind: 'route-refresh', afi, safi: reader.uint8(), subtype });
}
