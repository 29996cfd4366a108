// A whole table into a fresh bgpd: Herald's feed against a bare sender that replays the same octets, turn by
// turn. Measured from Established to the moment when bgpd has selected the marker, the last route of the
// table, which it can only have when everything before it was read and processed.

import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';

import { MARKER_PREFIX, renderBoot } from '@herald/frr';
import {
  Lab,
  REPOSITORY,
  SHARED_PATH,
  Topology,
  bgpdFlags,
  waitFor,
  type Pod,
  type Program,
} from '@herald/lab';
import { address } from '@herald/net';

import { epochMs, figure, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import { RecordedFeed } from './recorded-feed.ts';
import { wallClockMs } from './wall-clock.ts';

const PREFIXES = 10_000;
const NEXT_HOPS = 20;
const PATHS = PREFIXES * NEXT_HOPS + 1;
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 21);
const ASN = 64_512;
const POLL_MS = 3;
const TABLE_MS = 60_000;

const FEED = ['test/bench/feed-sender.ts', `${PREFIXES}`, `${NEXT_HOPS}`];
const REPLAY = ['test/bench/replay-sender.ts', `${SHARED_PATH}/open.bin`, `${SHARED_PATH}/table.bin`];

export async function run(): Promise<readonly Figure[]> {
  const lab = await Lab.create('bench-feed');
  try {
    const topology = await Topology.create(lab, { routers: {}, workers: 0 });
    const pod = topology.pod();
    await record(lab, pod);
    const feed: number[] = [];
    const replay: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      // Who goes first changes, so that what one run leaves behind does not always meet the same one.
      for (const own of pair % 2 === 0 ? [feed, replay] : [replay, feed]) {
        own.push(await secondsToTable(pod, own === feed ? FEED : REPLAY));
      }
      process.stderr.write(
        `  pair ${pair + 1}: feed ${feed.at(-1)?.toFixed(3)} s, replay ${replay.at(-1)?.toFixed(3)} s\n`,
      );
    }
    return figures(feed, replay);
  } finally {
    await lab.close();
  }
}

function figures(feed: readonly number[], replay: readonly number[]): Figure[] {
  const ratios = feed.map((seconds, pair) => seconds / (replay[pair] ?? Number.NaN));
  const reference = 'a bare sender that replays the same octets';
  const shape = { n: PAIRS, unit: 's' };
  return [
    figure({
      name: `feed-replay: ${PATHS - 1} paths, ratio of medians`,
      value: percentile(feed, 0.5) / percentile(replay, 0.5),
      unit: 'ratio',
      n: PAIRS,
      bound: 1.1,
      reference,
    }),
    figure({
      name: 'feed-replay: median of the ratio in a pair',
      value: percentile(ratios, 0.5),
      unit: 'ratio',
      n: PAIRS,
      reference,
    }),
    figure({ name: 'feed-replay: feed, Established to marker p50', value: percentile(feed, 0.5), ...shape }),
    figure({
      name: 'feed-replay: replay, Established to marker p50',
      value: percentile(replay, 0.5),
      ...shape,
    }),
    figure({ name: 'feed-replay: feed', value: PATHS / percentile(feed, 0.5), unit: 'paths/s', n: PAIRS }),
  ];
}

/** One run of the feed that is not measured, for its octets. */
async function record(lab: Lab, pod: Pod): Promise<void> {
  const recorded = await RecordedFeed.start(lab, pod);
  await secondsToTable(pod, FEED);
  await recorded.endOfRib();
  await recorded.stop();
  writeFileSync(join(pod.sharedDirectory, 'open.bin'), recorded.open ?? new Uint8Array());
  writeFileSync(
    join(pod.sharedDirectory, 'table.bin'),
    Buffer.concat(recorded.updates.map(({ bytes }) => bytes)),
  );
}

async function secondsToTable(pod: Pod, [script = '', ...args]: readonly string[]): Promise<number> {
  const placement = { feedAddress: address('127.0.0.2'), bgpdAddress: address('127.0.0.1'), viewPort: 1791 };
  pod.writeShared('bgpd.conf', renderBoot(ASN, address(pod.ipv4), placement));
  const bgpd = pod.run('/usr/lib/frr/bgpd', bgpdFlags());
  await waitFor('bgpd answers', () => pod.vty('show version'), 10_000);
  const sender = pod.runNode([join(REPOSITORY, script), ...args], { env: { NODE_NO_WARNINGS: '1' } });
  try {
    const establishedMs = epochMs(await sender.lineMatching(/^established /));
    const seenMs = await markerSeen(pod);
    await expectPaths(pod);
    return (seenMs - establishedMs) / 1000;
  } finally {
    await end(sender);
    await end(bgpd);
  }
}

async function end(program: Program): Promise<void> {
  program.kill('SIGKILL');
  await program.exited;
}

async function markerSeen(pod: Pod): Promise<number> {
  const deadline = performance.now() + TABLE_MS;
  while (performance.now() < deadline) {
    const shown = await pod.vty(`show bgp ipv4 unicast ${MARKER_PREFIX.text} json`);
    const shownMs = wallClockMs();
    if (shown.includes('"bestpath"')) {
      return shownMs;
    }
    await sleep(POLL_MS);
  }
  throw new Error('bgpd never selected the marker');
}

interface Summary {
  readonly peers: Readonly<Record<string, { readonly pfxRcd: number }>>;
}

async function expectPaths(pod: Pod): Promise<void> {
  await waitFor(
    'bgpd counts every path',
    async () => {
      const { peers } = await pod.vtyJson<Summary>('show bgp ipv4 unicast summary json');
      const held = peers['127.0.0.2']?.pfxRcd;
      return held === PATHS || (await Promise.reject(new Error(`bgpd holds ${held} of ${PATHS} paths`)));
    },
    5000,
  );
}
