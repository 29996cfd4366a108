export type { Running } from './controller.ts';
export { start } from './main.ts';
export { inSlices } from './in-slices.ts';
