// What a valid BGPPeer becomes: defaults, and text as values.

import { address, prefix } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { projectPeer, type Peer } from '../src/index.ts';
import { BGP_PEER_CASES } from './cases/bgp-peer.ts';
import { manifest } from './cases/case.ts';

function peer(change: Readonly<Record<string, unknown>>, metadata: object = {}): Peer {
  const object = manifest(BGP_PEER_CASES, change);
  const result = projectPeer({ ...object, metadata: { name: 'tor-1', ...metadata } }, 'manifest');
  return result.ok ? result.value : expect.fail(result.faults.map(({ message }) => message).join('\n'));
}

describe('a BGPPeer', () => {
  it('with the fewest fields has every default', () => {
    const metadata = {
      uid: 'd3adbeef',
      creationTimestamp: '2026-03-01T10:00:00Z',
      labels: { rack: 'a' },
    };
    expect(peer({}, metadata)).toEqual({
      kind: 'BGPPeer',
      name: 'tor-1',
      uid: 'd3adbeef',
      createdAt: Date.UTC(2026, 2, 1, 10),
      labels: { rack: 'a' },
      address: address('192.0.2.1'),
      port: 179,
      remoteAs: 64512,
      localAs: undefined,
      sourceAddress: undefined,
      holdTimeSeconds: 30,
      keepaliveTimeSeconds: 10,
      connectTimeSeconds: 5,
      ebgpMultiHop: 255,
      ttlSecurityHops: undefined,
      passwordSecret: undefined,
      families: [4],
      addPaths: { mode: 'Auto', maxPaths: 16 },
      maxRoutes: undefined,
      maxNextHopSets: undefined,
      rank: { mode: 'MED', base: undefined },
      gracefulRestart: {
        enabled: false,
        restartTimeSeconds: 120,
        longLivedStaleTimeSeconds: undefined,
      },
      bfd: undefined,
      replicaSelector: undefined,
      nextHop: { type: 'InternalIP', annotation: undefined, cidrs: [] },
      shutdown: false,
    });
  });

  it('without a name of its own has no identity and no age', () => {
    expect(peer({})).toMatchObject({ uid: '', createdAt: 0, labels: {} });
  });

  it.each<[Readonly<Record<string, unknown>>, Partial<Peer>]>([
    [{ peerAddress: '2001:DB8:0:0::1' }, { address: address('2001:db8::1'), families: [6] }],
    [{ peerAddress: '2001:db8::1', addressFamilies: ['IPv6', 'IPv4'] }, { families: [4, 6] }],
    [{ addressFamilies: ['IPv6'] }, { families: [6] }],
    [{ peerASN: undefined, dynamicASN: 'external' }, { remoteAs: 'external' }],
    [{ peerASN: undefined, dynamicASN: 'internal' }, { remoteAs: 'internal' }],
    [{ peerASN: 4200000000 }, { remoteAs: 4200000000 }],
    [{ localASN: 65001 }, { localAs: 65001 }],
    [{ sourceAddress: '198.51.100.7' }, { sourceAddress: address('198.51.100.7') }],
    [{ holdTime: '1m30s' }, { holdTimeSeconds: 90, keepaliveTimeSeconds: 30 }],
    [{ holdTime: '0s' }, { holdTimeSeconds: 0, keepaliveTimeSeconds: 0 }],
    [{ holdTime: '4s' }, { holdTimeSeconds: 4, keepaliveTimeSeconds: 1 }],
    [{ holdTime: '30s', keepaliveTime: '3s' }, { keepaliveTimeSeconds: 3 }],
    [{ connectTime: '2m' }, { connectTimeSeconds: 120 }],
    [{ ebgpMultiHop: 2 }, { ebgpMultiHop: 2, ttlSecurityHops: undefined }],
    [{ ttlSecurityHops: 1 }, { ttlSecurityHops: 1 }],
    [{ passwordSecret: { name: 's', key: 'k' } }, { passwordSecret: { name: 's', key: 'k' } }],
    [{ addPaths: { maxPaths: 4 } }, { addPaths: { mode: 'Auto', maxPaths: 4 } }],
    [{ rank: { base: 3_000_000_000 } }, { rank: { mode: 'MED', base: 3_000_000_000 } }],
    [
      { maxRoutes: 5000, maxNextHopSets: 100 },
      { maxRoutes: 5000, maxNextHopSets: 100 },
    ],
    [
      { gracefulRestart: { enabled: true, longLivedStaleTime: '1h' } },
      {
        gracefulRestart: { enabled: true, restartTimeSeconds: 120, longLivedStaleTimeSeconds: 3600 },
      },
    ],
    [
      { bfd: { transmitInterval: 50 } },
      {
        bfd: {
          receiveIntervalMs: 300,
          transmitIntervalMs: 50,
          detectMultiplier: 3,
          passive: false,
          minimumTtl: 254,
        },
      },
    ],
    [
      { nextHop: { cidrs: ['10.0.0.0/8', '2001:DB8::/32'] } },
      {
        nextHop: {
          type: 'InternalIP',
          annotation: undefined,
          cidrs: [prefix('10.0.0.0/8'), prefix('2001:db8::/32')],
        },
      },
    ],
    [
      { nextHop: { type: 'Annotation', annotation: 'example.com/ip' } },
      { nextHop: { type: 'Annotation', annotation: 'example.com/ip', cidrs: [] } },
    ],
    [
      { replicaSelector: { matchLabels: { rack: 'a' } } },
      { replicaSelector: { matchLabels: { rack: 'a' }, matchExpressions: [] } },
    ],
    [{ replicaSelector: {} }, { replicaSelector: { matchLabels: {}, matchExpressions: [] } }],
    [{ shutdown: true }, { shutdown: true }],
  ])('with %j', (change, expected) => {
    expect(peer(change)).toMatchObject(expected);
  });
});
