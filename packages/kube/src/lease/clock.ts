// Time for the elector: milliseconds that also count while the machine is suspended or its processes are
// frozen. Node's monotonic clock stops in a suspended machine, and a leader that trusted it would go on
// writing after another one took over. The wall clock is no better: it is set back and forth.
//
// Linux only, as the election is: /proc/uptime is CLOCK_BOOTTIME with a resolution of 10 ms.

import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** Counts suspended time; its zero means nothing. */
  nowMs(): number;
  /** Resolves after about `ms`, or at once when the signal aborts; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Timers do not count suspended time, so a long sleep is cut into pieces and looked at again. */
const LONGEST_NAP_MS = 5000;
const UPTIME_FILE = '/proc/uptime';

export function parseUptime(content: string): number {
  const seconds = Number(content.split(' ', 1)[0]);
  if (content.trim() === '' || !Number.isFinite(seconds)) {
    throw new RangeError(`${UPTIME_FILE} does not begin with a number of seconds`);
  }
  return Math.round(seconds * 1000);
}

export class UptimeClock implements Clock {
  nowMs(): number {
    return parseUptime(readFileSync(UPTIME_FILE, 'utf8'));
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const until = this.nowMs() + ms;
    for (let left = ms; left > 0 && !signal.aborted; left = until - this.nowMs()) {
      await nap(Math.min(left, LONGEST_NAP_MS), signal);
    }
  }
}

async function nap(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
