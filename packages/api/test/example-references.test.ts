// The examples that people copy, taken together: every name that one of their objects uses is the name of
// another, no address is given out twice, and every peer is told something.

import { readFileSync, readdirSync } from 'node:fs';
import { rangesOverlap } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  matchesAny,
  projectObject,
  type Advertisement,
  type AnyObject,
  type Peer,
  type Pool,
} from '../src/index.ts';

const folder = new URL('../../../deploy/examples/', import.meta.url);

function objectsOf(name: string): AnyObject[] {
  const documents = parseAllDocuments(readFileSync(new URL(name, folder), 'utf8'));
  return documents.map((document) => {
    const result = projectObject(document.toJS(), 'manifest');
    return result?.ok === true ? result.value : expect.fail(`an object of ${name} is refused`);
  });
}

const EXAMPLES = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => {
    const objects = objectsOf(name);
    return {
      name,
      objects,
      peers: objects.filter((object): object is Peer => object.kind === 'BGPPeer'),
      pools: objects.filter((object): object is Pool => object.kind === 'IPAddressPool'),
      advertisements: objects.filter((object): object is Advertisement => object.kind === 'BGPAdvertisement'),
    };
  });

const names = (found: readonly { readonly name: string }[]): string[] => found.map(({ name }) => name);

const told = (peer: Peer, advertisements: readonly Advertisement[]): boolean =>
  advertisements.some(({ peers: named, peerSelectors }) =>
    named.length === 0 ? matchesAny(peerSelectors, peer.labels) : named.includes(peer.name),
  );

const privateAsn = (asn: number): boolean =>
  (asn >= 64496 && asn <= 65534) || (asn >= 65536 && asn <= 65551) || asn >= 4_200_000_000;

it('there are some', () => {
  expect(EXAMPLES.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['aggregate.yaml', 'dual-stack.yaml', 'minimal.yaml', 'two-racks.yaml']),
  );
});

describe.each(EXAMPLES)('$name', ({ objects, peers, pools, advertisements }) => {
  it('has addresses and a policy, without which it would show nothing', () => {
    expect(pools.length).toBeGreaterThan(0);
    expect(advertisements.length).toBeGreaterThan(0);
  });

  it('names each object once', () => {
    const keys = objects.map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('names only pools and peers that are in it', () => {
    expect(
      advertisements.flatMap((each) => each.pools).filter((name) => !names(pools).includes(name)),
    ).toEqual([]);
    expect(
      advertisements.flatMap((each) => each.peers).filter((name) => !names(peers).includes(name)),
    ).toEqual([]);
  });

  it('tells every router something', () => {
    expect(peers.filter((peer) => !told(peer, advertisements)).map(({ name }) => name)).toEqual([]);
  });

  it('gives no address out twice', () => {
    const ranges = pools.flatMap((pool) => pool.ranges);
    const overlapping = ranges.flatMap((a, i) => ranges.slice(i + 1).filter((b) => rangesOverlap(a, b)));
    expect(overlapping).toEqual([]);
  });

  it('has one router an address', () => {
    const addresses = peers.map(({ address }) => address.text);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('uses addresses and AS numbers that are meant for examples or private use', () => {
    const documentation =
      /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|10\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|2001:db8:|fd)/;
    const used = [
      ...peers.map(({ address }) => address.text),
      ...pools.flatMap(({ ranges }) => ranges.map(({ first }) => first.text)),
    ];
    expect(used.filter((text) => !documentation.test(text))).toEqual([]);
    const numbers = peers.map(({ remoteAs }) => remoteAs).filter((asn) => typeof asn === 'number');
    expect(numbers.filter((asn) => !privateAsn(asn))).toEqual([]);
  });
});
