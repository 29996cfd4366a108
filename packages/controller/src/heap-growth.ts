// How far the heap may grow beyond what lives in it before V8 collects. By default that is up to four times
// as much, which a large cluster pays for as memory that holds nothing: 550 MB were kept for 150 MB of objects
// (docs/bench.md). The percentage costs no measurable processor time; V8's own memory saver takes four times as
// much. Must be said early, before the heap has grown.

import { setFlagsFromString } from 'node:v8';

const GROWTH_PERCENT = 30;

export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
