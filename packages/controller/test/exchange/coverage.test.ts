// What replicas say of each other, and what it means.

import type { ReplicaReport } from '@herald/server';
import { describe, expect, test, vi } from 'vitest';

import {
  coveredRouters,
  isStale,
  othersFreshUntil,
  regained,
  unserved,
  type KnownReplica,
} from '../../src/exchange/coverage.ts';
import { handOver } from '../../src/exchange/hand-over.ts';
import { parseReport } from '../../src/exchange/replica-report.ts';
import { ServedPeers, type ServingFacts } from '../../src/exchange/served-peers.ts';
import { exchangeUrl } from '../../src/exchange/exchange-url.ts';
import { createLogger } from '../../src/logger.ts';
import { peer, plan, session, sessions } from '../session-plan.ts';
import { mapOf, peerVerdict } from '../status/status-inputs.ts';

const REPORT: ReplicaReport = {
  replica: 'herald-b',
  instance: 'one',
  stale: false,
  ageMs: 12,
  leading: true,
  term: 5,
  leaving: false,
  serves: ['192.0.2.1', '192.0.2.2'],
};
const having = (changes: Partial<ReplicaReport>): ReplicaReport => ({ ...REPORT, ...changes });

describe('a report', () => {
  test('is read as it was written; what a newer version adds does no harm', () => {
    expect(parseReport(JSON.stringify(REPORT))).toEqual(REPORT);
    expect(parseReport(JSON.stringify({ ...REPORT, more: 1 }))).toMatchObject(REPORT);
  });

  test.each<[string, string]>([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ...Object.keys(REPORT).map((field): [string, string] => [
      `without ${field}`,
      JSON.stringify({ ...REPORT, [field]: undefined }),
    ]),
    ['a term below zero', JSON.stringify(having({ term: -1 }))],
    ['a term that is no whole number', JSON.stringify(having({ term: 1.5 }))],
    ['too many routers', JSON.stringify(having({ serves: Array.from({ length: 257 }, () => 'x') }))],
    ['a router of another kind', JSON.stringify({ ...REPORT, serves: [1] })],
    ['a name without end', JSON.stringify(having({ replica: 'x'.repeat(254) }))],
  ])('%s is none', (_, text) => {
    expect(parseReport(text)).toBeUndefined();
  });
});

function other(freshAtMs: number, changes: Partial<KnownReplica> = {}): KnownReplica {
  return { sinceMs: 0, freshAtMs, leaves: false, ...changes };
}

describe('until when the others were fresh', () => {
  const NEVER = -Infinity;
  test.each<[string, readonly KnownReplica[], number]>([
    ['nobody else', [], Infinity],
    ['all say so', [other(100_000)], Infinity],
    ['one has not said so for a moment', [other(99_000)], Infinity],
    ['one falls silent', [other(98_999), other(100_000)], 98_999],
    ['several fall silent', [other(50_000), other(40_000)], 40_000],
    ['one left', [other(50_000, { leaves: true }), other(100_000)], Infinity],
    ['one has just come', [other(NEVER, { sinceMs: 90_000 })], Infinity],
    ['one never said a word', [other(NEVER, { sinceMs: 89_999 })], NEVER],
  ])('%s', (_, others, expected) => {
    expect(othersFreshUntil(others, 100_000)).toBe(expected);
  });
});

describe('a router is covered', () => {
  test.each<[string, readonly ReplicaReport[], Record<string, string>]>([
    ['by a fresh replica', [REPORT], { '192.0.2.1': 'herald-b', '192.0.2.2': 'herald-b' }],
    [
      'by the first of several, in whatever order they answer',
      [having({ replica: 'herald-c' }), having({ serves: ['192.0.2.2'] })],
      { '192.0.2.1': 'herald-c', '192.0.2.2': 'herald-b' },
    ],
    ['not by a stale one', [having({ stale: true })], {}],
    ['not by one that ends', [having({ leaving: true })], {}],
    ['by nobody', [], {}],
  ])('%s', (_, reports, covered) => {
    expect(Object.fromEntries(coveredRouters(reports))).toEqual(covered);
  });

  test('for a hand-over a stale replica will do, one that ends will not', () => {
    const routers = ['192.0.2.1', '192.0.2.9'];
    expect(unserved(routers, [having({ stale: true })])).toEqual(['192.0.2.9']);
    expect(unserved(routers, [having({ leaving: true })])).toEqual(routers);
  });
});

test.each([
  ['just heard', 1000, 1000, false],
  ['for less than is allowed', 1000, 6999, false],
  ['for as long as is allowed', 1000, 7000, true],
  ['never had contact', 0, 1e9, false],
  ['a clock that was set back', 1000, 500, false],
])('stale: %s', (_, freshAtMs, nowMs, stale) => {
  expect(isStale(freshAtMs, nowMs, 6000)).toBe(stale);
});

const TOR = peer('tor');
const ROUTER = TOR.address.text;

