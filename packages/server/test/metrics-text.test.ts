// The text of the metrics as a whole: names, types, units, labels and values from the fixture.

import { PersistentMap } from '@herald/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server, Views } from '../src/index.ts';
import type { Reason } from '@herald/api';
import { NOW, fault, kubernetes, serve, session, views } from './fixture.ts';

let text: string;
let server: Server;
beforeAll(async () => {
  server = await serve();
  text = await scrape(server);
});
afterAll(() => server.close());

async function scrape(from: Server): Promise<string> {
  return (await from.app.inject({ url: '/metrics' })).body;
}

async function scrapeOnce(overrides: Partial<Views>): Promise<string> {
  const own = await serve(overrides);
  const body = await scrape(own);
  await own.close();
  return body;
}

const samplesOf = (body: string, name: string): string[] =>
  body
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => line.slice(name.length).trim());

const typeOf = (name: string): string | undefined =>
  text.match(new RegExp(`^# TYPE ${name} (\\w+)$`, 'm'))?.[1];

const helpOf = (name: string): string | undefined =>
  text.match(new RegExp(`^# HELP ${name} (.+)$`, 'm'))?.[1];

const METRICS: readonly (readonly [string, 'counter' | 'gauge', readonly string[]])[] = [
  ['herald_ticks_total', 'counter', ['42']],
  ['herald_failed_ticks_total', 'counter', ['1']],
  ['herald_leading', 'gauge', ['1']],
  ['herald_term', 'gauge', ['10']],
  ['herald_ready', 'gauge', ['1']],
  ['herald_stale', 'gauge', ['0']],
  ['herald_replicas_heard', 'gauge', ['{stale="true"} 1', '{stale="false"} 0']],
  ['herald_exchange_problems', 'gauge', ['1']],
  [
    'herald_pool_assigned_addresses',
    'gauge',
    ['{pool="public",family="ipv4"} 3', '{pool="public",family="ipv6"} 0'],
  ],
  [
    'herald_pool_available_addresses',
    'gauge',
    ['{pool="public",family="ipv4"} 253', '{pool="public",family="ipv6"} 0'],
  ],
  ['herald_unmet_services', 'gauge', ['{reason="PoolExhausted"} 1']],
  ['herald_api_requests_total', 'counter', []],
  ['herald_api_writes_total', 'counter', []],
  ['herald_watch_age_seconds', 'gauge', []],
  ['herald_lease_age_seconds', 'gauge', []],
  [
    'herald_peer_sent_routes',
    'gauge',
    [
      '{peer="tor-1",family="ipv4"} 3',
      '{peer="tor-1",family="ipv6"} 1',
      '{peer="plain",family="ipv4"} 1',
      '{peer="plain",family="ipv6"} 0',
      '{peer="old",family="ipv4"} 1',
      '{peer="old",family="ipv6"} 0',
    ],
  ],
  ['herald_source_age_seconds', 'gauge', ['2.5']],
  ['herald_source_synced', 'gauge', ['1']],
  ['herald_kept_table_age_seconds', 'gauge', []],
  ['herald_faults', 'gauge', ['{reason="Invalid"} 1']],
  [
    'herald_objects',
    'gauge',
    [
      '{kind="nodes"} 0',
      '{kind="services"} 3',
      '{kind="endpointSlices"} 0',
      '{kind="namespaces"} 0',
      '{kind="peers"} 4',
      '{kind="pools"} 0',
      '{kind="advertisements"} 1',
    ],
  ],
  ['herald_services', 'gauge', ['{reason="Advertised"} 1', '{reason="NoAddress"} 1']],
  [
    'herald_prefixes',
    'gauge',
    [
      '{table="shared",family="ipv4"} 2',
      '{table="shared",family="ipv6"} 1',
      '{table="plain-9",family="ipv4"} 1',
      '{table="plain-9",family="ipv6"} 0',
    ],
  ],
  [
    'herald_routes',
    'gauge',
    [
      '{table="shared",family="ipv4"} 3',
      '{table="shared",family="ipv6"} 1',
      '{table="plain-9",family="ipv4"} 1',
      '{table="plain-9",family="ipv6"} 0',
    ],
  ],
  ['herald_peers', 'gauge', ['{state="Established"} 2', '{state="Active"} 1', '{state="Unknown"} 1']],
  [
    'herald_peer_established',
    'gauge',
    ['{peer="tor-1"} 1', '{peer="tor-2"} 0', '{peer="plain"} 1', '{peer="refused"} 0'],
  ],
  [
    'herald_peer_connections_dropped_total',
    'counter',
    ['{peer="tor-1"} 3', '{peer="tor-2"} 0', '{peer="plain"} 0', '{peer="refused"} 0'],
  ],
  ['herald_peer_prefixes', 'gauge', ['{peer="tor-1"} 3']],
  ['herald_peer_routes', 'gauge', ['{peer="tor-1"} 4']],
  ['herald_peer_next_hop_sets', 'gauge', ['{peer="tor-1"} 2']],
  ['herald_peer_trimmed_routes', 'gauge', ['{peer="tor-1"} 1']],
  ['herald_feed_established', 'gauge', ['{feed="shared"} 1']],
  ['herald_feed_updates_sent_total', 'counter', ['{feed="shared"} 5']],
  ['herald_feed_routes_sent_total', 'counter', ['{feed="shared"} 9']],
  ['herald_feed_withdrawals_sent_total', 'counter', ['{feed="shared"} 1']],
  ['herald_feed_sent_bytes_total', 'counter', ['{feed="shared"} 700']],
  ['herald_feed_sessions_lost_total', 'counter', ['{feed="shared"} 2']],
  ['herald_build_info', 'gauge', [`{version="1.2.3",node_version="${process.version}"} 1`]],
];

