// Every field of BGPPeer at, inside and beyond its bounds, and every rule between fields.

import { refusal, type KindCases, type RefusedCase } from './case.ts';

const notAnAddress = [
  'tor-1',
  '',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.01',
  '192.0.2.1/32',
  '192.0.2.1:179',
  ' 192.0.2.1',
  '[2001:db8::1]',
  'fe80::1%eth0',
  '2001:db8::g',
  '::ffff:192.0.2.1',
];

const notOneMachine = [
  '0.0.0.0',
  '::',
  '127.0.0.1',
  '::1',
  '224.0.0.5',
  'ff02::1',
  '255.255.255.255',
  'fe80::1',
];

const notADuration = ['', '30', 's', '-3s', '1.5s', '30S', '5 s', '3000ms', '1m1h', '123456789s', 'PT30S'];

function times(field: string, refused: readonly string[], says: string): RefusedCase[] {
  return refused.map((text) => refusal({ [field]: text }, `spec.${field}`, says));
}

const addresses = [
  refusal({ peerAddress: undefined }, 'spec.peerAddress', 'is required'),
  refusal({ peerAddress: 17 }, 'spec.peerAddress', 'must be a text, not 17'),
  refusal({ peerAddress: 'a'.repeat(46) }, 'spec.peerAddress', 'at most 45 characters'),
  ...notAnAddress.map((text) =>
    refusal({ peerAddress: text }, 'spec.peerAddress', 'must be an IPv4 or IPv6 address'),
  ),
  ...notOneMachine.map((text) =>
    refusal({ peerAddress: text }, 'spec.peerAddress', 'must be the address of one machine'),
  ),
  refusal({ sourceAddress: 'eth1' }, 'spec.sourceAddress', 'must be an IPv4 or IPv6 address'),
  refusal({ sourceAddress: '0.0.0.0' }, 'spec.sourceAddress', 'must be the address of one machine'),
  refusal({ sourceAddress: '2001:db8::9' }, 'spec.sourceAddress', 'same address family as peerAddress'),
  refusal({ sourceAddress: '192.0.2.1' }, 'spec.sourceAddress', 'must differ from peerAddress'),
  {
    ...refusal(
      { peerAddress: '2001:db8::1', sourceAddress: '2001:DB8::1' },
      'spec.sourceAddress',
      'must differ',
    ),
    storedAnyway: true,
  } as const,
];

const numbers = [
  refusal({ peerPort: 0 }, 'spec.peerPort', 'must be at least 1, not 0'),
  refusal({ peerPort: 65536 }, 'spec.peerPort', 'must be at most 65535, not 65536'),
  refusal({ peerPort: '179' }, 'spec.peerPort', 'must be a whole number'),
  refusal({ peerPort: 1.5 }, 'spec.peerPort', 'must be a whole number'),
  refusal({ peerASN: 0 }, 'spec.peerASN', 'must be at least 1'),
  refusal({ peerASN: 23456 }, 'spec.peerASN', 'reserved'),
  refusal({ peerASN: 65535 }, 'spec.peerASN', 'reserved'),
  refusal({ peerASN: 4294967295 }, 'spec.peerASN', 'must be at most 4294967294'),
  refusal({ peerASN: undefined }, 'spec.peerASN', 'must be set, or dynamicASN'),
  refusal({ dynamicASN: 'internal' }, 'spec.peerASN', 'but not both'),
  refusal({ peerASN: undefined, dynamicASN: 'auto' }, 'spec.dynamicASN', 'must be internal or external'),
  refusal({ localASN: 0 }, 'spec.localASN', 'must be at least 1'),
  refusal({ localASN: 23456 }, 'spec.localASN', 'reserved'),
  refusal({ localASN: 4294967295 }, 'spec.localASN', 'must be at most'),
  refusal({ localASN: 64512 }, 'spec.localASN', 'must differ from peerASN'),
  refusal(
    { peerASN: undefined, dynamicASN: 'internal', localASN: 65001 },
    'spec.localASN',
    'must not be set for an internal peer',
  ),
  refusal({ ebgpMultiHop: 0 }, 'spec.ebgpMultiHop', 'must be at least 1'),
  refusal({ ebgpMultiHop: 256 }, 'spec.ebgpMultiHop', 'must be at most 255'),
  refusal({ ebgpMultiHop: true }, 'spec.ebgpMultiHop', 'must be a whole number'),
  refusal({ ttlSecurityHops: 0 }, 'spec.ttlSecurityHops', 'must be at least 1'),
  refusal({ ttlSecurityHops: 255 }, 'spec.ttlSecurityHops', 'must be at most 254'),
  refusal({ ttlSecurityHops: 1, ebgpMultiHop: 2 }, 'spec.ttlSecurityHops', 'together with ebgpMultiHop'),
  refusal({ maxRoutes: 0 }, 'spec.maxRoutes', 'must be at least 1'),
  refusal({ maxRoutes: 10_000_001 }, 'spec.maxRoutes', 'must be at most 10000000'),
  refusal({ maxNextHopSets: 0 }, 'spec.maxNextHopSets', 'must be at least 1'),
  refusal({ maxNextHopSets: 1_000_001 }, 'spec.maxNextHopSets', 'must be at most 1000000'),
];

