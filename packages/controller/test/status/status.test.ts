// What holds for statuses as a whole: the same input gives the same references, and bringing them up to date
// change by change ends where making them anew does.

import type { Reason, Service } from '@herald/api';
import type { ServiceVerdict } from '@herald/decision';
import { PersistentMap } from '@herald/net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { NO_MEMORY, wantedStatus, type StatusInputs } from '../../src/status/status.ts';
import {
  advertisementVerdict,
  bgpPeer,
  byName,
  holding,
  inputs,
  mapOf,
  peerVerdict,
  pool,
  poolVerdict,
  service,
  verdict,
} from './status-inputs.ts';

const KEYS = ['a/one', 'a/two', 'b/three', 'b/four'];
const REASONS_SEEN: readonly (Reason | 'Advertised')[] = [
  'Advertised',
  'NoAddress',
  'PoolExhausted',
  'NotOurClass',
  'AddressConflict',
];

interface Step {
  readonly services: Readonly<Record<string, { reason: Reason | 'Advertised'; holds: 0 | 1 | 2 }>>;
  readonly leading: boolean;
  readonly peers: Readonly<Record<string, Reason | 'Accepted'>>;
  readonly free: number;
  readonly selected: number;
  readonly states: Readonly<Record<string, 'Established' | 'Active'>>;
}

const NAMES = ['tor-1', 'tor-2'];
const step: fc.Arbitrary<Step> = fc.record({
  services: fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.record({ reason: fc.constantFrom(...REASONS_SEEN), holds: fc.constantFrom(0, 1, 2) }),
  ),
  leading: fc.boolean(),
  peers: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.constantFrom<Reason | 'Accepted'>('Accepted', 'NoAddPath', 'SecretMissing'),
  ),
  free: fc.nat({ max: 2 }),
  selected: fc.nat({ max: 2 }),
  states: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('Established', 'Active')),
});

const HELD = [[], ['198.51.100.1'], ['198.51.100.2']] as const;
const entriesOf = <T, R>(
  record: Readonly<Record<string, T>>,
  to: (value: T, key: string) => R,
): [string, R][] => Object.entries(record).map(([key, value]) => [key, to(value, key)]);

function inputsOf(
  { services, leading, peers, free, selected, states }: Step,
  previous?: StatusInputs,
): StatusInputs {
  const shown = entriesOf(services, ({ holds }, key): Service =>
    holds === 0 ? service(key) : holding(key, HELD[holds]),
  );
  const judged = entriesOf(services, ({ reason }): ServiceVerdict => verdict(reason));
  return inputs({
    world: {
      services: PersistentMap.from(shown),
      peers: byName(...Object.keys(peers).map((name) => bgpPeer(name))),
      pools: byName(pool('p', '198.51.100.0/24')),
      advertisements: byName({ name: 'default', uid: 'u' }) as never,
      leadership: { leading, term: 1 },
      now: (previous?.world.now ?? 0) + 60_000,
    },
    decision: {
      services: PersistentMap.from(judged),
      peers: PersistentMap.from(
        entriesOf(peers, (reason) => peerVerdict(reason, reason !== 'SecretMissing')),
      ),
      pools: mapOf({ p: poolVerdict([1, free]) }),
      advertisements: mapOf({ default: advertisementVerdict('Accepted', selected) }),
    },
    own: { peers: entriesOf(states, (state, name) => ({ name, state })).map(([, state]) => state) },
  });
}

test('the same input gives the same references', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
      let memory = NO_MEMORY;
      for (const each of steps) {
        const now = inputsOf(each);
        memory = wantedStatus(now, memory);
        const again = wantedStatus(now, memory);
        expect(again.wanted).toBe(memory.wanted);
        // Equal content in other objects, as after a relist.
        expect(wantedStatus(inputsOf(each), memory).wanted).toBe(memory.wanted);
      }
    }),
  );
});

test('change by change ends where everything anew does', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
      let memory = NO_MEMORY;
      let now: StatusInputs | undefined;
      for (const each of steps) {
        now = inputsOf(each, now);
        memory = wantedStatus(now, memory);
        const anew = wantedStatus(now, NO_MEMORY).wanted;
        for (const part of ['services', 'peers', 'pools', 'advertisements'] as const) {
          expect(Object.fromEntries(memory.wanted[part])).toEqual(Object.fromEntries(anew[part]));
        }
        const warnings = (events: typeof anew.events) =>
          events.filter(({ type }) => type === 'Warning').map((event) => JSON.stringify(event));
        expect(warnings(memory.wanted.events).sort()).toEqual(warnings(anew.events).sort());
      }
    }),
  );
});

test('one changed Service among ten thousand is one entry, and looks at one', () => {
  const keys = Array.from({ length: 10_000 }, (_, i) => `shop/s${i}`);
  const services = PersistentMap.from(keys.map((key): [string, Service] => [key, service(key)]));
  let looked = 0;
  const watched = (): ServiceVerdict => {
    const judged = verdict('Advertised');
    return Object.defineProperty(judged, 'reason', { enumerable: true, get: () => (looked++, 'Advertised') });
  };
  const verdicts = PersistentMap.from(keys.map((key): [string, ServiceVerdict] => [key, watched()]));
  const first = wantedStatus(inputs({ world: { services }, decision: { services: verdicts } }), NO_MEMORY);
  expect(first.wanted.services.size).toBe(10_000);
  looked = 0;
  const next = verdicts.set('shop/s5', verdict('NoUsableEndpoint'));
  const after = wantedStatus(inputs({ world: { services }, decision: { services: next } }), first);
  expect(after.wanted.services.changedKeys(first.wanted.services)).toEqual(['shop/s5']);
  expect(looked).toBe(0);
});
