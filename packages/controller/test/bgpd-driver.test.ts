// The driver against a bgpd that is played: what is asked of it, in which order, and what an answer that comes late may
// still do.

import type { Tables } from '@herald/decision';
import { VtyError, type ApplyOutcome, type BgpdSessions, type FeedNeighbor } from '@herald/frr';
import { PersistentMap } from '@herald/net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { BgpdDriver } from '../src/bgpd-driver.ts';
import type { BgpdEvents, Plan } from '../src/bgpd-plan.ts';
import type { BgpdPort } from '../src/bgpd-port.ts';
import { firstGeneration, nextGeneration } from '../src/generation.ts';
import { peer, plan } from './session-plan.ts';

const TAKEN: ApplyOutcome = { changed: [], problems: [], refused: [] };
const REJECTED: ApplyOutcome = {
  ...TAKEN,
  problems: [{ subject: { kind: 'neighbor', instance: 'default', name: 'tor-1' }, message: 'no' } as never],
};
const TABLES: Tables = { shared: PersistentMap.empty(), views: new Map() };
/** The marker is the one path. */
const FEED: FeedNeighbor = {
  established: true,
  waiting: false,
  connectionsDropped: 0,
  paths: { 4: 1, 6: 0 },
};

/** A question to bgpd that waits for the test to answer it. */
class Question<T> {
  readonly #asked = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<T>();

  ask(): Promise<T> {
    this.#asked.resolve();
    return this.#answered.promise;
  }

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  answer(value: T): void {
    this.#answered.resolve(value);
  }
}

class PlayedBgpd implements BgpdPort {
  /** Of each plan that was applied: the peers that were open, and those that were staged. */
  readonly applied: string[] = [];
  reachable = true;
  marker: () => Promise<boolean> = () => Promise.resolve(true);
  outcome: (isStillTrue: () => boolean) => Promise<ApplyOutcome | undefined> = (isStillTrue) =>
    Promise.resolve(isStillTrue() ? TAKEN : undefined);
  asked = 0;

  sessions(): Promise<BgpdSessions> {
    this.asked += 1;
    return this.reachable
      ? Promise.resolve({
          sessions: PersistentMap.empty(),
          traffic: new Map(),
          feeds: new Map([['default', FEED]]),
        })
      : Promise.reject(new VtyError('Unreachable', 'show', 'no socket'));
  }

  markerSeen(): Promise<boolean> {
    return this.marker();
  }

  paths() {
    return Promise.resolve([]);
  }

  redial() {
    return Promise.resolve();
  }

  async applyIf(
    { peers }: Parameters<BgpdPort['applyIf']>[0],
    isStillTrue: () => boolean,
  ): Promise<ApplyOutcome | undefined> {
    const outcome = await this.outcome(isStillTrue);
    if (outcome !== undefined) {
      this.applied.push(peers.map(({ name, staged }) => `${name} ${staged ? 'staged' : 'open'}`).join(', '));
    }
    return outcome;
  }
}

function sceneOf(bgpd: PlayedBgpd) {
  const said: string[] = [];
  const events: BgpdEvents = {
    onSessions: () => undefined,
    onInstances: () => undefined,
    onApplied: ({ problems }) => said.push(problems.length === 0 ? 'applied' : 'rejected'),
    onReach: (problem) => said.push(problem === undefined ? 'reached' : 'unreachable'),
    onIncomplete: (_instance, missing) => said.push(`${missing.length} missing`),
    onProblem: (error) => said.push(String(error)),
  };
  return { driver: new BgpdDriver(bgpd, events), said };
}

function planOf(...names: readonly string[]): Plan {
  const sessions = plan(...names.map((name, index) => peer(name, { number: index + 11 })));
  return { sessions, tables: TABLES, generation: nextGeneration(firstGeneration(1), sessions) };
}

let bgpd: PlayedBgpd;
let scene: ReturnType<typeof sceneOf>;

beforeEach(() => {
  vi.useFakeTimers();
  bgpd = new PlayedBgpd();
  scene = sceneOf(bgpd);
});

afterEach(async () => {
  await scene.driver.stop();
  vi.useRealTimers();
});

