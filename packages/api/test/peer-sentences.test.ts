// What people read when a BGPPeer breaks a rule: whole sentences, one for each rule of each field, each of
// which names the object, the field, what would be right and what was found.

import { describe, expect, it } from 'vitest';
import { projectObject, type Fault } from '../src/index.ts';
import { BGP_PEER_CASES } from './cases/bgp-peer.ts';
import { manifest } from './cases/case.ts';

type Row = readonly [change: Readonly<Record<string, unknown>>, sentence: string, reason?: string];

const ROWS: readonly Row[] = [
  [{ peerAddress: undefined }, 'spec.peerAddress is required.'],
  [{ peerAddress: 17 }, 'spec.peerAddress must be a text, not 17.'],
  [
    { peerAddress: 'tor-1' },
    'spec.peerAddress must be an IPv4 or IPv6 address without zone, port, brackets or leading zeros, and not IPv4-mapped, not "tor-1".',
  ],
  [
    { peerAddress: '0.0.0.0' },
    'spec.peerAddress must be the address of one machine: not unspecified, loopback, multicast, broadcast or IPv6 link-local, not "0.0.0.0".',
  ],
  [
    { sourceAddress: 'eth1' },
    'spec.sourceAddress must be an IPv4 or IPv6 address without zone, port, brackets or leading zeros, and not IPv4-mapped, not "eth1".',
  ],
  [
    { sourceAddress: '0.0.0.0' },
    'spec.sourceAddress must be the address of one machine: not unspecified, loopback, multicast, broadcast or IPv6 link-local, not "0.0.0.0".',
  ],
  [{ sourceAddress: '2001:db8::9' }, 'spec.sourceAddress must be of the same address family as peerAddress.'],
  [{ sourceAddress: '192.0.2.1' }, 'spec.sourceAddress must differ from peerAddress.'],
  [{ peerPort: 0 }, 'spec.peerPort must be at least 1, not 0.'],
  [{ peerPort: 65536 }, 'spec.peerPort must be at most 65535, not 65536.'],
  [{ peerPort: '179' }, 'spec.peerPort must be a whole number, not "179".'],
  [{ peerASN: 0 }, 'spec.peerASN must be at least 1, not 0.'],
  [
    { peerASN: 23456 },
    'spec.peerASN must not be 23456 or 65535, which are reserved (RFC 6793, RFC 7300), not 23456.',
  ],
  [{ peerASN: 4294967295 }, 'spec.peerASN must be at most 4294967294, not 4294967295.'],
  [{ peerASN: undefined }, 'spec.peerASN must be set, or dynamicASN instead of it, but not both.'],
  [{ peerASN: undefined, dynamicASN: 'auto' }, 'spec.dynamicASN must be internal or external, not "auto".'],
  [{ localASN: 0 }, 'spec.localASN must be at least 1, not 0.'],
  [
    { localASN: 23456 },
    'spec.localASN must not be 23456 or 65535, which are reserved (RFC 6793, RFC 7300), not 23456.',
  ],
  [{ localASN: 4294967295 }, 'spec.localASN must be at most 4294967294, not 4294967295.'],
  [{ localASN: 64512 }, 'spec.localASN must differ from peerASN, or the session would be internal.'],
  [
    { peerASN: undefined, dynamicASN: 'internal', localASN: 65001 },
    'spec.localASN must not be set for an internal peer: it is shown to external peers only.',
  ],
  [{ ebgpMultiHop: 0 }, 'spec.ebgpMultiHop must be at least 1, not 0.'],
  [{ ebgpMultiHop: 256 }, 'spec.ebgpMultiHop must be at most 255, not 256.'],
  [{ ebgpMultiHop: true }, 'spec.ebgpMultiHop must be a whole number, not true.'],
  [{ ttlSecurityHops: 0 }, 'spec.ttlSecurityHops must be at least 1, not 0.'],
  [{ ttlSecurityHops: 255 }, 'spec.ttlSecurityHops must be at most 254, not 255.'],
  [
    { ttlSecurityHops: 1, ebgpMultiHop: 2 },
    'spec.ttlSecurityHops must not be set together with ebgpMultiHop: both decide the TTL.',
  ],
  [{ maxRoutes: 0 }, 'spec.maxRoutes must be at least 1, not 0.'],
  [{ maxRoutes: 10000001 }, 'spec.maxRoutes must be at most 10000000, not 10000001.'],
  [{ maxNextHopSets: 0 }, 'spec.maxNextHopSets must be at least 1, not 0.'],
  [{ maxNextHopSets: 1000001 }, 'spec.maxNextHopSets must be at most 1000000, not 1000001.'],
  [{ holdTime: '' }, 'spec.holdTime must be a duration in whole seconds such as "30s" or "1m30s", not "".'],
  [{ holdTime: '1s' }, 'spec.holdTime must be 0s, or from 3s to 18h12m15s, not "1s".'],
  [{ holdTime: 30 }, 'spec.holdTime must be a text, not 30.'],
  [
    { keepaliveTime: 'soon' },
    'spec.keepaliveTime must be a duration in whole seconds such as "30s" or "1m30s", not "soon".',
  ],
  [
    { keepaliveTime: '11s' },
    'spec.keepaliveTime must be at most a third of holdTime, as bgpd would lower it to that anyway.',
  ],
  [
    { connectTime: 'fast' },
    'spec.connectTime must be a duration in whole seconds such as "30s" or "1m30s", not "fast".',
  ],
  [{ connectTime: '0s' }, 'spec.connectTime must be from 1s to 18h12m15s, not "0s".'],
  [{ passwordSecret: { name: 'herald-bgp' } }, 'spec.passwordSecret.key is required.'],
  [
    { passwordSecret: { name: '', key: 'k' } },
    'spec.passwordSecret.name must have at least 1 character, not "".',
  ],
  [{ passwordSecret: 'secret' }, 'spec.passwordSecret must be a mapping of fields, not "secret".'],
  [{ addressFamilies: [] }, 'spec.addressFamilies must have at least 1 item.'],
  [{ addressFamilies: ['ipv4'] }, 'spec.addressFamilies[0] must be IPv4 or IPv6, not "ipv4".'],
  [{ addressFamilies: ['IPv4', 'IPv4'] }, 'spec.addressFamilies[1] is the same as item 0.'],
  [{ addressFamilies: 'IPv4' }, 'spec.addressFamilies must be a list, not "IPv4".'],
  [{ addPaths: { mode: 'On' } }, 'spec.addPaths.mode must be Auto or Disabled, not "On".'],
  [{ addPaths: { maxPaths: 0 } }, 'spec.addPaths.maxPaths must be at least 1, not 0.'],
  [{ addPaths: { maxPaths: 1025 } }, 'spec.addPaths.maxPaths must be at most 1024, not 1025.'],
  [{ rank: { mode: 'Med' } }, 'spec.rank.mode must be MED, LocalPref or None, not "Med".'],
  [{ rank: { base: 999999999 } }, 'spec.rank.base must be at least 1000000000, not 999999999.'],
  [{ rank: { base: 4000000001 } }, 'spec.rank.base must be at most 4000000000, not 4000000001.'],
  [{ rank: { mode: 'None', base: 2000000000 } }, 'spec.rank.base must not be set when rank.mode is None.'],
  [
    { peerASN: undefined, dynamicASN: 'external', rank: { mode: 'LocalPref' } },
    'spec.rank.mode must not be LocalPref for an external peer: LOCAL_PREF is not sent to it.',
  ],
  [{ gracefulRestart: { enabled: 'yes' } }, 'spec.gracefulRestart.enabled must be true or false, not "yes".'],
  [
    { gracefulRestart: { restartTime: '4096s' } },
    'spec.gracefulRestart.restartTime must be from 1s to 1h8m15s, not "4096s".',
  ],
  [
    { gracefulRestart: { restartTime: 'long' } },
    'spec.gracefulRestart.restartTime must be a duration in whole seconds such as "30s" or "1m30s", not "long".',
  ],
  [
    { gracefulRestart: { enabled: true, longLivedStaleTime: '1d' } },
    'spec.gracefulRestart.longLivedStaleTime must be a duration in whole seconds such as "30s" or "1m30s", not "1d".',
  ],
  [
    { gracefulRestart: { longLivedStaleTime: '1h' } },
    'spec.gracefulRestart.longLivedStaleTime must not be set unless gracefulRestart.enabled is true (RFC 9494 section 4.1).',
  ],
  [
    { gracefulRestart: { enabled: true, longLivedStaleTime: '16777216s' } },
    'spec.gracefulRestart.longLivedStaleTime must be from 1s to 4660h20m15s, not "16777216s".',
  ],
  [{ bfd: { receiveInterval: 9 } }, 'spec.bfd.receiveInterval must be at least 10, not 9.'],
  [{ bfd: { receiveInterval: '300ms' } }, 'spec.bfd.receiveInterval must be a whole number, not "300ms".'],
  [{ bfd: { transmitInterval: 60001 } }, 'spec.bfd.transmitInterval must be at most 60000, not 60001.'],
  [{ bfd: { detectMultiplier: 1 } }, 'spec.bfd.detectMultiplier must be at least 2, not 1.'],
  [{ bfd: { detectMultiplier: 256 } }, 'spec.bfd.detectMultiplier must be at most 255, not 256.'],
  [{ bfd: { minimumTTL: 0 } }, 'spec.bfd.minimumTTL must be at least 1, not 0.'],
  [{ bfd: { minimumTTL: 255 } }, 'spec.bfd.minimumTTL must be at most 254, not 255.'],
  [{ bfd: { passive: 1 } }, 'spec.bfd.passive must be true or false, not 1.'],
  [{ shutdown: 'true' }, 'spec.shutdown must be true or false, not "true".'],
  [
    { nextHop: { type: 'Hostname' } },
    'spec.nextHop.type must be InternalIP, ExternalIP or Annotation, not "Hostname".',
  ],
  [
    { nextHop: { type: 'Annotation' } },
    'spec.nextHop.annotation must be set when nextHop.type is Annotation, and only then.',
  ],
  [
    { nextHop: { cidrs: ['10.0.0.1/8'] } },
    'spec.nextHop.cidrs[0] must have no host bits set, not "10.0.0.1/8".',
  ],
  [
    { nextHop: { cidrs: ['10.0.0.0'] } },
    'spec.nextHop.cidrs[0] must be an IPv4 or IPv6 prefix such as 192.0.2.0/24, not "10.0.0.0".',
  ],
  [{ nextHop: { cidrs: ['10.0.0.0/8', '10.0.0.0/8'] } }, 'spec.nextHop.cidrs[1] is the same as item 0.'],
  [
    { replicaSelector: { matchExpressions: [{ key: 'rack', operator: 'In' }] } },
    'spec.replicaSelector.matchExpressions[0].values must have a value for the operators In and NotIn, and none for Exists and DoesNotExist.',
  ],
  [
    { replicaSelector: { matchExpressions: [{ key: 'rack', operator: 'Near' }] } },
    'spec.replicaSelector.matchExpressions[0].operator must be In, NotIn, Exists or DoesNotExist, not "Near".',
  ],
  [
    { replicaSelector: { matchLabels: { rack: 7 } } },
    'spec.replicaSelector.matchLabels.rack must be a text, not 7.',
  ],
];

interface Sentence {
  readonly change: Row[0];
  readonly sentence: string;
  readonly reason: string;
}

function casesOf(rows: readonly Row[]): Sentence[] {
  return rows.map(([change, sentence, reason = 'Invalid']) => ({ change, sentence, reason }));
}

describe('the sentence about a fault of a BGPPeer', () => {
  it.each(casesOf(ROWS))('$change', ({ change, sentence, reason }) => {
    const faults: readonly Fault[] =
      projectObject(manifest(BGP_PEER_CASES, change), 'manifest')?.faults ?? [];
    const subject = `${BGP_PEER_CASES.kind} ${BGP_PEER_CASES.name}`;
    expect(faults.map((fault) => [fault.message, fault.reason])).toEqual([
      [`${subject}: ${sentence}`, reason],
    ]);
    expect(sentence.startsWith(`${faults[0]?.field} `)).toBe(true);
  });
});
