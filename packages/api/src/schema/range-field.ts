// The field that holds addresses of a pool: a prefix, "first-last", or one address, with the spaces around
// the dash that MetalLB allows. CEL cannot compare IPv6 addresses by number, so a reversed IPv6 range is
// the one mistake here that only projection finds.

import { parseAddress, parseRange } from '@herald/net';
import { Type } from 'typebox';
import { hasHostBits, isUnicast, satisfies } from './address-field.ts';
import { rules, type Rule } from './rule.ts';

/** Two addresses of 45 characters, a dash, and a space on either side of it. */
const RANGE_LENGTH = 93;

const CEL_ENDS = "self.split('-').map(end, end.trim())";
const CEL_IS_RANGE = `(${CEL_ENDS}.size() == 2 && ${CEL_ENDS}.all(end, isIP(end)))`;
const QUAD = '[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}';
const QUADS = `^ *${QUAD} *- *${QUAD} *$`;

const IS_RANGE: Rule<string> = {
  must: 'must be a prefix such as 192.0.2.0/24, a range such as 192.0.2.10-192.0.2.20, or one address',
  cel: `isCIDR(self) || isIP(self) || ${CEL_IS_RANGE}`,
  holds: (text) => hasHostBits(text) || isEnds(text) || parseRange(text.trim()).ok,
};

const NO_HOST_BITS: Rule<string> = {
  must: 'must have no host bits set',
  cel: '!isCIDR(self) || cidr(self) == cidr(self).masked()',
  holds: (text) => !hasHostBits(text),
};

const ONE_FAMILY: Rule<string> = {
  must: 'must begin and end in one address family',
  // 4 + 6: one end of each family.
  cel: `${CEL_ENDS}.filter(end, isIP(end)).map(end, ip(end).family()).sum() != 10`,
  holds: (text) => !isEnds(text) || new Set(endsOf(text).map(familyOf)).size === 1,
};

const IN_ORDER: Rule<string> = {
  must: 'must not be reversed: the lower address comes first',
  cel:
    `!self.matches('${QUADS}') || ${CEL_ENDS}.map(end, end.split('.')).map(octets, int(octets[0]) * 16777216 + ` +
    'int(octets[1]) * 65536 + int(octets[2]) * 256 + int(octets[3])).isSorted()',
  holds: (text) =>
    !isEnds(text) || endsOf(text).some((end) => familyOf(end) === 6) || parseRange(text.trim()).ok,
};

const IS_UNICAST: Rule<string> = {
  must: 'must not begin at an unspecified, loopback, multicast, broadcast or link-local address',
  cel:
    '(!isCIDR(self) || cidr(self).ip().isGlobalUnicast()) && ' +
    `${CEL_ENDS}.filter(end, isIP(end)).all(end, ip(end).isGlobalUnicast())`,
  holds: (text) => baseAddresses(text).every((end) => satisfies(end, isAnnounceable)),
};

function isAnnounceable(address: Parameters<typeof isUnicast>[0]): boolean {
  return isUnicast(address) && !address.text.startsWith('169.254.');
}

function baseAddresses(text: string): readonly string[] {
  return isEnds(text) ? endsOf(text) : [text.split('/')[0] ?? ''];
}

function endsOf(text: string): readonly string[] {
  return text.split('-').map((end) => end.trim());
}

/** Whether there are two addresses with a dash between, whatever they are. */
function isEnds(text: string): boolean {
  const ends = endsOf(text);
  return ends.length === 2 && ends.every((end) => parseAddress(end).ok);
}

function familyOf(text: string): number | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed.value.family : undefined;
}

export function rangeField() {
  return Type.String({
    minLength: 2,
    maxLength: RANGE_LENGTH,
    ...rules(IS_RANGE, NO_HOST_BITS, ONE_FAMILY, IN_ORDER, IS_UNICAST),
  });
}
