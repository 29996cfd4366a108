import { describe, expect, it, vi } from 'vitest';
import { ChangeSignal } from '../src/stores/change-signal.ts';

describe('a signal', () => {
  it('reaches every listener once for each time it is raised, in the order in which they came', () => {
    const signal = new ChangeSignal();
    const told: string[] = [];
    signal.subscribe(() => told.push('a'));
    signal.subscribe(() => told.push('b'));
    signal.raise();
    signal.raise();
    expect(told).toEqual(['a', 'b', 'a', 'b']);
  });

  it('without listeners does nothing', () => {
    expect(() => new ChangeSignal().raise()).not.toThrow();
  });

  it('carries nothing', () => {
    const signal = new ChangeSignal();
    const listener = vi.fn<() => void>();
    signal.subscribe(listener);
    signal.raise();
    expect(listener.mock.calls).toEqual([[]]);
  });

  it('reaches a listener that is subscribed twice once', () => {
    const signal = new ChangeSignal();
    const listener = vi.fn<() => void>();
    signal.subscribe(listener);
    signal.subscribe(listener);
    signal.raise();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('does not reach who has unsubscribed, also when that happens while it is raised', () => {
    const signal = new ChangeSignal();
    const told: string[] = [];
    const stops: (() => void)[] = [];
    signal.subscribe(() => {
      told.push('first');
      stops.forEach((stop) => stop());
    });
    stops.push(signal.subscribe(() => told.push('second')));
    signal.raise();
    stops.forEach((stop) => stop());
    expect(told).toEqual(['first']);
  });

  it('may be raised by a listener', () => {
    const signal = new ChangeSignal();
    let told = 0;
    signal.subscribe(() => {
      told += 1;
      if (told < 3) {
        signal.raise();
      }
    });
    signal.raise();
    expect(told).toBe(3);
  });

  it('reaches the others when a listener throws, whose error comes up by itself', () => {
    const later: (() => void)[] = [];
    const queue = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => void later.push(task));
    const signal = new ChangeSignal();
    let told = 0;
    signal.subscribe(() => {
      throw new Error('of the listener');
    });
    signal.subscribe(() => told++);
    signal.raise();
    queue.mockRestore();
    expect([told, later.length]).toEqual([1, 1]);
    expect(() => later[0]?.()).toThrow('of the listener');
  });
});
