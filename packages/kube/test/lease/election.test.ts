// The election's rules one by one: what a replica asks for next, and what it believes, after each event.

import { describe, expect, it } from 'vitest';
import {
  leadershipOf,
  mayWriteAt,
  newElection,
  writeTimeAt,
  type ElectionEvent,
  type ElectionRequest,
  type ElectionState,
  type Failure,
} from '../../src/lease/election-state.ts';
import { step } from '../../src/lease/election.ts';
import { MAX_TERM, type LeaseRecord } from '../../src/lease/lease-record.ts';
import { wakeAt } from '../../src/lease/next-request.ts';

const RULES = { identity: 'me', leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 };
/** 100 s after terms began to be counted. */
const WALL_MS = Date.UTC(2026, 0, 1) + 100_000;

function lease(fields: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    uid: 'u',
    resourceVersion: '1',
    holder: '',
    durationMs: 6000,
    term: 0,
    acquireTime: '',
    transitions: 0,
    metadata: {},
    ...fields,
  };
}

/** One replica, driven by hand. */
class Subject {
  state: ElectionState = newElection(RULES);
  request: ElectionRequest | undefined;

  at(clockMs: number, event: ElectionEvent = { kind: 'tick' }): this {
    const { state, request } = step(this.state, event, { clockMs, wallMs: WALL_MS + clockMs, chance: 0 });
    this.state = state;
    this.request = request;
    return this;
  }

  answer(clockMs: number, shown: LeaseRecord | undefined): this {
    return this.at(clockMs, { kind: 'answered', id: this.state.pending?.id ?? 0, lease: shown });
  }

  fail(clockMs: number, failure: Failure, retryAfterMs = 0): this {
    const id = this.state.pending?.id ?? 0;
    return this.at(clockMs, { kind: 'failed', id, failure, message: 'no', retryAfterMs });
  }

  /** Leads since 20 ms, with the renewal counted from 10 ms. */
  static leader(term = 101): Subject {
    const subject = new Subject().at(0).answer(10, lease());
    return subject.answer(20, lease({ holder: 'me', resourceVersion: '2', term }));
  }

  get asks(): string {
    const { request } = this;
    if (request === undefined) {
      return 'nothing';
    }
    if (request.kind === 'read') {
      return 'read';
    }
    const { previous, holder, term } = request.write;
    return `${previous === undefined ? 'create' : `replace ${previous.resourceVersion}`} ${holder || 'nobody'} ${term}`;
  }
}

describe('a replica that looks at a Lease for the first time', () => {
  it.each<[string, LeaseRecord | undefined, string, number]>([
    ['takes one that nobody holds', lease(), 'replace 1 me 100', Infinity],
    ['takes one that was released, with a later term', lease({ term: 500 }), 'replace 1 me 501', Infinity],
    ['waits for the holder', lease({ holder: 'other' }), 'nothing', 6010],
    [
      'waits as long as the holder asks for',
      lease({ holder: 'other', durationMs: 30_000 }),
      'nothing',
      30_010,
    ],
    ['waits no longer than ten minutes', lease({ holder: 'other', durationMs: 1e12 }), 'nothing', 600_010],
    [
      'waits its own time for a holder without one',
      lease({ holder: 'x', durationMs: undefined }),
      'nothing',
      6010,
    ],
    ['trusts its own name no more than another', lease({ holder: 'me', term: 7 }), 'nothing', 6010],
    ['puts a missing one there', undefined, 'create me 100', Infinity],
  ])('%s', (_, shown, asks, wakes) => {
    const subject = new Subject().at(0);
    expect(subject.asks).toBe('read');
    expect(subject.answer(10, shown).asks).toBe(asks);
    expect(wakeAt(subject.state)).toBe(wakes);
    expect(leadershipOf(subject.state).leading).toBe(false);
  });
});

