// Replicas that elect a leader over a network that does what it likes, and what a router sees of them: the real
// election step, the real decision with its ranks and its rule for an address that two Services hold, against an API
// server whose watches lag and in which writes of leaders that are long gone still land. One seed, one schedule.
//
// Of a prefix the router uses the best-ranked copy. Whenever things have come to rest, but for one replica that is
// frozen or cut off, that copy is what the API server says; and never does it carry two Services that do not share. A
// leader that hands over changes no rank, and leaves nothing behind.

import type { EndpointSlice, Service } from '@herald/api';
import { decide, emptyMemory } from '@herald/decision';
import type { Decision, Memory, World } from '@herald/decision';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isStale, known, othersFreshUntil, type KnownReplica } from '../src/exchange/coverage.ts';
import { leadershipOf, mayWriteAt } from '../../kube/src/lease/election-state.ts';
import { ApiModel, type Replica, type Weather } from '../../kube/test/lease/api-model.ts';
import { endpoints, sceneWorld, service, pathsTo } from '../../decision/test/routes/small-world.ts';

const PREFIX = '203.0.113.1/32';
const NODES = ['a', 'b', 'c', 'a b', 'b c', 'a c'];
const STORM_MS = 40_000;
const CALM_MS = 25_000;
const TICK_MS = 250;
const STALE_MS = 6000;

interface Objects {
  readonly version: number;
  readonly services: World['services'];
  readonly endpointSlices: World['endpointSlices'];
}

interface Speaker {
  readonly replica: Replica;
  readonly ordinal: number;
  objects: Objects;
  memory: Memory;
  decision: Decision | undefined;
  /** The leadership, and until when the others were fresh, that it last decided under. */
  decided: string;
  /** When it last heard of the API server. */
  freshAtMs: number;
  readonly others: Map<Speaker, KnownReplica>;
}

const SCENE = sceneWorld({
  services: { one: { on: 'a' }, two: { on: 'b', ips: '' } },
  pools: { small: { ranges: '203.0.113.1-203.0.113.2' } },
});

class Fleet {
  readonly api: ApiModel;
  readonly speakers: Speaker[] = [];
  readonly faults: string[] = [];
  #ordinal = 0;
  #truth: Objects = { version: 1, services: SCENE.services, endpointSlices: SCENE.endpointSlices };

  constructor(seed: number, weather: Weather) {
    this.api = new ApiModel(seed, weather);
    for (let count = 0; count < 3; count++) {
      this.join();
    }
  }

  /** A new pod; like a real one it has decided before it stands for election. */
  join(): void {
    const speaker: Speaker = {
      replica: this.api.join(),
      ordinal: this.#ordinal++,
      objects: this.#truth,
      memory: emptyMemory(),
      decision: undefined,
      decided: '',
      freshAtMs: this.api.now,
      others: new Map(),
    };
    this.speakers.push(speaker);
    this.#tick(speaker);
  }

  get truth(): Objects {
    return this.#truth;
  }

  /** Service `one` runs elsewhere. */
  move(on: string): void {
    const slice = this.#truth.endpointSlices.get('default/one-0');
    if (slice !== undefined) {
      const next: EndpointSlice = { ...slice, endpoints: endpoints(on) };
      this.#change({ endpointSlices: this.#truth.endpointSlices.set(slice.key, next) });
    }
  }

  /** The write of a leader of that term, whoever it is by now: `two` gets the address of `one`. */
  landLate(term: number): void {
    this.#change({ services: this.#truth.services.set('default/two', given(term)) });
  }

  #change(parts: Partial<Objects>): void {
    this.#truth = { ...this.#truth, ...parts, version: this.#truth.version + 1 };
    this.speakers.forEach((speaker) => this.#show(speaker));
  }

  /** Over a watch that may lag or be cut; a resync comes with each tick. */
  #show(speaker: Speaker): void {
    const objects = this.#truth;
    const { replica } = speaker;
    this.api.at(this.api.now + this.api.between(1, 400), () => this.#take(speaker, objects, replica));
  }

  #take(speaker: Speaker, objects: Objects, { frozenUntil, cutOffUntil }: Replica): void {
    if (this.api.now < frozenUntil) {
      this.api.at(frozenUntil + 1, () => this.#take(speaker, objects, speaker.replica));
    } else if (this.api.now >= cutOffUntil && objects.version > speaker.objects.version) {
      speaker.objects = objects;
      this.#decide(speaker);
    }
  }

  #tick(speaker: Speaker): void {
    const { replica } = speaker;
    if (this.api.now >= replica.frozenUntil) {
      speaker.freshAtMs = this.#hears(speaker) ? this.api.now : speaker.freshAtMs;
      this.#askOthers(speaker);
      this.#take(speaker, this.#truth, replica);
      this.#decideIfThatMoved(speaker);
    }
    this.api.at(this.api.now + TICK_MS, () => this.#tick(speaker));
  }

