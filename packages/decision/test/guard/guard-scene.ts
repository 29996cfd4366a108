// Five nodes behind one Service that fall silent and come back, moment by moment.

import { decide, emptyMemory } from '../../src/index.ts';
import type { Decision, Memory, World } from '../../src/index.ts';
import { sceneWorld } from '../routes/small-world.ts';

export const PREFIX = '203.0.113.1/32';
export const NAMES = ['a', 'b', 'c', 'd', 'e'];
export const DOUBT = 10_000;
export const OUTAGE_DOUBT = 120_000;

export interface Moment {
  readonly at?: number;
  /** Nodes of which Ready is Unknown. */
  readonly silent?: string;
  /** Nodes of which Ready is False. */
  readonly unwell?: string;
  /** Endpoints, as in small-world. */
  readonly on?: string;
  readonly percent?: number;
  /** Since when there is contact with the API server again. */
  readonly regained?: number;
  readonly retained?: World['retained'];
}

export const EVERYWHERE = 'a b c d e';

export function worldAt(moment: Moment): World {
  const { at = 0, silent = '', unwell = '', on = EVERYWHERE, percent = 50, regained, retained } = moment;
  const ready = (name: string) =>
    silent.includes(name) ? 'Unknown' : unwell.includes(name) ? 'False' : 'True';
  const nodes = NAMES.map((name) => [name, { ready: ready(name) }] as const);
  const scene = {
    nodes: Object.fromEntries(nodes),
    services: { web: { on } },
    ...(retained && { retained }),
  };
  const world = sceneWorld({ ...scene, settings: { deadNodesPercent: percent, silentNodeMs: DOUBT } });
  return { ...world, now: at, freshness: { ...world.freshness, regainedAtMs: regained } };
}

export function history(moments: readonly Moment[]): { decision: Decision; memory: Memory; world: World } {
  let memory = emptyMemory();
  let last: { decision: Decision; memory: Memory; world: World } | undefined;
  for (const moment of moments) {
    const world = worldAt(moment);
    const decided = decide(world, memory);
    memory = decided.memory;
    last = { ...decided, world };
  }
  if (last === undefined) {
    throw new Error('nothing happened');
  }
  return last;
}
