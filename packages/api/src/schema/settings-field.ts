// The kinds of field that settings are made of: rules, addresses, paths, ports, durations. Schema pieces only.

import { parseAddress } from '@herald/net';
import { Type } from 'typebox';
import { parseDuration } from '../duration.ts';
import { rules, type Rule } from './rule.ts';

const PATH_LENGTH = 4096;

/** Settings are never in a CRD: the CEL of their rules is not used. */
export function ruleOf<T>(must: string, holds: (value: T) => boolean): Rule<T> {
  return { must, cel: 'true', holds };
}

export function addressText(description: string, fallback: string) {
  return Type.String({
    description,
    default: fallback,
    maxLength: 45,
    ...rules(ruleOf<string>('must be an IPv4 or IPv6 address', (text) => parseAddress(text).ok)),
  });
}

export function pathText(description: string, fallback?: string) {
  return Type.String({
    description,
    maxLength: PATH_LENGTH,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...rules(ruleOf<string>('must be an absolute path', (text) => text.startsWith('/'))),
  });
}

export function portNumber(description: string, fallback: number) {
  return Type.Integer({ description, minimum: 1, maximum: 65535, default: fallback });
}

export function milliseconds(description: string, fallback: string, minMs: number, maxMs: number) {
  const within = ruleOf<string>(
    `must be a duration from ${minMs}ms to ${maxMs}ms, such as "500ms" or "2s"`,
    (text) => {
      const parsed = parseDuration(text);
      return parsed.ok && parsed.value >= minMs && parsed.value <= maxMs;
    },
  );
  return Type.String({ description, default: fallback, maxLength: 24, ...rules(within) });
}
