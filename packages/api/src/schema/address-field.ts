// Fields that hold an IP address or a prefix in text, with their rules. Reading them is net's work; the
// rules here say the same in CEL, so that the API server refuses what net would.

import { isLinkLocal, isLoopback, isMulticast, isUnspecified, parseAddress, parsePrefix } from '@herald/net';
import type { Address } from '@herald/net';
import { Type } from 'typebox';
import { rules, type Rule } from './rule.ts';

/** The longest IPv6 text: eight groups, the last two as a dotted quad. */
const ADDRESS_LENGTH = 45;
const PREFIX_LENGTH = ADDRESS_LENGTH + '/128'.length;

const IS_ADDRESS: Rule<string> = {
  must: 'must be an IPv4 or IPv6 address without zone, port, brackets or leading zeros, and not IPv4-mapped',
  cel: 'isIP(self)',
  holds: (text) => parseAddress(text).ok,
};

const IS_UNICAST: Rule<string> = {
  must: 'must be the address of one machine: not unspecified, loopback, multicast, broadcast or IPv6 link-local',
  cel: '!isIP(self) || ip(self).isGlobalUnicast() || (ip(self).family() == 4 && ip(self).isLinkLocalUnicast())',
  holds: (text) => satisfies(text, isUnicast),
};

const IS_PREFIX: Rule<string> = {
  must: 'must be an IPv4 or IPv6 prefix such as 192.0.2.0/24',
  cel: 'isCIDR(self)',
  holds: (text) => parsePrefix(text).ok || hasHostBits(text),
};

const NO_HOST_BITS: Rule<string> = {
  must: 'must have no host bits set',
  cel: '!isCIDR(self) || cidr(self) == cidr(self).masked()',
  holds: (text) => !hasHostBits(text),
};

/** Whether an address can be that of one machine somewhere else. Link-local IPv4 can: clouds peer over it. */
export function isUnicast(of: Address): boolean {
  return !(
    isUnspecified(of) ||
    isLoopback(of) ||
    isMulticast(of) ||
    of.text === '255.255.255.255' ||
    (of.family === 6 && isLinkLocal(of))
  );
}

/** Vacuously true for what is no address. */
export function satisfies(text: string, condition: (address: Address) => boolean): boolean {
  const parsed = parseAddress(text);
  return !parsed.ok || condition(parsed.value);
}

/** Whether the text would be a prefix if its host bits were zero. */
export function hasHostBits(text: string): boolean {
  const [base = '', length = ''] = text.split('/');
  const parsed = parseAddress(base);
  const bits = parsed.ok && parsed.value.family === 6 ? 128 : 32;
  const wellFormed = parsed.ok && /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= bits;
  return wellFormed && text.split('/').length === 2 && !parsePrefix(text).ok;
}

export function addressField(description: string) {
  return Type.String({ description, maxLength: ADDRESS_LENGTH, ...rules(IS_ADDRESS, IS_UNICAST) });
}

export function prefixField() {
  return Type.String({ maxLength: PREFIX_LENGTH, ...rules(IS_PREFIX, NO_HOST_BITS) });
}
