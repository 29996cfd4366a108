export { start, type Running } from './main.ts';
export { inSlices } from './in-slices.ts';