describe('following', () => {
  const held = lease({ holder: 'other', term: 40 });

  it('reads when the time is over, and takes what is still the same', () => {
    const subject = new Subject().at(0).answer(10, held);
    expect(subject.at(6009).asks).toBe('nothing');
    expect(subject.at(6010).asks).toBe('read');
    expect(subject.answer(6020, held).asks).toBe('replace 1 me 106');
    subject.answer(6030, lease({ holder: 'me', term: 106, resourceVersion: '2' }));
    expect(leadershipOf(subject.state)).toEqual({
      leading: true,
      term: 106,
      holder: 'me',
      handedOver: false,
    });
  });

  it.each<[string, ElectionEvent['kind']]>([
    ['a watch', 'seen'],
    ['the read', 'answered'],
  ])('waits anew when %s shows a renewal', (_, way) => {
    const renewed = lease({ ...held, resourceVersion: '2' });
    const subject = new Subject().at(0).answer(10, held);
    if (way === 'seen') {
      subject.at(5000, { kind: 'seen', lease: renewed });
    } else {
      subject.at(6010).answer(6010, renewed);
    }
    expect(subject.asks).toBe('nothing');
    expect(wakeAt(subject.state)).toBe(way === 'seen' ? 11_000 : 12_010);
  });

  it('takes a Lease at once that the watch shows released by its holder', () => {
    const subject = new Subject().at(0).answer(10, held);
    subject.at(500, { kind: 'seen', lease: lease({ term: 40, resourceVersion: '2' }) });
    expect(subject.asks).toBe('replace 2 me 100');
    const taken = lease({ holder: 'me', term: 100, resourceVersion: '3' });
    // Its watch may be quicker than the answer.
    subject.at(510, { kind: 'seen', lease: taken }).answer(520, taken);
    expect(leadershipOf(subject.state)).toMatchObject({ leading: true, handedOver: true });
    subject.at(1500).answer(1510, { ...taken, resourceVersion: '4' });
    expect(leadershipOf(subject.state)).toMatchObject({ leading: true, handedOver: true });
  });

  it('does not believe a release by a leader before the latest', () => {
    const subject = new Subject().at(0).answer(10, held);
    subject.at(500, { kind: 'seen', lease: lease({ term: 39, resourceVersion: '2' }) });
    expect(subject.asks).toBe('nothing');
    expect(wakeAt(subject.state)).toBe(6500);
  });

  it('leaves a deleted Lease to its leader for two periods, and leads only a lease after putting it there', () => {
    const subject = new Subject().at(0).answer(10, held).at(500, { kind: 'seen', lease: undefined });
    expect(subject.at(2499).asks).toBe('nothing');
    expect(subject.at(2500).asks).toBe('read');
    expect(subject.answer(2510, undefined).asks).toBe('create me 102');
    const placed = lease({ uid: 'v', resourceVersion: '5', holder: 'me', term: 102 });
    expect(subject.answer(2600, placed).asks).toBe('nothing');
    expect(leadershipOf(subject.state).leading).toBe(false);
    expect(subject.at(8600).asks).toBe('read');
    expect(subject.answer(8610, placed).asks).toBe('replace 5 me 108');
  });

  it('reads again when its watch ended', () => {
    const subject = new Subject().at(0).answer(10, held);
    expect(subject.at(100, { kind: 'unwatched' }).asks).toBe('read');
  });
});

const taking = () => new Subject().at(0).answer(10, lease());

describe('an acquiring write', () => {
  it.each<[Failure, number]>([
    ['conflict', 500],
    ['missing', 500],
    ['refused', 500],
    ['lost', 500],
    ['forbidden', 3000],
  ])('that ends in %s makes no leader and is looked at after a pause', (failure, pauseMs) => {
    const subject = taking().fail(20, failure);
    expect(leadershipOf(subject.state).leading).toBe(false);
    expect(subject.asks).toBe('nothing');
    expect(subject.at(20 + pauseMs).asks).toBe('read');
  });

  it('never uses the term of a lost one again, nor leads by it', () => {
    const subject = taking().fail(20, 'lost').at(520);
    expect(subject.answer(530, lease()).asks).toBe('replace 1 me 101');
    const landed = lease({ holder: 'me', term: 100, resourceVersion: '2' });
    subject.fail(600, 'conflict').at(1100).answer(1110, landed);
    expect([subject.asks, leadershipOf(subject.state).leading]).toEqual(['nothing', false]);
    expect(subject.at(7110).answer(7120, landed).asks).toBe('replace 2 me 107');
  });

  it('ignores answers to requests that were given up', () => {
    const subject = taking();
    const id = subject.state.pending?.id ?? 0;
    subject.fail(2010, 'lost').at(2020, { kind: 'answered', id, lease: lease({ holder: 'me', term: 100 }) });
    expect(leadershipOf(subject.state).leading).toBe(false);
  });

  it('whose answer comes after the deadline makes no leader', () => {
    const subject = taking().answer(4010, lease({ holder: 'me', term: 100, resourceVersion: '2' }));
    expect(mayWriteAt(subject.state, 4010)).toBe(false);
    expect(leadershipOf(subject.state).leading).toBe(false);
  });

  it('respects Retry-After up to the length of the lease', () => {
    const subject = taking().fail(20, 'refused', 60_000);
    expect(wakeAt(subject.state)).toBe(6020);
  });
});

