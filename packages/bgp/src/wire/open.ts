// OPEN (RFC 4271 section 4.2 and 6.2, RFC 5492, RFC 6793, RFC 9072): body octets in, message or session-reset
// problem out, and back. Whether the peer is the one we expect is not decided here but in the FSM.

import { addressBytes, addressFromBytes, AS_TRANS, isFourOctet } from '@herald/net';
import { decodeCapability, encodeCapability, type Capability } from './capability.ts';
import { encodeMessage } from './header.ts';
import type { OpenMessage } from './message.ts';
import { capabilityOf } from './negotiated.ts';
import { joined, OctetReader, uint16 } from './octets.ts';
import { decoded, failed, sessionReset, type Outcome } from './problem.ts';
import { BGP_VERSION, ERROR_CODE, MESSAGE_TYPE, OPEN_ERROR, OPTIONAL_PARAMETER } from './registry.ts';

/** RFC 4271 section 4.2: hold times of 1 and 2 seconds are refused. */
const SHORTEST_HOLD_TIME_SECONDS = 3;

//  +---------+-----------------+-------------------+----------------+------------+----------------------+
//  | Version | My AS (2)       | Hold time (2)     | Identifier (4) | Length (1) | Optional parameters  |
//  +---------+-----------------+-------------------+----------------+------------+----------------------+
export function encodeOpen(message: OpenMessage): Uint8Array {
  return encodeMessage(MESSAGE_TYPE.open, [
    Uint8Array.of(BGP_VERSION),
    uint16(isFourOctet(message.asn) ? AS_TRANS : message.asn),
    uint16(message.holdTimeSeconds),
    addressBytes(message.identifier),
    optionalParameters(joined(message.capabilities.map(encodeCapability))),
  ]);
}

/** All capabilities in one parameter; RFC 9072's longer form only where one octet cannot hold the length. */
function optionalParameters(capabilities: Uint8Array): Uint8Array {
  const { length } = capabilities;
  if (length === 0) {
    return Uint8Array.of(0);
  }
  const type = OPTIONAL_PARAMETER.capabilities;
  if (length <= 253) {
    return joined([Uint8Array.of(length + 2, type, length), capabilities]);
  }
  const extended = OPTIONAL_PARAMETER.extendedLength;
  return joined([
    Uint8Array.of(extended, extended),
    uint16(length + 3),
    Uint8Array.of(type),
    uint16(length),
    capabilities,
  ]);
}

export function decodeOpen(body: Uint8Array): Outcome<OpenMessage> {
  const reader = new OctetReader(body);
  const version = reader.uint8();
  const shortAsn = reader.uint16();
  const holdTimeSeconds = reader.uint16();
  const identifier = addressFromBytes(body.subarray(5, 9));
  reader.take(4);
  if (version !== BGP_VERSION) {
    return refusedOpen(
      OPEN_ERROR.unsupportedVersion,
      `version ${version} is not ${BGP_VERSION}`,
      uint16(BGP_VERSION),
    );
  }
  if (holdTimeSeconds > 0 && holdTimeSeconds < SHORTEST_HOLD_TIME_SECONDS) {
    return refusedOpen(OPEN_ERROR.unacceptableHoldTime, `a hold time of ${holdTimeSeconds} s is not allowed`);
  }
  if (identifier.value === 0n) {
    return refusedOpen(OPEN_ERROR.badIdentifier, 'the BGP identifier is 0.0.0.0');
  }
  const capabilities = decodeParameters(reader);
  if (!capabilities.ok) {
    return capabilities;
  }
  return withAsn(
    { kind: 'open', asn: shortAsn, holdTimeSeconds, identifier, capabilities: capabilities.value },
    shortAsn,
  );
}

function withAsn(message: OpenMessage, shortAsn: number): Outcome<OpenMessage> {
  const asn = capabilityOf(message, 'four-octet-asn')?.asn ?? shortAsn;
  return asn === 0
    ? refusedOpen(OPEN_ERROR.badPeerAs, 'AS number 0 is reserved (RFC 7607)')
    : decoded({ ...message, asn });
}

function decodeParameters(reader: OctetReader): Outcome<readonly Capability[]> {
  const form = parameterForm(reader);
  if (form === undefined) {
    return malformed('the optional parameters do not fill the message');
  }
  const capabilities: Capability[] = [];
  while (reader.remaining > 0) {
    const type = reader.uint8();
    const value = reader.take(form.length());
    if (reader.overrun) {
      return malformed('an optional parameter is longer than what is left');
    }
    if (type !== OPTIONAL_PARAMETER.capabilities) {
      const text = `optional parameter ${type} is not supported`;
      return refusedOpen(OPEN_ERROR.unsupportedOptionalParameter, text);
    }
    const problem = collectCapabilities(value, capabilities);
    if (problem !== undefined) {
      return malformed(problem);
    }
  }
  return decoded(capabilities);
}

interface ParameterForm {
  /** Reads the length of one parameter, of one octet or two. */
  readonly length: () => number;
}

/**
 * Undefined if the length of all parameters is not exactly what is left of the message. RFC 9072 section 2: the
 * first type tells the longer form, and its first length means nothing then, unless it is 0.
 */
function parameterForm(rest: OctetReader): ParameterForm | undefined {
  const total = rest.uint8();
  if (total === 0 || rest.peek() !== OPTIONAL_PARAMETER.extendedLength) {
    return rest.remaining === total ? { length: () => rest.uint8() } : undefined;
  }
  rest.uint8();
  const extendedTotal = rest.uint16();
  const whole = !rest.overrun && rest.remaining === extendedTotal;
  return whole ? { length: () => rest.uint16() } : undefined;
}

/** Returns what is wrong, or nothing. */
function collectCapabilities(value: Uint8Array, capabilities: Capability[]): string | undefined {
  const reader = new OctetReader(value);
  while (reader.remaining > 0) {
    const code = reader.uint8();
    const octets = reader.take(reader.uint8());
    if (reader.overrun) {
      return `capability ${code} is longer than its parameter`;
    }
    const capability = decodeCapability(code, octets);
    if (capability === undefined) {
      return `capability ${code} cannot have ${octets.length} octets`;
    }
    capabilities.push(capability);
  }
  return undefined;
}

function malformed(text: string): Outcome<never> {
  return refusedOpen(OPEN_ERROR.unspecific, text);
}

function refusedOpen(subcode: number, text: string, data?: Uint8Array): Outcome<never> {
  return failed(sessionReset(ERROR_CODE.open, subcode, text, data));
}