const HISTOGRAMS = ['herald_tick_duration_seconds', 'herald_event_to_update_seconds'];

/** Of the runtime, by prom-client. */
const OF_THE_RUNTIME = /^herald_(?:process|nodejs)_/;

const ownLines = (body: string): string[] =>
  body.split('\n').filter((line) => line.startsWith('herald_') && !OF_THE_RUNTIME.test(line));

describe('a metric', () => {
  it.each(METRICS)('%s is a %s with these samples', (name, type, samples) => {
    expect(typeOf(name)).toBe(type);
    expect(samplesOf(text, name).sort()).toEqual([...samples].sort());
  });

  it.each(METRICS)('%s says in a line what it is', (name) => {
    expect(helpOf(name)).toMatch(/^(?:[A-Z]|1 )[^\n]{3,}[^.]$/);
  });

  it.each(METRICS)('%s is named as Prometheus wants it', (name, type) => {
    expect(name).toMatch(/^herald_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name).not.toMatch(/_(?:ms|millis|milliseconds|kb|minutes|percent)(?:_|$)/);
  });

  it('that is not listed here does not exist', () => {
    const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? '');
    const own = names.filter((name) => !OF_THE_RUNTIME.test(name));
    expect(own.sort()).toEqual([...METRICS.map(([name]) => name), ...HISTOGRAMS].sort());
  });

  it('has labels from a short list only, and never the name of a Service', () => {
    const own = ownLines(text);
    const labels = new Set(
      own.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map((match) => match[1] ?? '')),
    );
    expect([...labels].sort()).toEqual([
      'family',
      'feed',
      'kind',
      'le',
      'node_version',
      'peer',
      'pool',
      'reason',
      'stale',
      'state',
      'table',
      'version',
    ]);
    expect(own.filter((line) => /default\/|shop\//.test(line))).toEqual([]);
  });

  it('stands once: no sample twice', () => {
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const names = samples.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the text', () => {
  it('has lines of the format only, and ends with one', () => {
    const lines = text.split('\n');
    expect(lines.at(-1)).toBe('');
    const format =
      /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? (?:-?[\d.]+(?:e[+-]?\d+)?|\+Inf|Nan))$/;
    expect(lines.filter((line) => line !== '' && !format.test(line))).toEqual([]);
  });

  it('names its version', async () => {
    const { headers } = await server.app.inject({ url: '/metrics' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('is the same for two scrapes but for the runtime', async () => {
    expect(ownLines(await scrape(server))).toEqual(ownLines(text));
  });

  it('cannot be broken by the name of a view', async () => {
    const base = views();
    const { shared } = base.decision.tables;
    const tables = { shared, views: new Map([['a"b\\c\nd', shared]]) };
    const body = await scrapeOnce({ decision: { ...base.decision, tables } });
    expect(samplesOf(body, 'herald_prefixes')).toContain('{table="a\\"b\\\\c\\nd",family="ipv4"} 2');
  });
});

const base = views();

const UNMET = PersistentMap.from<Reason>([
  ['a/none', 'PoolExhausted'],
  ['a/half', 'PoolExhausted'],
  ['a/nowhere', 'NoPool'],
]);

describe('a state shows in', () => {
  it.each<[string, Partial<Views>, string, string[]]>([
    [
      'a standby',
      { world: { ...base.world, leadership: { leading: false, term: 3 } } },
      'herald_leading',
      ['0'],
    ],
    [
      'lost contact, and nobody else is there',
      { exchange: { stale: true, heard: [], problems: new Map() } },
      'herald_stale',
      ['1'],
    ],
    ['not ready', { notReady: [{ reason: 'NotSynced', message: '' }] }, 'herald_ready', ['0']],
    [
      'not synced',
      { source: { kind: 'folder', synced: false, freshAtMs: 0 } },
      'herald_source_synced',
      ['0'],
    ],
    [
      'the kept table is announced',
      { keptTable: { confirmedAtMs: NOW - 90_000, from: 'bgpd' } },
      'herald_kept_table_age_seconds',
      ['90'],
    ],
    [
      'never fresh',
      { source: { kind: 'folder', synced: false, freshAtMs: 0 } },
      'herald_source_age_seconds',
      [],
    ],
    [
      'fresh now',
      { source: { kind: 'folder', synced: true, freshAtMs: NOW } },
      'herald_source_age_seconds',
      ['0'],
    ],
    [
      'fresh in the future',
      { source: { kind: 'folder', synced: true, freshAtMs: NOW + 9 } },
      'herald_source_age_seconds',
      ['0'],
    ],
    [
      'stale',
      { source: { kind: 'folder', synced: true, freshAtMs: NOW - 3_600_000 } },
      'herald_source_age_seconds',
      ['3600'],
    ],
    ['no faults', { faults: [] }, 'herald_faults', []],
    [
      'several faults',
      { faults: [fault, { ...fault, reason: 'DuplicateObject' }, fault] },
      'herald_faults',
      ['{reason="Invalid"} 2', '{reason="DuplicateObject"} 1'],
    ],
    [
      'another term',
      { world: { ...base.world, leadership: { leading: false, term: 3 } } },
      'herald_term',
      ['3'],
    ],
    [
      'requests',
      { kubernetes },
      'herald_api_requests_total',
      ['{verb="list",outcome="200"} 9', '{verb="patch",outcome="409"} 2'],
    ],
    ['writes', { kubernetes }, 'herald_api_writes_total', ['{kind="addresses",outcome="written"} 7']],
    ['watches that were current', { kubernetes }, 'herald_watch_age_seconds', ['{resource="services"} 1.5']],
    ['a Lease', { kubernetes }, 'herald_lease_age_seconds', ['0.5']],
    [
      'a Lease of the future',
      { kubernetes: { ...kubernetes, leaseRenewedAtMs: NOW + 5 } },
      'herald_lease_age_seconds',
      ['0'],
    ],
    [
      'no Lease',
      { kubernetes: { ...kubernetes, leaseRenewedAtMs: undefined } },
      'herald_lease_age_seconds',
      [],
    ],
    [
      'unmet Services',
      { decision: { ...base.decision, unmet: UNMET } },
      'herald_unmet_services',
      ['{reason="PoolExhausted"} 2', '{reason="NoPool"} 1'],
    ],
    [
      'no pool',
      { decision: { ...base.decision, pools: PersistentMap.empty() } },
      'herald_pool_available_addresses',
      [],
    ],
    ['nothing in bgpd', { running: new Map() }, 'herald_peer_sent_routes', []],
    ['no feed', { feeds: [] }, 'herald_feed_established', []],
    [
      'a feed that is not established',
      { feeds: base.feeds.map((feed) => ({ ...feed, state: 'open-confirm' as const })) },
      'herald_feed_established',
      ['{feed="shared"} 0'],
    ],
    [
      'the first tick',
      { loop: { ticks: 0, failedTicks: 0, pendingSinceMs: NOW } },
      'herald_ticks_total',
      ['0'],
    ],
    [
      'many ticks',
      { loop: { ticks: 1e9, failedTicks: 0, pendingSinceMs: NOW } },
      'herald_ticks_total',
      ['1000000000'],
    ],
    ['no peers', { world: { ...base.world, peers: PersistentMap.empty() } }, 'herald_peers', []],
    ['no peers', { world: { ...base.world, peers: PersistentMap.empty() } }, 'herald_peer_established', []],
    [
      'a session of a peer that is gone',
      {
        world: {
          ...base.world,
          peers: PersistentMap.empty(),
          sessions: PersistentMap.from([['old', session()]]),
        },
      },
      'herald_peer_connections_dropped_total',
      [],
    ],
    [
      'no verdicts',
      { decision: { ...base.decision, services: PersistentMap.empty() } },
      'herald_services',
      [],
    ],
  ])('%s: %#', async (_, overrides, name, samples) => {
    expect(samplesOf(await scrapeOnce(overrides), name)).toEqual(samples);
  });
});

describe('durations', () => {
  const BOUNDS: readonly (readonly [string, readonly number[]])[] = [
    [
      'herald_tick_duration_seconds',
      [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ],
    [
      'herald_event_to_update_seconds',
      [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 10],
    ],
  ];

  it.each(BOUNDS)('%s are counted up to each bound', async (name, bounds) => {
    const own = await serve();
    for (const seconds of [...bounds, 1000]) {
      if (name === 'herald_tick_duration_seconds') {
        own.observe.tick(seconds);
      } else {
        own.observe.eventToUpdate(seconds);
      }
    }
    const body = await scrape(own);
    await own.close();
    expect(samplesOf(body, `${name}_bucket`)).toEqual([
      ...bounds.map((bound, i) => `{le="${bound}"} ${i + 1}`),
      `{le="+Inf"} ${bounds.length + 1}`,
    ]);
    expect(samplesOf(body, `${name}_count`)).toEqual([String(bounds.length + 1)]);
  });

  it.each(HISTOGRAMS)('%s is a histogram that starts at nothing', (name) => {
    expect([typeOf(name), samplesOf(text, `${name}_count`), samplesOf(text, `${name}_sum`)]).toEqual([
      'histogram',
      ['0'],
      ['0'],
    ]);
    expect(helpOf(name)).toMatch(/\w/);
  });
});
