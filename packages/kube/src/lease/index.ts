export { UptimeClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { Elector } from './elector.ts';
export type { ElectorOptions } from './elector.ts';
export type { Leadership } from './election-state.ts';