  #othersFreshUntilMs({ others }: Speaker): number {
    return othersFreshUntil([...others.values()], this.api.now);
  }

  #decidesUnder(speaker: Speaker): string {
    const { leading, term } = leadershipOf(speaker.replica.state);
    return `${leading} ${term} ${this.#othersFreshUntilMs(speaker)}`;
  }

  #decideIfThatMoved(speaker: Speaker): void {
    if (speaker.decided !== this.#decidesUnder(speaker)) {
      this.#decide(speaker);
    }
  }

  #decide(speaker: Speaker): void {
    const { replica, ordinal, objects, memory } = speaker;
    const { leading, term, handedOver } = leadershipOf(replica.state);
    speaker.decided = this.#decidesUnder(speaker);
    const world: World = {
      ...SCENE,
      ...objects,
      now: this.api.now,
      replica: { name: replica.name, labels: {}, ordinal },
      leadership: { leading, term, handedOver },
      freshness: { ...SCENE.freshness, othersFreshUntilMs: this.#othersFreshUntilMs(speaker) },
    };
    const decided = decide(world, memory);
    speaker.memory = decided.memory;
    speaker.decision = decided.decision;
    this.#check();
  }

  /** Best copy first. */
  copies(): { readonly med: number; readonly content: string; readonly decision: Decision }[] {
    const found = this.speakers.flatMap(({ decision }) => {
      const paths = decision === undefined ? [] : Object.entries(pathsTo(decision));
      const own = paths.filter(([key]) => key.startsWith(`${PREFIX} `));
      const content = own
        .map(([key]) => key)
        .sort()
        .join();
      return own.slice(0, 1).map(([, path]) => ({
        med: path.attributes.med,
        content,
        decision: decision as Decision,
      }));
    });
    return found.sort((a, b) => a.med - b.med);
  }

  /** Neither frozen nor cut off, be it from the API or from the others. */
  #hears({ replica }: Speaker): boolean {
    return Math.max(replica.frozenUntil, replica.cutOffUntil) <= this.api.now;
  }

  #askOthers(speaker: Speaker): void {
    for (const other of speaker.others.keys()) {
      if (!this.speakers.includes(other)) speaker.others.delete(other);
    }
    for (const other of this.speakers.filter((one) => one !== speaker)) {
      const report = {
        stale: isStale(other.freshAtMs, this.api.now, STALE_MS),
        leaving: other.replica.state.ending !== 'no',
      };
      const answer = this.#hears(speaker) && this.#hears(other) ? report : undefined;
      speaker.others.set(other, known(speaker.others.get(other), answer, this.api.now));
    }
  }

  /** Gives the Lease up; its sessions end some time later, with its pod, whatever has become of it until then. */
  handOver(leader: Speaker, patienceMs: number): void {
    this.api.deliver(leader.replica, { kind: 'release' });
    this.api.at(this.api.now + patienceMs, () => this.end(leader));
  }

  end(speaker: Speaker): void {
    speaker.replica.frozenUntil = Number.POSITIVE_INFINITY;
    this.speakers.splice(this.speakers.indexOf(speaker), 1);
  }

  #check(): void {
    const [best, next] = this.copies();
    if (best !== undefined && next?.med === best.med && next.content !== best.content) {
      this.faults.push(`${this.api.now}: two replicas tie with ${best.content} and ${next.content}`);
    }
    const carried = [...(best?.decision.services ?? [])].filter(([, { prefixes }]) =>
      prefixes.includes(PREFIX),
    );
    if (carried.length > 1) {
      this.faults.push(`${this.api.now}: ${carried.map(([key]) => key).join(' and ')} on one address`);
    }
  }

  leader(): Speaker | undefined {
    return this.speakers.find(({ replica: { state, offsetMs, rate } }) =>
      mayWriteAt(state, offsetMs + rate * this.api.now),
    );
  }
}

function given(term: number): Service {
  const annotations = {
    'heraldbgp.io/allocated-addresses': '203.0.113.1',
    'heraldbgp.io/allocated-term': String(term),
  };
  return service('two', { ips: '203.0.113.1', annotations });
}

function contentOn(nodes: string): string {
  return nodes
    .split(' ')
    .map((node) => `${PREFIX} ${node}`)
    .join();
}

const weather: fc.Arbitrary<Weather> = fc.record({
  loss: fc.constantFrom(0, 0.05, 0.2),
  maxDelayMs: fc.constantFrom(20, 1000),
  watchLoss: fc.constantFrom(0, 0.2, 1),
});

const pick = <T>(fleet: Fleet, list: readonly T[]): T =>
  list[Math.floor(fleet.api.chance() * list.length)] as T;

