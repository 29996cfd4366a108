// Fields that hold a length of time as text, in whole seconds: the timers of BGP have no finer unit.
// The bounds are part of the field's rule, so that the sentence can name them.

import { Type } from 'typebox';
import { formatDuration, parseDuration } from '../duration.ts';
import { rules, type Rule } from './rule.ts';

/** The digits keep Go's and CEL's 64-bit nanoseconds from overflowing. */
const SECONDS_PATTERN = '^([0-9]{1,5}h)?([0-9]{1,7}m)?([0-9]{1,8}s)?$';
const SECONDS = new RegExp(SECONDS_PATTERN);
const DURATION_LENGTH = 24;

export interface DurationBounds {
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Zero is allowed beside the bounds and means "off". */
  readonly zero?: 'off';
}

const IS_DURATION: Rule<string> = {
  must: 'must be a duration in whole seconds such as "30s" or "1m30s"',
  cel: `self != '' && self.matches('${SECONDS_PATTERN}')`,
  holds: isDuration,
};

/** CEL that is true when `value`, also CEL, can be given to duration(). */
export function celIsDuration(value: string): string {
  return `(${value} != '' && ${value}.matches('${SECONDS_PATTERN}'))`;
}

export function isDuration(text: string): boolean {
  return text !== '' && SECONDS.test(text);
}

/** NaN for what is no duration. */
export function secondsOf(text: string): number {
  const parsed = parseDuration(text);
  return parsed.ok ? parsed.value / 1000 : Number.NaN;
}

function withinBounds({ minSeconds, maxSeconds, zero }: DurationBounds): Rule<string> {
  const orZero = zero === undefined ? '' : '0s, or ';
  const celZero = zero === undefined ? '' : "duration(self) == duration('0s') || ";
  const celWithin = `(duration(self) >= duration('${minSeconds}s') && duration(self) <= duration('${maxSeconds}s'))`;
  return {
    must: `must be ${orZero}from ${formatDuration(minSeconds * 1000)} to ${formatDuration(maxSeconds * 1000)}`,
    cel: `!${celIsDuration('self')} || ${celZero}${celWithin}`,
    holds: (text) => {
      const seconds = secondsOf(text);
      const off = zero !== undefined && seconds === 0;
      return !isDuration(text) || off || (seconds >= minSeconds && seconds <= maxSeconds);
    },
  };
}

export function durationField(description: string, bounds: DurationBounds, fallback?: string) {
  return Type.String({
    description,
    maxLength: DURATION_LENGTH,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...rules(IS_DURATION, withinBounds(bounds)),
  });
}
