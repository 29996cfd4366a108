/**
 * RouterOptions -> frr.conf for a router of the lab (not for the pods: their configuration is the product's).
 *
 * Decides the defaults of a lab router: eBGP needs no policy unless asked for, ECMP over different neighbours, quick
 * connect retries. Pure text.
 */
import type { ListenRangeOptions, PeerOptions, RouterOptions } from './router.ts';
import { DEFAULT_MAXIMUM_PATHS, familiesOf, familyOf, receivesAddPath, sendsAddPath } from './router.ts';
import type { IpFamily } from '../namespace.ts';

interface NamedPeer {
  /** A neighbour's address or a peer group. */
  readonly name: string;
  readonly peer: PeerOptions;
}

export function frrConfig(options: RouterOptions): string {
  const ranges = (options.listenRanges ?? []).map(rangePeer);
  const neighbors = (options.neighbors ?? []).map((peer): NamedPeer => ({ name: peer.address, peer }));
  const peers = [...ranges, ...neighbors];
  return [
    'frr defaults datacenter',
    ...peers.flatMap(importFilter),
    `router bgp ${options.asn}`,
    ` bgp router-id ${options.routerId}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp default ipv4-unicast',
    ' no bgp network import-check',
    // Default five seconds: a test would wait that long for a filter to count.
    ' bgp route-map delay-timer 1',
    ' bgp bestpath as-path multipath-relax',
    ...ranges.map(({ name }) => ` neighbor ${name} peer-group`),
    ...peers.flatMap(neighborLines),
    ...(options.listenRanges ?? []).map(
      (range, index) => ` bgp listen range ${range.range} peer-group RANGE${index}`,
    ),
    ...([4, 6] as const).flatMap((family) => familyBlock(family, peers, options)),
    'exit',
    options.extra ?? '',
    '',
  ].join('\n');
}

function rangePeer(range: ListenRangeOptions, index: number): NamedPeer {
  return { name: `RANGE${index}`, peer: range };
}

function neighborLines({ name, peer }: NamedPeer): string[] {
  const hold = peer.holdTimeSeconds ?? 9;
  const line = (text: string): string => ` neighbor ${name} ${text}`;
  return [
    line(`remote-as ${peer.asn}`),
    line(`timers ${Math.max(1, Math.floor(hold / 3))} ${hold}`),
    line(`timers connect ${peer.connectRetrySeconds ?? 1}`),
    ...given(peer.password, (password) => line(`password ${password}`)),
    ...given(peer.multihop, (hops) => line(`ebgp-multihop ${hops}`)),
    ...given(peer.ttlSecurityHops, (hops) => line(`ttl-security hops ${hops}`)),
    ...given(peer.port, (port) => line(`port ${port}`)),
    ...given(peer.localAddress, (address) => line(`update-source ${address}`)),
    ...(peer.passive === true ? [line('passive')] : []),
    ...gracefulRestart(peer).map(line),
  ];
}

function gracefulRestart(peer: PeerOptions): string[] {
  if (peer.gracefulRestart === undefined) return [];
  const words = {
    off: 'graceful-restart-disable',
    helper: 'graceful-restart-helper',
    full: 'graceful-restart',
  };
  return [words[peer.gracefulRestart]];
}

function familyBlock(family: IpFamily, peers: readonly NamedPeer[], options: RouterOptions): string[] {
  const active = peers.filter(({ peer }) => familiesOf(peer).includes(family));
  const paths = options.maximumPaths ?? DEFAULT_MAXIMUM_PATHS;
  const originated = (options.originates ?? []).filter((prefix) => familyOf(prefix) === family);
  return [
    ` address-family ipv${family} unicast`,
    ...originated.map((prefix) => `  network ${prefix}`),
    `  maximum-paths ${paths}`,
    `  maximum-paths ibgp ${paths}`,
    ...active.flatMap((peer) => familyLines(family, peer)),
    ' exit-address-family',
  ];
}

function familyLines(family: IpFamily, { name, peer }: NamedPeer): string[] {
  const line = (text: string): string => `  neighbor ${name} ${text}`;
  return [
    line('activate'),
    line('soft-reconfiguration inbound'),
    ...(receivesAddPath(peer, family) ? [] : [line('disable-addpath-rx')]),
    ...(sendsAddPath(peer, family) ? [line('addpath-tx-all-paths')] : []),
    ...given(peer.importPrefixes, () => line(`prefix-list ${filterName(name)} in`)),
    ...given(peer.maxPrefixes, (limit) => line(`maximum-prefix ${limit}`)),
    ...(peer.routeReflectorClient === true ? [line('route-reflector-client')] : []),
    ...(peer.nextHopSelf === true ? [line('next-hop-self')] : []),
  ];
}

function importFilter({ name, peer }: NamedPeer): string[] {
  return (peer.importPrefixes ?? []).map((prefix) => {
    const bits = familyOf(prefix) === 4 ? 32 : 128;
    const word = familyOf(prefix) === 4 ? 'ip' : 'ipv6';
    const inside = prefix.endsWith(`/${bits}`) ? '' : ` le ${bits}`;
    return `${word} prefix-list ${filterName(name)} permit ${prefix}${inside}`;
  });
}

function filterName(name: string): string {
  return `IN-${name.replaceAll(/[.:]/g, '-')}`;
}

function given<T>(value: T | undefined, lines: (value: T) => string): string[] {
  return value === undefined ? [] : [lines(value)];
}
