// Fields that hold an AS number. The bounds leave out 0 and the last number, the rule the two reserved
// ones between (RFC 7607, RFC 7300, RFC 6793).

import { parseAsn } from '@herald/net';
import { Type } from 'typebox';
import { rules, type Rule } from './rule.ts';

const IS_USABLE: Rule<number> = {
  must: 'must not be 23456 or 65535, which are reserved (RFC 6793, RFC 7300)',
  cel: '!(self in [23456, 65535])',
  holds: (asn) => parseAsn(asn).ok,
};

export function asnField(description: string) {
  return Type.Integer({
    description,
    format: 'int64',
    minimum: 1,
    maximum: 4294967294,
    ...rules(IS_USABLE),
  });
}