/** Lets the driver do all that it would do within this time. */
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('a peer is opened once bgpd was seen to hold its table', async () => {
  bgpd.marker = () => Promise.resolve(false);
  scene.driver.set(planOf('tor-1'));
  await pass(100);
  expect([bgpd.applied, scene.driver.holdsTable('default')]).toEqual([['tor-1 staged'], false]);
  bgpd.marker = () => Promise.resolve(true);
  await pass(100);
  expect(bgpd.applied.slice(0, 2)).toEqual(['tor-1 staged', 'tor-1 open']);
  expect(scene.driver.holdsTable('default')).toBe(true);
});

test('a feed that is lost while its marker is read: what was read says nothing', async () => {
  const marker = new Question<boolean>();
  bgpd.marker = () => marker.ask();
  scene.driver.set(planOf('tor-1'));
  await marker.asked;
  scene.driver.forget('default');
  bgpd.marker = () => Promise.resolve(false);
  marker.answer(true);
  await pass(100);
  expect([bgpd.applied, scene.driver.holdsTable('default')]).toEqual([['tor-1 staged'], false]);
});

test('a feed that is lost while a plan is applied: the peers are not opened', async () => {
  const ready = new Question<undefined>();
  bgpd.outcome = async (isStillTrue) => {
    await ready.ask();
    return isStillTrue() ? TAKEN : undefined;
  };
  scene.driver.set(planOf('tor-1'));
  await ready.asked;
  bgpd.marker = () => Promise.resolve(false);
  scene.driver.forget('default');
  ready.answer(undefined);
  await pass(100);
  expect(bgpd.applied).toEqual(['tor-1 staged']);
});

test('a plan that is overtaken is not applied, the next one is, at once', async () => {
  const ready = new Question<undefined>();
  bgpd.outcome = async (isStillTrue) => {
    await ready.ask();
    return isStillTrue() ? TAKEN : undefined;
  };
  scene.driver.set(planOf('tor-1'));
  await ready.asked;
  scene.driver.set(planOf('tor-1', 'tor-2'));
  ready.answer(undefined);
  await pass(0);
  expect(bgpd.applied).toEqual(['tor-1 open, tor-2 open']);
});

test('what is set during a step is not waited for', async () => {
  const marker = new Question<boolean>();
  bgpd.marker = () => marker.ask();
  scene.driver.set(planOf());
  await marker.asked;
  scene.driver.set(planOf('tor-1'));
  bgpd.marker = () => Promise.resolve(true);
  marker.answer(true);
  await pass(0);
  expect(bgpd.applied.at(-1)).toBe('tor-1 open');
});

test('what bgpd rejects is told again after ten seconds, and no longer once it takes it', async () => {
  bgpd.outcome = () => Promise.resolve(REJECTED);
  scene.driver.set(planOf());
  await pass(9000);
  expect(scene.said.filter((word) => word === 'rejected')).toHaveLength(1);
  bgpd.outcome = () => Promise.resolve(TAKEN);
  await pass(3000);
  expect(scene.said.filter((word) => word === 'applied')).toHaveLength(1);
  await pass(60_000);
  expect(bgpd.applied).toHaveLength(2);
});

test('a bgpd that went away and is back is told everything again, and its table is awaited', async () => {
  scene.driver.set(planOf('tor-1'));
  await pass(100);
  expect(scene.driver.holdsTable('default')).toBe(true);
  bgpd.reachable = false;
  await pass(2000);
  expect([scene.driver.holdsTable('default'), scene.said.filter((word) => word !== 'applied')]).toEqual([
    false,
    ['reached', 'unreachable'],
  ]);
  bgpd.marker = () => Promise.resolve(false);
  bgpd.applied.length = 0;
  bgpd.reachable = true;
  await pass(2000);
  expect(new Set(bgpd.applied)).toEqual(new Set(['tor-1 staged']));
  bgpd.marker = () => Promise.resolve(true);
  await pass(2000);
  expect(bgpd.applied.at(-1)).toBe('tor-1 open');
  expect(scene.said.filter((word) => word === 'reached')).toHaveLength(2);
});

test('after it was stopped nothing is asked of bgpd', async () => {
  scene.driver.set(planOf('tor-1'));
  await pass(100);
  await scene.driver.stop();
  const { asked } = bgpd;
  await pass(60_000);
  expect(bgpd.asked).toBe(asked);
});
