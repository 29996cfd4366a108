// The field that holds a BGP community in text: standard, large, or a well-known name. The administrator
// that Herald's own export tags use is refused here, where an operator writes communities.

import { INTERNAL_ADMINISTRATOR, parseCommunity } from '@herald/net';
import { Type } from 'typebox';
import { rules, type Rule } from './rule.ts';

const COMMUNITY_LENGTH = 'large:'.length + 3 * 10 + 2;

const WELL_KNOWN = [
  'graceful-shutdown',
  'accept-own',
  'llgr-stale',
  'no-llgr',
  'blackhole',
  'no-export',
  'no-advertise',
  'local-as',
  'no-export-subconfed',
  'no-peer',
];

const NUMBER = '(0|[1-9][0-9]{0,9})';
const STANDARD = `^${NUMBER}:${NUMBER}$`;
const LARGE = `^(large:)?${NUMBER}:${NUMBER}:${NUMBER}$`;
const RESERVED = `^(large:)?${INTERNAL_ADMINISTRATOR}:[0-9]+:[0-9]+$`;

const matches = (pattern: string, text: string): boolean => new RegExp(pattern).test(text);
const celMatches = (pattern: string): string => `self.matches('${pattern}')`;

const IS_COMMUNITY: Rule<string> = {
  must: `must be a community such as 65000:100 or large:65000:1:2, or one of ${WELL_KNOWN.join(', ')}`,
  cel: `self in [${WELL_KNOWN.map((name) => `'${name}'`).join(', ')}] || ${celMatches(STANDARD)} || ${celMatches(LARGE)}`,
  holds: (text) => parseCommunity(text).ok || matches(STANDARD, text) || matches(LARGE, text),
};

const FITS: Rule<string> = {
  must: 'must have numbers up to 65535 in a standard and up to 4294967295 in a large community',
  cel:
    `(!${celMatches(STANDARD)} || self.split(':').all(part, int(part) <= 65535)) && ` +
    `(!${celMatches(LARGE)} || self.replace('large:', '').split(':').all(part, int(part) <= 4294967295))`,
  holds: (text) => parseCommunity(text).ok || !(matches(STANDARD, text) || matches(LARGE, text)),
};

const NOT_RESERVED: Rule<string> = {
  must: `must not have the administrator ${INTERNAL_ADMINISTRATOR}, which Herald uses for its own tags`,
  cel: `!${celMatches(RESERVED)}`,
  reason: 'ReservedCommunity',
  holds: (text) => !matches(RESERVED, text),
};

export function communityField() {
  return Type.String({
    minLength: 3,
    maxLength: COMMUNITY_LENGTH,
    ...rules(IS_COMMUNITY, FITS, NOT_RESERVED),
  });
}
