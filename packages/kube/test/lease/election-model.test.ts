// Whatever network, clocks and operators do: never two that may write, never a term used twice or going back,
// and a leader again soon after things are calm.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseRecord } from '../../src/lease/lease-record.ts';
import { ApiModel, type Weather } from './api-model.ts';

const STORM_MS = 60_000;
const CALM_MS = 30_000;

const weather: fc.Arbitrary<Weather> = fc.record({
  loss: fc.constantFrom(0, 0.05, 0.3),
  maxDelayMs: fc.constantFrom(20, 1500, 6000),
  watchLoss: fc.constantFrom(0, 0.2, 1),
});

type Mischief = (model: ApiModel) => void;

const pick = (model: ApiModel) => model.replicas[Math.floor(model.chance() * model.replicas.length)]!;

const freeze: Mischief = (model) => {
  pick(model).frozenUntil = model.now + model.between(100, 15_000);
};
const cutOff: Mischief = (model) => {
  pick(model).cutOffUntil = model.now + model.between(100, 15_000);
};
const restart: Mischief = (model) => {
  const old = pick(model);
  model.deliver(old, { kind: 'release' });
  model.join();
};
const touch: Mischief = (model) => model.change(model.lease === undefined ? undefined : {});
const remove: Mischief = (model) => model.change(undefined);

function storm(seed: number, replicas: number, wind: Weather, mischief: readonly Mischief[]): ApiModel {
  const model = new ApiModel(seed, wind);
  for (let i = 0; i < replicas; i++) {
    model.at(model.between(0, 3000), () => model.join());
  }
  // Far enough apart for two in a row to be two faults and not one that nobody could survive.
  for (let at = 5000; at < STORM_MS; at += model.between(4000, 9000)) {
    model.at(at, () => mischief[Math.floor(model.chance() * mischief.length)]?.(model));
  }
  model.runUntil(STORM_MS);
  model.calm();
  model.runUntil(STORM_MS + CALM_MS);
  return model;
}

const schedule = fc.tuple(fc.integer(), fc.integer({ min: 2, max: 3 }), weather);

describe('electors against a hostile network', () => {
  it('never have two that may write, nor a term twice, and end with one leader', () => {
    fc.assert(
      fc.property(schedule, ([seed, replicas, wind]) => {
        const model = storm(seed, replicas, wind, [freeze, cutOff, restart, touch]);
        expect(model.faults).toEqual([]);
        expect(model.writers()).toHaveLength(1);
      }),
      { numRuns: 600 },
    );
  });

  it('survive a Lease that is deleted under them', () => {
    fc.assert(
      fc.property(schedule, ([seed, replicas, wind]) => {
        const model = storm(seed, replicas, wind, [remove, freeze, () => undefined, () => undefined]);
        expect(model.faults).toEqual([]);
        expect(model.writers()).toHaveLength(1);
      }),
      // A standby that saw nothing puts the Lease back in the second in which the leader took its term.
      { numRuns: 600, examples: [[[-1764331117, 2, { loss: 0.05, maxDelayMs: 20, watchLoss: 1 }]]] },
    );
  });

  it('survive an older Lease that is restored under them', () => {
    fc.assert(
      fc.property(schedule, ([seed, replicas, wind]) => {
        let backup: LeaseRecord | undefined;
        const restore: Mischief = (model) => {
          if (backup === undefined) {
            backup = model.lease;
          } else {
            model.restore(backup);
          }
        };
        const model = storm(seed, replicas, wind, [restore, cutOff, () => undefined, () => undefined]);
        expect(model.faults.filter((fault) => fault.endsWith('may write'))).toEqual([]);
        expect(model.writers()).toHaveLength(1);
      }),
      { numRuns: 600 },
    );
  });

  it('elect somebody within a moment of a release, and within lease and period of a death', () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, dies) => {
        const model = new ApiModel(seed, { loss: 0, maxDelayMs: 20, watchLoss: 0 });
        model.join();
        model.join();
        model.runUntil(20_000);
        const [leader] = model.writers();
        if (dies) {
          leader!.frozenUntil = Number.MAX_SAFE_INTEGER;
        } else {
          model.deliver(leader!, { kind: 'release' });
        }
        // The clock of the follower may be a tenth slow.
        model.runUntil(model.now + (dies ? 6000 / 0.9 + 1000 : 300));
        const [follower] = model.writers();
        expect(follower?.name).toBeDefined();
        expect(follower).not.toBe(leader);
      }),
      { numRuns: 200 },
    );
  });

  it('leave the leadership where it is while nothing happens', () => {
    const model = new ApiModel(1, { loss: 0, maxDelayMs: 200, watchLoss: 0.2 });
    model.join();
    model.join();
    model.join();
    model.runUntil(600_000);
    expect(model.acquisitions).toBe(1);
  });
});
