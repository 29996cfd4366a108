import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { onTermination } from '../src/termination.ts';

type Listener = () => void;

let listeners: Map<string, Listener>;
let exits: unknown[];

beforeEach(() => {
  vi.useFakeTimers();
  listeners = new Map();
  exits = [];
  vi.spyOn(process, 'on').mockImplementation(((signal: string, listener: Listener) => {
    listeners.set(signal, listener);
    return process;
  }) as typeof process.on);
  vi.spyOn(process, 'exit').mockImplementation(((code: unknown) => exits.push(code)) as typeof process.exit);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.for(['SIGTERM', 'SIGINT'])('%s asks, and the process ends well when all is done', async (signal) => {
  const stopped = Promise.withResolvers<void>();
  const stop = vi.fn<() => Promise<void>>(() => stopped.promise);
  onTermination(stop, 10_000);
  listeners.get(signal)?.();
  expect(stop).toHaveBeenCalledTimes(1);
  expect(exits).toEqual([]);
  stopped.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(exits).toEqual([0]);
});

test('a second signal, of either kind, insists', () => {
  const stop = vi.fn<() => Promise<void>>(() => new Promise(() => undefined));
  onTermination(stop, 10_000);
  listeners.get('SIGTERM')?.();
  listeners.get('SIGINT')?.();
  expect(exits[0]).toBe(1);
});

test('a shutdown that does not end is ended', async () => {
  onTermination(() => new Promise(() => undefined), 10_000);
  listeners.get('SIGTERM')?.();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(exits).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(exits).toEqual([1]);
});

test('a shutdown that fails ends the process too, and not as if all were well', async () => {
  onTermination(() => Promise.reject(new Error('bgpd is stuck')), 10_000);
  listeners.get('SIGTERM')?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(exits).toEqual([1]);
});