const MISCHIEF: readonly ((fleet: Fleet) => void)[] = [
  (fleet) => fleet.move(pick(fleet, NODES)),
  (fleet) => {
    pick(fleet, fleet.speakers).replica.frozenUntil = fleet.api.now + fleet.api.between(100, 12_000);
  },
  (fleet) => {
    pick(fleet, fleet.speakers).replica.cutOffUntil = fleet.api.now + fleet.api.between(100, 12_000);
  },
  (fleet) => fleet.landLate(pick(fleet, [0, 1, ...fleet.api.terms.keys()])),
];

function storm(fleet: Fleet): void {
  const { api } = fleet;
  for (let at = 3000; at < STORM_MS; at += api.between(500, 5000)) {
    api.at(at, () => pick(fleet, MISCHIEF)(fleet));
  }
  api.runUntil(STORM_MS);
  api.calm();
}

test('never two Services on one address, no tie, and all say the same when things are calm again', () => {
  fc.assert(
    fc.property(fc.integer(), weather, (seed, wind) => {
      const fleet = new Fleet(seed, wind);
      storm(fleet);
      fleet.api.runUntil(STORM_MS + CALM_MS);
      expect(fleet.faults).toEqual([]);
      expect(fleet.api.faults).toEqual([]);
      expect(new Set(fleet.copies().map(({ content }) => content)).size).toBe(1);
    }),
    { numRuns: 500 },
  );
});

test("the leader that vanished is outranked: the router's best copy is what the API says", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom('frozen', 'cut off'),
      fc.constantFrom(...NODES),
      (seed, how, on) => {
        const fleet = new Fleet(seed, { loss: 0, maxDelayMs: 50, watchLoss: 0 });
        fleet.api.runUntil(20_000);
        const lost = fleet.leader()?.replica;
        expect(lost).toBeDefined();
        if (lost !== undefined) {
          lost[how === 'frozen' ? 'frozenUntil' : 'cutOffUntil'] = fleet.api.now + 60_000;
        }
        // Before, during or after the time in which nobody leads.
        fleet.api.at(fleet.api.now + fleet.api.between(0, 15_000), () => fleet.move(on));
        fleet.api.runUntil(fleet.api.now + 25_000);
        const [best] = fleet.copies();
        const newest = fleet.leader();
        expect(newest?.replica).not.toBe(lost);
        expect(best?.content).toBe(contentOn(on));
        expect(fleet.faults).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test('a leader that hands over changes no rank of what all have seen, and leaves nothing behind', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(...NODES.slice(1)),
      fc.integer({ min: -10_000, max: 5000 }),
      fc.boolean(),
      (seed, on, changeMs, freezes) => {
        const fleet = new Fleet(seed, { loss: 0, maxDelayMs: 50, watchLoss: 0 });
        const leaves = 40_000;
        fleet.api.at(leaves + changeMs, () => fleet.move(on));
        fleet.api.runUntil(leaves);
        const leader = fleet.leader();
        expect(leader).toBeDefined();
        if (leader !== undefined) {
          fleet.handOver(leader, fleet.api.between(500, 30_000));
          leader.replica.frozenUntil = freezes ? Number.POSITIVE_INFINITY : 0;
        }
        fleet.api.runUntil(leaves + 40_000);
        const copies = fleet.copies();
        expect(copies).toHaveLength(2);
        expect(copies[0]?.content).toBe(contentOn(on));
        if (!freezes && changeMs < -1000) {
          expect(copies.every(({ med }) => med >= 4_100_000_000)).toBe(true);
        }
        expect(fleet.faults).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test('a leader that vanished for good stays outranked, however the lead changes after it', () => {
  const step = fc.record({
    how: fc.constantFrom<'hands over' | 'dies'>('hands over', 'dies'),
    afterMs: fc.integer({ min: 0, max: 40_000 }),
    on: fc.constantFrom(...NODES),
    changeMs: fc.integer({ min: 0, max: 40_000 }),
  });
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom<'frozenUntil' | 'cutOffUntil'>('frozenUntil', 'cutOffUntil'),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      (seed, lost, steps) => {
        const fleet = new Fleet(seed, { loss: 0, maxDelayMs: 50, watchLoss: 0 });
        fleet.api.runUntil(20_000);
        const first = fleet.leader();
        expect(first).toBeDefined();
        if (first !== undefined) {
          first.replica[lost] = Number.POSITIVE_INFINITY;
        }
        fleet.api.runUntil(40_000);
        for (const { how, afterMs, on, changeMs } of steps) {
          const { now } = fleet.api;
          fleet.api.at(now + changeMs, () => fleet.move(on));
          fleet.api.runUntil(now + afterMs);
          const leader = fleet.leader();
          expect(leader).toBeDefined();
          if (leader !== undefined) {
            fleet.join();
            fleet.api.runUntil(fleet.api.now + 3000);
            if (how === 'dies') fleet.end(leader);
            else fleet.handOver(leader, 2000);
          }
          fleet.api.runUntil(Math.max(now + changeMs, fleet.api.now) + 25_000);
          expect(fleet.copies()[0]?.content).toBe(contentOn(on));
        }
        expect(fleet.faults).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});
