// Something else takes addresses away as often as they are written: how often it is written again, and what is said.

import { describe, expect, it } from 'vitest';
import { ServiceWriter } from '../../src/write/service-writer.ts';
import { settled } from './manual-clock.ts';
import { Stage } from './writing.ts';

const KEY = 'default/a';
const MINUTE_MS = 60_000;

/** Wants the address whenever it may be written, as the loop does, and somebody who takes it away. */
class Fight {
  readonly at = new Stage();
  readonly writer: ServiceWriter;
  readonly #beginning = this.at.clock.nowMs();

  constructor() {
    const { api: client, elector, clock } = this.at;
    const current = (key: string) => this.at.current(key);
    const onDue = (): void => void this.want();
    this.writer = new ServiceWriter({ client, elector, clock, current, onDue });
    this.at.service(KEY);
  }

  /** When each write was made, in seconds. */
  readonly writes: number[] = [];
  isCleared = true;

  async want(): Promise<void> {
    const before = this.at.api.sent('PATCH').length;
    await this.writer.applyAllocations([this.at.give(KEY, '192.0.2.1')]);
    if (this.at.api.sent('PATCH').length > before) {
      this.writes.push((this.at.clock.nowMs() - this.#beginning) / 1000);
      if (this.isCleared) {
        await this.clear();
      }
    }
  }

  /** Also the loop's next tick: the source shows another object. */
  async clear(): Promise<void> {
    this.at.service(KEY);
    await this.want();
  }
}

describe('a Service whose address is cleared after each write', () => {
  it('is written after 1, 2, 4, ... seconds, at most each five minutes', async () => {
    const fight = new Fight();
    await fight.want();
    await fight.at.clock.advance(20 * MINUTE_MS);
    expect(fight.writes).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111]);
  });

  it('is written no more often because there are many ticks', async () => {
    const fight = new Fight();
    await fight.want();
    for (let i = 0; i < 1000; i++) {
      await fight.want();
    }
    expect(fight.writes).toEqual([0]);
    expect(fight.at.clock.sleeping).toBe(1);
  });

  it('is said from the third time on, as long as it is waited for', async () => {
    const fight = new Fight();
    await fight.want();
    await fight.at.clock.advance(2500);
    expect(fight.writer.faults()).toEqual([]);
    await fight.at.clock.advance(1000);
    expect(fight.writer.faults()).toMatchObject([
      { object: `Service ${KEY}`, field: 'status.loadBalancer', reason: 'AddressNotOurs' },
    ]);
    fight.isCleared = false;
    await fight.at.clock.advance(10_000);
    fight.at.show(KEY);
    expect(fight.writer.faults()).toEqual([]);
  });

  it('keeps no other Service waiting', async () => {
    const { at, writer } = new Fight();
    at.service('default/b');
    await writer.applyAllocations([at.give(KEY, '192.0.2.1')]);
    at.service(KEY);
    await writer.applyAllocations([at.give(KEY, '192.0.2.1'), at.give('default/b', '192.0.2.2')]);
    expect(at.api.sent('PATCH').map(({ path }) => path)).toEqual([
      `${Stage.path(KEY)}/status`,
      `${Stage.path('default/b')}/status`,
    ]);
  });

  it('is forgotten when a write has stood for ten minutes', async () => {
    const fight = new Fight();
    await fight.want();
    await fight.at.clock.advance(4000);
    fight.isCleared = false;
    await fight.at.clock.advance(12 * MINUTE_MS);
    fight.isCleared = true;
    fight.writes.length = 0;
    await fight.clear();
    await fight.at.clock.advance(4000);
    expect(fight.writes.map((second) => second - 724)).toEqual([0, 1, 3]);
  });

  it('is not waited for once the writer is closed', async () => {
    const fight = new Fight();
    await fight.want();
    fight.writer.close();
    await settled();
    await fight.at.clock.advance(MINUTE_MS);
    expect(fight.writes).toEqual([0]);
  });
});

it.each<[string, (at: Stage) => void]>([
  ['another address is wanted', (at) => void at.show(KEY)],
  [
    'it is another Service by that name',
    (at) => {
      at.api.remove(Stage.path(KEY));
      at.service(KEY);
    },
  ],
])('nothing waits when %s', async (_, change) => {
  const { at, writer } = new Fight();
  await writer.applyAllocations([at.give(KEY, '192.0.2.1')]);
  change(at);
  await writer.applyAllocations([at.give(KEY, '192.0.2.2')]);
  expect(at.api.sent('PATCH')).toHaveLength(2);
  expect(at.clock.sleeping).toBe(0);
});