function facts(
  changes: Partial<ServingFacts['world']> = {},
  sent = 3,
  reason?: 'StaleReplica' | 'StandingBy',
): ServingFacts {
  const world = {
    now: 0,
    sessions: sessions({ tor: session('Established', { sinceMs: 0 }) }),
    ...changes,
  };
  return {
    world,
    decision: {
      sessions: plan(TOR),
      peers: mapOf({ tor: peerVerdict(reason) }),
      peerRoutes: mapOf({ tor: { prefixes: 1, paths: 3, nextHopSets: 1, trimmedPaths: 0 } }),
    },
    traffic: new Map([
      [
        'tor',
        {
          instance: 'default',
          pathsSent: { 4: sent, 6: 0 },
          gracefulRestartNegotiated: false,
          holdTimeSeconds: 30,
          connectionsEstablished: 1,
        },
      ],
    ]),
    holdsTable: () => true,
  };
}

describe('contact', () => {
  const at = { freshAtMs: 10_000, startedMs: 1000, staleMs: 6000 };

  test.each([
    ['that is there and always was', 15_999, undefined, undefined],
    ['that is lost', 16_000, undefined, Infinity],
    ['that is still lost', 17_000, Infinity, Infinity],
    ['that is back', 15_000, Infinity, 15_000],
    ['that came back before', 15_500, 15_000, 15_000],
    ['that is lost again', 16_000, 3000, Infinity],
  ])('%s', (_, nowMs, before, expected) => {
    expect(regained({ ...at, nowMs }, before)).toBe(expected);
  });

  test.each([
    ['a start that waits for it', 6999, undefined],
    ['a start that waits for too long', 7000, Infinity],
  ])('%s', (_, nowMs, expected) => {
    expect(regained({ ...at, freshAtMs: 0, nowMs }, undefined)).toBe(expected);
  });
});

describe('a router is served', () => {
  test.each<[string, ServingFacts, number, boolean]>([
    ['that was sent everything', facts(), 0, true],
    ['not before that', facts({}, 2), 29_999, false],
    ['by an old session, whatever is counted', facts({}, 2), 30_000, true],
    ['not without a session', facts({ sessions: sessions({ tor: session('Active') }) }), 0, false],
    ['not while bgpd lacks the table', { ...facts(), holdsTable: () => false }, 0, false],
    ['not by who has withdrawn', facts({}, 3, 'StaleReplica'), 0, false],
    ['not by who stands by', facts({}, 3, 'StandingBy'), 0, false],
  ])('%s', (_, given, now, served) => {
    expect(new ServedPeers().routers(given, now)).toEqual(served ? [ROUTER] : []);
  });

  test('for as long as the session lasts, although more is to be sent', () => {
    const served = new ServedPeers();
    served.routers(facts(), 0);
    expect(served.routers(facts({}, 2), 1)).toEqual([ROUTER]);
    const again = { tor: session('Established', { sinceMs: 2, connectionsDropped: 1 }) };
    expect(served.routers(facts({ sessions: sessions(again) }, 2), 2)).toEqual([]);
  });
});

describe('a replica that ends', () => {
  const logger = createLogger('silent');

  async function rounds(answers: readonly (readonly ReplicaReport[])[], patienceMs: number) {
    vi.useFakeTimers();
    let round = 0;
    const reports = (): readonly ReplicaReport[] => answers[Math.min(round, answers.length) - 1] ?? [];
    const exchange = { round: async () => void round++, reports };
    const begunMs = performance.now();
    const ended = handOver({ exchange, patienceMs, logger, routers: () => ['192.0.2.1'] }).then(
      () => performance.now() - begunMs,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    const tookMs = await ended;
    vi.useRealTimers();
    return { round, tookMs };
  }

  const busy = having({ serves: [] });

  test.each<[string, readonly (readonly ReplicaReport[])[], number, number]>([
    ['waits for nothing where others serve', [[REPORT]], 20_000, 1],
    ['waits for nothing where nobody answers', [[]], 20_000, 1],
    ['waits until one serves', [[busy], [busy], [REPORT]], 20_000, 3],
    ['waits no longer than it may', [[busy]], 1000, 11],
    ['waits no longer when the last other is gone', [[busy], []], 20_000, 2],
  ])('%s', async (_, answers, patienceMs, expected) => {
    expect(await rounds(answers, patienceMs)).toMatchObject({ round: expected });
  });

  test.each<[string, readonly ReplicaReport[], number, number]>([
    ['long enough for others to ask', [REPORT], 20_000, 1000],
    ['no longer than it may', [REPORT], 300, 300],
    ['for nobody', [], 20_000, 0],
  ])('stays %s, so that who follows knows that it leaves', async (_, answer, patienceMs, expected) => {
    expect(await rounds([answer], patienceMs)).toEqual({ round: 1, tookMs: expected });
  });
});

test.each([
  ['10.0.0.1', { certificate: 'c', key: 'k' }, 'https://10.0.0.1:8443'],
  ['fd00::1', undefined, 'http://[fd00::1]:8443'],
  ['', undefined, undefined],
])('others ask %s at %s', (address, tls, url) => {
  const podListener = { address: '::', port: 8443, tls };
  expect(exchangeUrl({ podListener, exchange: { keyFile: '/k', replicas: [] } }, { address })).toBe(url);
  expect(
    exchangeUrl({ podListener, exchange: { keyFile: undefined, replicas: [] } }, { address }),
  ).toBeUndefined();
});
