// A program for a pod: Herald's own feed with a synthetic table. Arguments: prefixes, next hops of each.
// Prints `established EPOCH_MS` when the session begins, before anything of the table was said.

import { Feed } from '@herald/bgp';
import { MARKER_PREFIX } from '@herald/frr';
import { address, exportTag, pathAttributes, PersistentMap, prefix } from '@herald/net';
import type { Path, PrefixRoutes, RouteTable } from '@herald/net';
import { wallClockMs } from './wall-clock.ts';

const ASN = 64_512;
const PREFIXES_OF_A_BLOCK = 250;

const [prefixes = 0, nextHops = 0] = process.argv.slice(2).map(Number);

/** One attribute set for everything, one path for each next hop, as a decision makes them. */
function table(): RouteTable {
  const attributes = pathAttributes({
    asPath: [],
    localPref: 100,
    med: 100,
    communities: [],
    largeCommunities: [exportTag(0)],
    linkBandwidth: undefined,
  });
  const paths = Array.from({ length: nextHops }, (_, i): Path => {
    return { pathId: 1000 + i, nextHop: address(`192.0.2.${i + 1}`), attributes };
  });
  const marker: Path = { pathId: 1, nextHop: MARKER_PREFIX.address, attributes };
  return PersistentMap.from(entries(paths)).set(MARKER_PREFIX.text, {
    prefix: MARKER_PREFIX,
    paths: [marker],
  });
}

function entries(paths: readonly Path[]): [string, PrefixRoutes][] {
  return Array.from({ length: prefixes }, (_, i) => {
    const text = `203.${Math.floor(i / PREFIXES_OF_A_BLOCK)}.113.${i % PREFIXES_OF_A_BLOCK}/32`;
    return [text, { prefix: prefix(text), paths }];
  });
}

const feed = new Feed(
  {
    kind: 'dial',
    localAddress: '127.0.0.2',
    remoteAddress: '127.0.0.1',
    port: 1790,
    asn: ASN,
    routerId: address('127.0.0.2'),
    holdTimeSeconds: 30,
    restartTimeSeconds: 4095,
    addPath: 'send',
    last: MARKER_PREFIX.text,
  },
  {
    onState: (state) => {
      if (state.kind === 'established' && !state.endOfRibSent) {
        say('established');
      }
    },
    onSynced: () => say('synced'),
    onProblem: ({ reason, text }) => process.stderr.write(`${reason}: ${text}\n`),
  },
);

function say(what: string): void {
  process.stdout.write(`${what} ${wallClockMs()}\n`);
}

feed.set(table());