describe('a leader', () => {
  it('may write until the deadline after its renewal was sent, and a write may take half of the rest more', () => {
    const { state } = Subject.leader();
    expect([4009, 4010].map((clock) => mayWriteAt(state, clock))).toEqual([true, false]);
    expect([10, 4009, 4010].map((clock) => writeTimeAt(state, clock))).toEqual([5000, 1001, 0]);
  });

  it('renews each period with the same term', () => {
    const subject = Subject.leader();
    expect(wakeAt(subject.state)).toBe(1010);
    expect(subject.at(1010).asks).toBe('replace 2 me 100');
    subject.answer(1500, lease({ holder: 'me', term: 100, resourceVersion: '3' }));
    expect(wakeAt(subject.state)).toBe(2010);
    expect([mayWriteAt(subject.state, 5009), mayWriteAt(subject.state, 5010)]).toEqual([true, false]);
  });

  it('gives a renewal half of the deadline, the next one what is left, on a new connection', () => {
    const subject = Subject.leader().at(1010);
    expect(subject.request).toMatchObject({ timeoutMs: 2000, connection: 'pooled' });
    subject.fail(3010, 'lost').at(3260);
    expect(subject.request).toMatchObject({ timeoutMs: 750, connection: 'fresh' });
  });

  it('stops writing on a conflict at once, and goes on when the Lease is still its own', () => {
    const subject = Subject.leader().at(1010).fail(1020, 'conflict');
    expect([subject.asks, mayWriteAt(subject.state, 1020)]).toEqual(['read', false]);
    expect(leadershipOf(subject.state).leading).toBe(true);
    subject.answer(1030, lease({ holder: 'me', term: 100, resourceVersion: '9' }));
    expect([subject.asks, mayWriteAt(subject.state, 1030)]).toEqual(['replace 9 me 100', true]);
  });

  it.each<[string, LeaseRecord]>([
    ['is held by another', lease({ holder: 'other', term: 200, resourceVersion: '9' })],
    ['is held by its name in another term', lease({ holder: 'me', term: 99, resourceVersion: '9' })],
    ['is held by nobody', lease({ term: 100, resourceVersion: '9' })],
  ])('has lost when the Lease %s', (_, shown) => {
    const subject = Subject.leader().at(1010).fail(1020, 'conflict').answer(1030, shown);
    expect([leadershipOf(subject.state).leading, mayWriteAt(subject.state, 1030)]).toEqual([false, false]);
    expect(subject.asks).toBe('read');
  });

  it('puts a deleted Lease back under the same term', () => {
    const subject = Subject.leader().at(1010).fail(1020, 'missing').answer(1030, undefined);
    expect([subject.asks, mayWriteAt(subject.state, 1030)]).toEqual(['create me 100', false]);
    subject.answer(1040, lease({ uid: 'v', resourceVersion: '7', holder: 'me', term: 100 }));
    expect(leadershipOf(subject.state)).toMatchObject({ leading: true, term: 100 });
    expect(mayWriteAt(subject.state, 1040)).toBe(true);
  });

  it('that was frozen past its deadline leads no more, and later only in a new term', () => {
    const subject = Subject.leader().at(60_000);
    expect([leadershipOf(subject.state).leading, subject.asks]).toEqual([false, 'read']);
    const unchanged = lease({ holder: 'me', term: 101, resourceVersion: '2' });
    expect(subject.answer(60_010, unchanged).asks).toBe('replace 2 me 160');
  });

  it('looks when it is told of a later term, and not when of an earlier', () => {
    expect(Subject.leader().at(500, { kind: 'term', term: 99 }).asks).toBe('nothing');
    const subject = Subject.leader().at(500, { kind: 'term', term: 300 });
    expect([subject.asks, mayWriteAt(subject.state, 500)]).toEqual(['read', false]);
  });

  it('ignores what a watch shows late', () => {
    const subject = Subject.leader().at(500, { kind: 'seen', lease: lease({ holder: 'other' }) });
    expect(mayWriteAt(subject.state, 500)).toBe(true);
  });
});