const timers = [
  ...times('holdTime', notADuration, 'must be a duration in whole seconds'),
  ...times('holdTime', ['1s', '2s', '65536s', '18h12m16s'], 'must be 0s, or from 3s to 18h12m15s'),
  refusal({ holdTime: 30 }, 'spec.holdTime', 'must be a text, not 30'),
  refusal({ holdTime: '1'.repeat(25) }, 'spec.holdTime', 'at most 24 characters'),
  ...times('keepaliveTime', ['soon'], 'must be a duration in whole seconds'),
  ...times('keepaliveTime', ['0s'], 'must be more than 0s unless holdTime is 0s'),
  ...times('keepaliveTime', ['11s', '30s'], 'must be at most a third of holdTime'),
  refusal({ holdTime: '0s', keepaliveTime: '1s' }, 'spec.keepaliveTime', 'a third of holdTime'),
  refusal(
    { holdTime: '18h12m15s', keepaliveTime: '65536s' },
    'spec.keepaliveTime',
    'must be 0s, or from 1s to 18h12m15s',
  ),
  ...times('connectTime', ['fast'], 'must be a duration in whole seconds'),
  ...times('connectTime', ['0s', '65536s'], 'must be from 1s to 18h12m15s'),
];

const parts = [
  refusal({ passwordSecret: {} }, 'spec.passwordSecret.name', 'is required'),
  refusal({ passwordSecret: { name: 'herald-bgp' } }, 'spec.passwordSecret.key', 'is required'),
  refusal({ passwordSecret: { name: '', key: 'k' } }, 'spec.passwordSecret.name', 'at least 1 character'),
  refusal({ passwordSecret: 'secret' }, 'spec.passwordSecret', 'must be a mapping'),
  refusal({ addressFamilies: [] }, 'spec.addressFamilies', 'must have at least 1 item'),
  refusal({ addressFamilies: ['ipv4'] }, 'spec.addressFamilies[0]', 'must be IPv4 or IPv6, not "ipv4"'),
  refusal({ addressFamilies: ['IPv4', 'IPv4'] }, 'spec.addressFamilies[1]', 'is the same as item 0'),
  refusal({ addressFamilies: 'IPv4' }, 'spec.addressFamilies', 'must be a list'),
  refusal({ addPaths: { mode: 'On' } }, 'spec.addPaths.mode', 'must be Auto or Disabled'),
  refusal({ addPaths: { maxPaths: 0 } }, 'spec.addPaths.maxPaths', 'must be at least 1'),
  refusal({ addPaths: { maxPaths: 1025 } }, 'spec.addPaths.maxPaths', 'must be at most 1024'),
  refusal({ rank: { mode: 'Med' } }, 'spec.rank.mode', 'must be MED, LocalPref or None'),
  refusal({ rank: { base: 999_999_999 } }, 'spec.rank.base', 'must be at least 1000000000'),
  refusal({ rank: { base: 4_000_000_001 } }, 'spec.rank.base', 'must be at most 4000000000'),
  refusal({ rank: { mode: 'None', base: 2_000_000_000 } }, 'spec.rank.base', 'when rank.mode is None'),
  refusal(
    { peerASN: undefined, dynamicASN: 'external', rank: { mode: 'LocalPref' } },
    'spec.rank.mode',
    'must not be LocalPref for an external peer',
  ),
  refusal({ gracefulRestart: { enabled: 'yes' } }, 'spec.gracefulRestart.enabled', 'must be true or false'),
  refusal(
    { gracefulRestart: { restartTime: '4096s' } },
    'spec.gracefulRestart.restartTime',
    'must be from 1s to 1h8m15s',
  ),
  refusal(
    { gracefulRestart: { restartTime: 'long' } },
    'spec.gracefulRestart.restartTime',
    'must be a duration in whole seconds',
  ),
  refusal(
    { gracefulRestart: { enabled: true, longLivedStaleTime: '1d' } },
    'spec.gracefulRestart.longLivedStaleTime',
    'must be a duration in whole seconds',
  ),
  refusal({ gracefulRestart: { restartTime: '0s' } }, 'spec.gracefulRestart.restartTime', 'must be from 1s'),
  refusal(
    { gracefulRestart: { longLivedStaleTime: '1h' } },
    'spec.gracefulRestart.longLivedStaleTime',
    'unless gracefulRestart.enabled is true',
  ),
  refusal(
    { gracefulRestart: { enabled: true, longLivedStaleTime: '16777216s' } },
    'spec.gracefulRestart.longLivedStaleTime',
    'must be from 1s to 4660h20m15s',
  ),
  refusal({ bfd: { receiveInterval: 9 } }, 'spec.bfd.receiveInterval', 'must be at least 10'),
  refusal({ bfd: { receiveInterval: '300ms' } }, 'spec.bfd.receiveInterval', 'must be a whole number'),
  refusal({ bfd: { transmitInterval: 60_001 } }, 'spec.bfd.transmitInterval', 'must be at most 60000'),
  refusal({ bfd: { detectMultiplier: 1 } }, 'spec.bfd.detectMultiplier', 'must be at least 2'),
  refusal({ bfd: { detectMultiplier: 256 } }, 'spec.bfd.detectMultiplier', 'must be at most 255'),
  refusal({ bfd: { minimumTTL: 0 } }, 'spec.bfd.minimumTTL', 'must be at least 1'),
  refusal({ bfd: { minimumTTL: 255 } }, 'spec.bfd.minimumTTL', 'must be at most 254'),
  refusal({ bfd: { passive: 1 } }, 'spec.bfd.passive', 'must be true or false'),
  refusal({ shutdown: 'true' }, 'spec.shutdown', 'must be true or false'),
  refusal({ shutdown: 0 }, 'spec.shutdown', 'must be true or false'),
];

