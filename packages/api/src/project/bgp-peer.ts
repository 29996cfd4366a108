// BGPPeer object -> Peer. Form and rules were checked against the schema; here text becomes values, and
// defaults that depend on other fields are filled in: families, keepalive.

import { parseAddress, parsePrefix, type Address, type Family } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Peer, PeerBfd } from '../model/peer.ts';
import { BGP_PEER, type BgpPeerSpec } from '../schema/bgp-peer.ts';
import { secondsOf } from '../schema/duration-field.ts';
import { projectCustom, type Origin } from './custom-resource.ts';
import { clusterMeta, type Reading } from './reading.ts';
import { toSelector } from './selector.ts';

const DEFAULT_MULTIHOP_TTL = 255;

export function projectPeer(object: unknown, origin: Origin): Projected<Peer> {
  return projectCustom(BGP_PEER, object, origin, build);
}

function build(spec: BgpPeerSpec, reading: Reading): Peer | undefined {
  const address = reading.take('spec.peerAddress', parseAddress(spec.peerAddress));
  const remoteAs = spec.peerASN ?? spec.dynamicASN;
  if (address === undefined || remoteAs === undefined) {
    return undefined;
  }
  return {
    kind: 'BGPPeer',
    ...clusterMeta(reading.meta),
    address,
    port: spec.peerPort,
    remoteAs,
    localAs: spec.localASN,
    ...timers(spec),
    ...transport(spec, reading),
    ...announcement(spec, address),
    bfd: spec.bfd && bfd(spec.bfd),
    nextHop: {
      type: spec.nextHop.type,
      annotation: spec.nextHop.annotation,
      cidrs: reading.takeAll('spec.nextHop.cidrs', spec.nextHop.cidrs ?? [], parsePrefix),
    },
    shutdown: spec.shutdown,
  };
}

function timers(
  spec: BgpPeerSpec,
): Pick<Peer, 'holdTimeSeconds' | 'keepaliveTimeSeconds' | 'connectTimeSeconds'> {
  const holdTimeSeconds = secondsOf(spec.holdTime);
  return {
    holdTimeSeconds,
    keepaliveTimeSeconds:
      spec.keepaliveTime === undefined ? Math.floor(holdTimeSeconds / 3) : secondsOf(spec.keepaliveTime),
    connectTimeSeconds: secondsOf(spec.connectTime),
  };
}

function transport(
  spec: BgpPeerSpec,
  reading: Reading,
): Pick<Peer, 'sourceAddress' | 'ebgpMultiHop' | 'ttlSecurityHops' | 'passwordSecret' | 'replicaSelector'> {
  const { sourceAddress } = spec;
  return {
    sourceAddress:
      sourceAddress === undefined
        ? undefined
        : reading.take('spec.sourceAddress', parseAddress(sourceAddress)),
    ebgpMultiHop: spec.ebgpMultiHop ?? DEFAULT_MULTIHOP_TTL,
    ttlSecurityHops: spec.ttlSecurityHops,
    passwordSecret: spec.passwordSecret,
    replicaSelector: spec.replicaSelector && toSelector(spec.replicaSelector),
  };
}

function announcement(
  spec: BgpPeerSpec,
  address: Address,
): Pick<Peer, 'families' | 'addPaths' | 'maxRoutes' | 'maxNextHopSets' | 'rank' | 'gracefulRestart'> {
  const { gracefulRestart: restart } = spec;
  return {
    families: families(spec.addressFamilies, address.family),
    addPaths: spec.addPaths,
    maxRoutes: spec.maxRoutes,
    maxNextHopSets: spec.maxNextHopSets,
    rank: { mode: spec.rank.mode, base: spec.rank.base },
    gracefulRestart: {
      enabled: restart.enabled,
      restartTimeSeconds: secondsOf(restart.restartTime),
      longLivedStaleTimeSeconds:
        restart.longLivedStaleTime === undefined ? undefined : secondsOf(restart.longLivedStaleTime),
    },
  };
}

/** In one order, however they were written: two peers that differ in nothing else are the same. */
function families(words: readonly string[] | undefined, fallback: Family): readonly Family[] {
  return words === undefined
    ? [fallback]
    : ([4, 6] as const).filter((family) => words.includes(`IPv${family}`));
}

function bfd(spec: NonNullable<BgpPeerSpec['bfd']>): PeerBfd {
  return {
    receiveIntervalMs: spec.receiveInterval,
    transmitIntervalMs: spec.transmitInterval,
    detectMultiplier: spec.detectMultiplier,
    passive: spec.passive,
    minimumTtl: spec.minimumTTL,
  };
}