describe('a term', () => {
  it.each<[string, number[], number, string]>([
    ['is the seconds since 2026 began', [], 0, 'replace 1 me 100'],
    ['is above what the Lease says', [], 4000, 'replace 1 me 4001'],
    ['is above what was told', [900, 700], 0, 'replace 1 me 901'],
    [
      'never leaves the range that a route can carry',
      [Number.MAX_SAFE_INTEGER],
      0,
      `replace 1 me ${MAX_TERM}`,
    ],
  ])('%s', (_, told, written, asks) => {
    const subject = new Subject();
    told.forEach((term) => subject.at(0, { kind: 'term', term }));
    expect(subject.at(0).answer(10, lease({ term: written })).asks).toBe(asks);
  });

  it('does not go back when the Lease is deleted', () => {
    const subject = new Subject().at(0).answer(10, lease({ holder: 'other', term: 5000 }));
    subject.at(20, { kind: 'seen', lease: undefined });
    expect(subject.at(2020).answer(2030, undefined).asks).toBe('create me 5001');
  });
});

describe('a release', () => {
  it('stops writing at once and leaves the Lease to nobody, with its term', () => {
    const subject = Subject.leader().at(100, { kind: 'release' });
    expect([subject.asks, mayWriteAt(subject.state, 100)]).toEqual(['replace 2 nobody 100', false]);
    expect(leadershipOf(subject.state).leading).toBe(false);
    subject.answer(110, lease({ term: 100, resourceVersion: '3' }));
    expect([subject.state.ending, wakeAt(subject.state)]).toEqual(['done', Infinity]);
  });

  it('waits for a renewal that is under way', () => {
    const subject = Subject.leader().at(1010).at(1020, { kind: 'release' });
    expect(subject.asks).toBe('nothing');
    subject.answer(1100, lease({ holder: 'me', term: 100, resourceVersion: '3' }));
    expect(subject.asks).toBe('replace 3 nobody 100');
  });

  it('gives up what an acquisition under way brings', () => {
    const subject = new Subject().at(0).answer(10, lease()).at(15, { kind: 'release' });
    subject.answer(20, lease({ holder: 'me', term: 100, resourceVersion: '2' }));
    expect(subject.asks).toBe('replace 2 nobody 100');
  });

  it.each<[string, Failure, LeaseRecord | undefined, string]>([
    [
      'tries again when somebody touched the Lease',
      'conflict',
      lease({ holder: 'me', term: 100, resourceVersion: '8' }),
      'replace 8 nobody 100',
    ],
    [
      'leaves alone what another holds',
      'conflict',
      lease({ holder: 'x', term: 300, resourceVersion: '8' }),
      'nothing',
    ],
    ['leaves alone what was deleted', 'missing', undefined, 'nothing'],
  ])('%s', (_, failure, shown, asks) => {
    const subject = Subject.leader().at(100, { kind: 'release' }).fail(110, failure);
    expect(subject.asks).toBe('read');
    expect(subject.answer(120, shown).asks).toBe(asks);
  });

  it('ends at the deadline when nothing answers', () => {
    const subject = Subject.leader()
      .at(100, { kind: 'release' })
      .fail(2100, 'lost')
      .at(2350)
      .fail(4010, 'lost');
    expect(subject.at(4500).state.ending).toBe('done');
  });

  it('of a replica that holds nothing is done at once', () => {
    const subject = new Subject()
      .at(0)
      .answer(10, lease({ holder: 'other' }))
      .at(20, { kind: 'release' });
    expect([subject.asks, subject.state.ending]).toEqual(['nothing', 'done']);
  });
});
