// The replica's place in the order of standby ranks, the same for as long as the pod lives: kept in its state
// directory. Whoever came earlier stands before who comes later. A newcomer that ranked better would replace the
// table that routers use by its own, path after path, and make them lose next hops for a moment; this way it says
// the same once more and nobody looks.
//
// Time counts in turns of sixteen seconds from 2026, folded into what MED has room for (275 days). A turn has 128
// places, and which of them is the pod's own, so that replicas which start together differ, all but one pair in 128.
// After folding a newcomer may come first once.

import { hash32 } from '@herald/net';

import { keptNumber } from './kept-number.ts';

const EPOCH_2026_MS = Date.UTC(2026, 0, 1);
const TURN_MS = 16_000;
const PLACES = 128;
/** Standby ranks lie between this many values; MED has no more above them. */
const ORDINALS = 190_000_000;

/** Throws where the state directory cannot be written or the kept number not be read. */
export async function loadOrdinal(stateDir: string, uid: string, nowMs: number): Promise<number> {
  return await keptNumber(stateDir, 'ordinal', () => ordinalAt(uid, nowMs));
}

function ordinalAt(uid: string, nowMs: number): number {
  const turn = Math.max(0, Math.floor((nowMs - EPOCH_2026_MS) / TURN_MS));
  return 1 + ((turn * PLACES + (hash32(uid) % PLACES)) % ORDINALS);
}
