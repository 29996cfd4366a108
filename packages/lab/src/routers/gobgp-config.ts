/**
 * RouterOptions -> gobgpd.conf (GoBGP 3, TOML) for a router of the lab.
 *
 * GoBGP programs no kernel here: it is in the lab for its BGP, as a strict second reader of what we send. Pure text.
 */
import { gobgpImportPolicy } from './gobgp-policy.ts';
import type { IpFamily } from '../namespace.ts';
import type { ListenRangeOptions, NeighborOptions, PeerOptions, RouterOptions } from './router.ts';
import { familiesOf, refuseRangePasswords, receivesAddPath, sendsAddPath } from './router.ts';

export function gobgpConfig(options: RouterOptions): string {
  refuseRangePasswords('GoBGP', options);
  return [
    '[global.config]',
    `  as = ${options.asn}`,
    `  router-id = "${options.routerId}"`,
    ...(options.neighbors ?? []).flatMap((peer) => neighbor(peer, options.asn)),
    ...(options.listenRanges ?? []).flatMap((range, index) => listenRange(range, index, options.asn)),
    ...gobgpImportPolicy(options),
    options.extra ?? '',
    '',
  ].join('\n');
}

function listenRange(range: ListenRangeOptions, index: number, asn: number): string[] {
  return [
    '[[peer-groups]]',
    '  [peer-groups.config]',
    `    peer-group-name = "range${index}"`,
    ...peerConfig(range, asn),
    ...sections('peer-groups', range),
    '[[dynamic-neighbors]]',
    '  [dynamic-neighbors.config]',
    `    prefix = "${range.range}"`,
    `    peer-group = "range${index}"`,
  ];
}

function neighbor(peer: NeighborOptions, asn: number): string[] {
  return [
    '[[neighbors]]',
    '  [neighbors.config]',
    `    neighbor-address = "${peer.address}"`,
    ...peerConfig(peer, asn),
    ...sections('neighbors', peer),
  ];
}

function peerConfig(peer: PeerOptions, asn: number): string[] {
  const remote = peer.asn === 'internal' ? asn : peer.asn;
  return [
    // Without an ASN GoBGP takes whatever the neighbour says: its way of "external".
    ...(remote === 'external' ? [] : [`    peer-as = ${remote}`]),
    ...(peer.password === undefined ? [] : [`    auth-password = "${peer.password}"`]),
  ];
}

function sections(table: 'neighbors' | 'peer-groups', peer: PeerOptions): string[] {
  const hold = peer.holdTimeSeconds ?? 9;
  return [
    `  [${table}.timers.config]`,
    `    connect-retry = ${peer.connectRetrySeconds ?? 1}`,
    `    hold-time = ${hold}`,
    `    keepalive-interval = ${Math.max(1, Math.floor(hold / 3))}`,
    '    idle-hold-time-after-reset = 1',
    ...transport(table, peer),
    ...(peer.multihop === undefined
      ? []
      : [`  [${table}.ebgp-multihop.config]`, '    enabled = true', `    multihop-ttl = ${peer.multihop}`]),
    ...(peer.ttlSecurityHops === undefined
      ? []
      : [
          `  [${table}.ttl-security.config]`,
          '    enabled = true',
          `    ttl-min = ${256 - peer.ttlSecurityHops}`,
        ]),
    ...familiesOf(peer).flatMap((family) => familySection(table, family, peer)),
  ];
}

function transport(table: string, peer: PeerOptions): string[] {
  const lines = [
    ...(peer.passive === true ? ['    passive-mode = true'] : []),
    ...(peer.localAddress === undefined ? [] : [`    local-address = "${peer.localAddress}"`]),
    ...(peer.port === undefined ? [] : [`    remote-port = ${peer.port}`]),
  ];
  return lines.length === 0 ? [] : [`  [${table}.transport.config]`, ...lines];
}

function familySection(table: string, family: IpFamily, peer: PeerOptions): string[] {
  return [
    `  [[${table}.afi-safis]]`,
    `    [${table}.afi-safis.config]`,
    `      afi-safi-name = "ipv${family}-unicast"`,
    `    [${table}.afi-safis.add-paths.config]`,
    `      receive = ${receivesAddPath(peer, family)}`,
    ...(sendsAddPath(peer, family) ? ['      send-max = 64'] : []),
    ...(peer.maxPrefixes === undefined
      ? []
      : [`    [${table}.afi-safis.prefix-limit.config]`, `      max-prefixes = ${peer.maxPrefixes}`]),
  ];
}
