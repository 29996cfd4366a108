/**
 * RouterOptions -> bird.conf (BIRD 2) for a router of the lab.
 *
 * Next hops of eBGP neighbours are resolved through the router's own links, since they are third parties; several
 * equal paths are merged into one kernel route. Pure text.
 */
import type { IpFamily } from '../namespace.ts';
import type { PeerOptions, RouterOptions } from './router.ts';
import { DEFAULT_MAXIMUM_PATHS, familiesOf, familyOf, receivesAddPath, sendsAddPath } from './router.ts';

export function birdConfig(options: RouterOptions): string {
  const paths = options.maximumPaths ?? DEFAULT_MAXIMUM_PATHS;
  return [
    'log stderr all;',
    `router id ${options.routerId};`,
    'debug protocols { states };',
    'protocol device { scan time 1; }',
    'protocol direct { ipv4; ipv6; }',
    kernelProtocol(4, paths),
    kernelProtocol(6, paths),
    ...staticProtocols(options.originates ?? []),
    ...(options.neighbors ?? []).map((peer, index) =>
      bgpProtocol(`peer${index}`, `neighbor ${peer.address}${port(peer)} ${asn(peer)};`, peer, options),
    ),
    ...(options.listenRanges ?? []).map((range, index) =>
      bgpProtocol(
        `range${index}`,
        `neighbor range ${range.range} ${asn(range)};\n  dynamic name "dynamic${index}x";`,
        range,
        options,
      ),
    ),
    options.extra ?? '',
    '',
  ].join('\n');
}

function kernelProtocol(family: IpFamily, paths: number): string {
  return [
    `protocol kernel kernel${family} {`,
    `  merge paths on limit ${paths};`,
    // Only what was learned by BGP: the links' own routes are in the kernel already.
    `  ipv${family} { import none; export where source = RTS_BGP; };`,
    '}',
  ].join('\n');
}

function staticProtocols(prefixes: readonly string[]): string[] {
  return ([4, 6] as const).flatMap((family) => {
    const routes = prefixes.filter((prefix) => familyOf(prefix) === family);
    if (routes.length === 0) return [];
    const lines = routes.map((prefix) => `  route ${prefix} blackhole;`);
    return [[`protocol static originated${family} {`, `  ipv${family};`, ...lines, '}'].join('\n')];
  });
}

function bgpProtocol(name: string, neighbor: string, peer: PeerOptions, options: RouterOptions): string {
  const hold = peer.holdTimeSeconds ?? 9;
  return [
    `protocol bgp ${name} {`,
    `  local${peer.localAddress === undefined ? '' : ` ${peer.localAddress}`} as ${options.asn};`,
    `  ${neighbor}`,
    `  hold time ${hold};`,
    `  keepalive time ${Math.max(1, Math.floor(hold / 3))};`,
    `  connect retry time ${peer.connectRetrySeconds ?? 1};`,
    '  connect delay time 1;',
    '  error wait time 1, 5;',
    ...transport(peer),
    ...familiesOf(peer).map((family) => channel(family, peer)),
    '}',
  ].join('\n');
}

function transport(peer: PeerOptions): string[] {
  return [
    ...(peer.passive === true ? ['  passive on;'] : []),
    ...(peer.password === undefined ? [] : [`  password "${peer.password}";`]),
    ...(peer.multihop === undefined ? [] : [`  multihop ${peer.multihop};`]),
    ...(peer.ttlSecurityHops === undefined
      ? []
      : [`  multihop ${peer.ttlSecurityHops};`, '  ttl security on;']),
    ...(peer.routeReflectorClient === true ? ['  rr client;'] : []),
    ...gracefulRestart(peer),
  ];
}

function gracefulRestart(peer: PeerOptions): string[] {
  if (peer.gracefulRestart === undefined) return [];
  const words = { off: 'off', helper: 'aware', full: 'on' };
  return [`  graceful restart ${words[peer.gracefulRestart]};`];
}

function channel(family: IpFamily, peer: PeerOptions): string {
  const addPaths = addPathWord(receivesAddPath(peer, family), sendsAddPath(peer, family));
  return [
    `  ipv${family} {`,
    `    import ${importFilter(family, peer)};`,
    '    export where source ~ [ RTS_BGP, RTS_STATIC ];',
    '    gateway recursive;',
    ...(addPaths === undefined ? [] : [`    add paths ${addPaths};`]),
    ...(peer.maxPrefixes === undefined ? [] : [`    receive limit ${peer.maxPrefixes} action restart;`]),
    ...(peer.nextHopSelf === true ? ['    next hop self;'] : []),
    '  };',
  ].join('\n');
}

/** `+` accepts the prefix and everything inside it. */
function importFilter(family: IpFamily, peer: PeerOptions): string {
  const accepted = peer.importPrefixes?.filter((prefix) => familyOf(prefix) === family);
  if (accepted === undefined) return 'all';
  if (accepted.length === 0) return 'none';
  return `where net ~ [ ${accepted.map((prefix) => `${prefix}+`).join(', ')} ]`;
}

function addPathWord(receives: boolean, sends: boolean): string | undefined {
  if (receives) return sends ? 'on' : 'rx';
  return sends ? 'tx' : undefined;
}

function port(peer: PeerOptions): string {
  return peer.port === undefined ? '' : ` port ${peer.port}`;
}

function asn(peer: PeerOptions): string {
  return typeof peer.asn === 'number' ? `as ${peer.asn}` : peer.asn;
}
