// Lengths of time as people write them in Kubernetes objects: Go's "30s", "1m30s", "500ms", in falling
// units. Text -> milliseconds. Fractions, signs, and units below a millisecond are refused: no timer of
// Herald or of BGP has a use for them.

import { accepted, refused, type Parsed } from '@herald/net';

const DURATION = /^(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,8})s)?(?:(\d{1,8})ms)?$/;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/** Milliseconds. */
export function parseDuration(text: string): Parsed<number> {
  const match = DURATION.exec(text);
  if (match === null || text === '') {
    return refused(`${JSON.stringify(text)} is not a duration: write "30s", "1m30s" or "500ms"`);
  }
  const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = match;
  return accepted(
    Number(hours) * HOUR_MS +
      Number(minutes) * MINUTE_MS +
      Number(seconds) * SECOND_MS +
      Number(milliseconds),
  );
}

/** The way Go writes it, without the units that are zero; 0 is "0s". */
export function formatDuration(milliseconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(milliseconds / HOUR_MS), 'h'],
    [Math.floor((milliseconds % HOUR_MS) / MINUTE_MS), 'm'],
    [Math.floor((milliseconds % MINUTE_MS) / SECOND_MS), 's'],
    [milliseconds % SECOND_MS, 'ms'],
  ];
  const text = parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('');
  return text === '' ? '0s' : text;
}
