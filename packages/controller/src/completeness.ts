// Whether bgpd holds all that a feed has sent: the number of paths against the table's. One path that bgpd
// refuses must not keep the rest back for ever, so after a bound the table counts as complete and what is
// missing is named. Pure: times come from the caller.

import { MARKER_PREFIX } from '@herald/frr';
import type { HeldPath } from '@herald/frr';
import type { RouteTable } from '@herald/net';

/** How long an incomplete table is waited for, in milliseconds. */
const PATIENCE_MS = 5000;

export type Completeness = 'complete' | 'waiting' | 'given-up';

export class Patience {
  readonly #sinceMs = new Map<string, number>();

  /** `held` and `expected` are numbers of paths; an instance that is complete starts anew the next time. */
  judge(instance: string, held: number, expected: number, nowMs: number): Completeness {
    const since = this.#sinceMs.get(instance) ?? nowMs;
    const outcome = held >= expected ? 'complete' : waited(nowMs - since);
    if (outcome === 'waiting') {
      this.#sinceMs.set(instance, since);
    } else {
      this.#sinceMs.delete(instance);
    }
    return outcome;
  }

  /** The next table of the instance gets its whole time. */
  forget(instance: string): void {
    this.#sinceMs.delete(instance);
  }
}

function waited(ms: number): Completeness {
  return ms >= PATIENCE_MS ? 'given-up' : 'waiting';
}

/** `prefix via next hop` of every path of the table that bgpd does not hold, sorted. */
export function missingPaths(table: RouteTable, held: readonly HeldPath[]): string[] {
  const known = new Set(held.map(({ prefix, nextHop }) => pathText(prefix, nextHop)));
  const missing: string[] = [];
  for (const { prefix, paths } of table.values()) {
    const texts = paths.map(({ nextHop }) => pathText(prefix.text, nextHop.text));
    missing.push(...texts.filter((text) => prefix.text !== MARKER_PREFIX.text && !known.has(text)));
  }
  return missing.sort();
}

function pathText(prefix: string, nextHop: string): string {
  return `${prefix} via ${nextHop}`;
}
