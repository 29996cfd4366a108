// A program for the pod of the frr-apply test: route tables as JSON lines on stdin -> one Feed each.
// A line names its feed (where it stands) and the whole table; `synced NAME` is said when bgpd's socket has it.

import { createInterface } from 'node:readline';
import { Feed } from '@herald/bgp';
import { PersistentMap, address, community, pathAttributes, prefix } from '@herald/net';
import type { LargeCommunity, Path, PrefixRoutes, RouteTable, StandardCommunity } from '@herald/net';

export interface FeedLine {
  readonly name: string;
  /** Empty: dials bgpd's default instance; otherwise where a view's feed listens. */
  readonly listenAddress: string;
  readonly asn: number;
  readonly routes: readonly FeedRoute[];
}

export interface FeedRoute {
  readonly prefix: string;
  readonly nextHops: readonly string[];
  readonly communities: readonly string[];
  readonly med: number;
}

function isLarge(value: StandardCommunity | LargeCommunity): value is LargeCommunity {
  return value.kind === 'large';
}

function isStandard(value: StandardCommunity | LargeCommunity): value is StandardCommunity {
  return value.kind === 'standard';
}

function paths(route: FeedRoute): Path[] {
  const communities = route.communities.map(community);
  const attributes = pathAttributes({
    asPath: [],
    localPref: 100,
    med: route.med,
    communities: communities.filter(isStandard),
    largeCommunities: communities.filter(isLarge),
    linkBandwidth: undefined,
  });
  return route.nextHops.map((nextHop, index) => ({
    pathId: index + 1,
    nextHop: address(nextHop),
    attributes,
  }));
}

function table(routes: readonly FeedRoute[]): RouteTable {
  return PersistentMap.from(
    routes.map((route): [string, PrefixRoutes] => [
      route.prefix,
      { prefix: prefix(route.prefix), paths: paths(route) },
    ]),
  );
}

function createFeed(line: FeedLine): Feed {
  const dials = line.listenAddress === '';
  return new Feed(
    {
      kind: dials ? 'dial' : 'listen',
      localAddress: dials ? '127.0.0.2' : line.listenAddress,
      remoteAddress: '127.0.0.1',
      port: dials ? 1790 : 1791,
      asn: line.asn,
      routerId: address(dials ? '127.0.0.2' : line.listenAddress),
      holdTimeSeconds: 30,
      restartTimeSeconds: 4095,
      addPath: dials ? 'send' : 'none',
    },
    {
      onState: ({ kind }) => say(`state ${line.name} ${kind}`),
      onSynced: () => say(`synced ${line.name}`),
      onProblem: ({ reason, text }) => say(`problem ${line.name} ${reason} ${text}`),
    },
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const feeds = new Map<string, Feed>();

for await (const text of createInterface({ input: process.stdin })) {
  const line: FeedLine = JSON.parse(text);
  const feed = feeds.get(line.name) ?? createFeed(line);
  feeds.set(line.name, feed);
  feed.set(table(line.routes));
}
