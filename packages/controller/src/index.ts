export { start, type Running } from './main.ts';