const nextHops = [
  refusal({ nextHop: { type: 'Hostname' } }, 'spec.nextHop.type', 'InternalIP, ExternalIP or Annotation'),
  refusal({ nextHop: { type: 'Annotation' } }, 'spec.nextHop.annotation', 'must be set when nextHop.type is'),
  refusal({ nextHop: { annotation: 'example.com/ip' } }, 'spec.nextHop.annotation', 'and only then'),
  refusal({ nextHop: { cidrs: ['10.0.0.1/8'] } }, 'spec.nextHop.cidrs[0]', 'must have no host bits set'),
  refusal({ nextHop: { cidrs: ['2001:db8::1/64'] } }, 'spec.nextHop.cidrs[0]', 'no host bits set'),
  refusal({ nextHop: { cidrs: ['10.0.0.0'] } }, 'spec.nextHop.cidrs[0]', 'must be an IPv4 or IPv6 prefix'),
  refusal({ nextHop: { cidrs: ['10.0.0.0/33'] } }, 'spec.nextHop.cidrs[0]', 'must be an IPv4 or IPv6 prefix'),
  refusal({ nextHop: { cidrs: ['10.0.0.0/08'] } }, 'spec.nextHop.cidrs[0]', 'must be an IPv4 or IPv6 prefix'),
  refusal({ nextHop: { cidrs: ['10.0.0.0/8', '10.0.0.0/8'] } }, 'spec.nextHop.cidrs[1]', 'same as item 0'),
  refusal(
    { nextHop: { cidrs: Array.from({ length: 65 }, (_, i) => `10.${i}.0.0/16`) } },
    'spec.nextHop.cidrs',
    'must have at most 64 items',
  ),
  refusal(
    { replicaSelector: { matchExpressions: [{ key: 'rack', operator: 'In' }] } },
    'spec.replicaSelector.matchExpressions[0].values',
    'must have a value for the operators In and NotIn',
  ),
  refusal(
    { replicaSelector: { matchExpressions: [{ key: 'rack', operator: 'Exists', values: ['a'] }] } },
    'spec.replicaSelector.matchExpressions[0].values',
    'none for Exists and DoesNotExist',
  ),
  refusal(
    { replicaSelector: { matchExpressions: [{ key: 'rack', operator: 'Near' }] } },
    'spec.replicaSelector.matchExpressions[0].operator',
    'must be In, NotIn, Exists or DoesNotExist',
  ),
  refusal(
    { replicaSelector: { matchLabels: { rack: 7 } } },
    'spec.replicaSelector.matchLabels.rack',
    'must be a text',
  ),
  refusal(
    { replicaSelector: { matchLabels: { rack: 'r'.repeat(64) } } },
    'spec.replicaSelector.matchLabels.rack',
    'at most 63 characters',
  ),
];

