import { describe, expect, it } from 'vitest';
import { createServer, type Server, type Views } from '../src/index.ts';
import { NOW, serve, views } from './fixture.ts';

async function scrape(server: Server): Promise<string[]> {
  const { body, headers } = await server.app.inject({ url: '/metrics' });
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  return body.split('\n');
}

async function scrapeOnce(overrides: Partial<Views> = {}): Promise<string[]> {
  const server = await serve(overrides);
  const lines = await scrape(server);
  await server.close();
  return lines;
}

describe('metrics', () => {
  it.each([
    'herald_ticks_total 42',
    'herald_failed_ticks_total 1',
    'herald_leading 1',
    'herald_ready 1',
    'herald_source_age_seconds 2.5',
    'herald_source_synced 1',
    'herald_faults{reason="Invalid"} 1',
    'herald_objects{kind="services"} 3',
    'herald_objects{kind="peers"} 4',
    'herald_services{reason="Advertised"} 1',
    'herald_services{reason="NoAddress"} 1',
    'herald_prefixes{table="shared",family="ipv4"} 2',
    'herald_routes{table="shared",family="ipv4"} 3',
    'herald_routes{table="plain-9",family="ipv6"} 0',
    'herald_peers{state="Established"} 2',
    'herald_peers{state="Unknown"} 1',
    'herald_peer_established{peer="tor-1"} 1',
    'herald_peer_established{peer="tor-2"} 0',
    'herald_peer_connections_dropped_total{peer="tor-1"} 3',
    'herald_peer_prefixes{peer="tor-1"} 3',
    'herald_peer_routes{peer="tor-1"} 4',
    'herald_peer_next_hop_sets{peer="tor-1"} 2',
    'herald_peer_trimmed_routes{peer="tor-1"} 1',
    'herald_feed_established{feed="shared"} 1',
    'herald_feed_updates_sent_total{feed="shared"} 5',
    'herald_feed_routes_sent_total{feed="shared"} 9',
    'herald_feed_withdrawals_sent_total{feed="shared"} 1',
    'herald_feed_sent_bytes_total{feed="shared"} 700',
    'herald_feed_sessions_lost_total{feed="shared"} 2',
  ])('%s', async (line) => {
    expect(await scrapeOnce()).toContain(line);
  });

  it('say which build this is', async () => {
    const lines = await scrapeOnce();
    expect(lines).toContain(`herald_build_info{version="1.2.3",node_version="${process.version}"} 1`);
  });

  it('have no age before the source was read once', async () => {
    const lines = await scrapeOnce({ source: { kind: 'folder', synced: false, freshAtMs: 0 } });
    expect(lines.filter((line) => line.startsWith('herald_source_age_seconds'))).toEqual([]);
  });

  it('observe durations in seconds', async () => {
    const server = await serve();
    server.observe.tick(0.003);
    server.observe.tick(2);
    server.observe.eventToUpdate(0.055);
    const lines = await scrape(server);
    expect(lines).toEqual(
      expect.arrayContaining([
        'herald_tick_duration_seconds_bucket{le="0.002"} 0',
        'herald_tick_duration_seconds_bucket{le="0.005"} 1',
        'herald_tick_duration_seconds_count 2',
        'herald_event_to_update_seconds_bucket{le="0.05"} 0',
        'herald_event_to_update_seconds_bucket{le="0.06"} 1',
        'herald_event_to_update_seconds_sum 0.055',
      ]),
    );
    await server.close();
  });

  it('forget what the views no longer have, and do not add up over scrapes', async () => {
    let current = views();
    const server = await createServer(
      { current: () => current, explain: () => undefined },
      { version: '1', nowMs: () => NOW },
    );
    await scrape(server);
    expect(await scrape(server)).toContain('herald_feed_updates_sent_total{feed="shared"} 5');
    current = {
      ...current,
      world: { ...current.world, peers: current.world.peers.delete('tor-1') },
      feeds: [],
    };
    const lines = await scrape(server);
    expect(lines.filter((line) => /connections_dropped.*tor-1|updates_sent_total\{/.test(line))).toEqual([]);
    await server.close();
  });

  it('all carry the prefix, a help text and a unit where they have one', async () => {
    const lines = await scrapeOnce();
    const names = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2] ?? '');
    expect(names.filter((name) => !name.startsWith('herald_'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('# HELP ')).length).toBe(names.length);
    expect(new Set(names).size).toBe(names.length);
  });
});
