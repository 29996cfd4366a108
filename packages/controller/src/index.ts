export type { Running } from './controller-parts.ts';
export { start } from './main.ts';
export { inSlices } from './in-slices.ts';