export const BGP_PEER_CASES: KindCases = {
  kind: 'BGPPeer',
  name: 'tor-1',
  spec: { peerAddress: '192.0.2.1', peerASN: 64512 },
  accepted: [
    {},
    { peerAddress: '2001:DB8:0::1' },
    { peerAddress: '169.254.10.1' },
    { peerAddress: '64:ff9b::192.0.2.33' },
    { peerPort: 1 },
    { peerPort: 65535 },
    { peerASN: 1 },
    { peerASN: 4294967294 },
    { peerASN: undefined, dynamicASN: 'external', localASN: 65001 },
    { peerASN: undefined, dynamicASN: 'internal', rank: { mode: 'LocalPref' } },
    { rank: { mode: 'LocalPref', base: 1_000_000_000 } },
    { rank: { base: 4_000_000_000 } },
    { sourceAddress: '198.51.100.7' },
    { holdTime: '0s' },
    { holdTime: '0s', keepaliveTime: '0s' },
    { holdTime: '3s', keepaliveTime: '1s' },
    { holdTime: '1m30s', keepaliveTime: '30s' },
    { holdTime: '18h12m15s' },
    { connectTime: '1s' },
    { ebgpMultiHop: 1 },
    { ebgpMultiHop: 255 },
    { ttlSecurityHops: 254 },
    { passwordSecret: { name: 'herald-bgp', key: 'tor-1' } },
    { addressFamilies: ['IPv6', 'IPv4'] },
    { addPaths: { mode: 'Disabled', maxPaths: 1024 } },
    { maxRoutes: 1, maxNextHopSets: 1 },
    { gracefulRestart: { enabled: true, restartTime: '4095s', longLivedStaleTime: '16777215s' } },
    { bfd: {} },
    { bfd: { receiveInterval: 10, transmitInterval: 60_000, detectMultiplier: 255, minimumTTL: 1 } },
    { nextHop: { type: 'Annotation', annotation: 'example.com/bgp-address' } },
    { nextHop: { type: 'ExternalIP', cidrs: ['10.0.0.0/8', '2001:db8::/32', '0.0.0.0/0'] } },
    { replicaSelector: { matchLabels: { rack: 'a' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] } },
    { shutdown: true },
  ],
  refused: [...addresses, ...numbers, ...timers, ...parts, ...nextHops],
};
