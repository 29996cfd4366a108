/**
 * RouterOptions -> bgpd.conf (OpenBGPD 7.7, portable) for a router of the lab.
 *
 * The portable daemon programs no kernel on Linux; it is in the lab for its BGP. Pure text.
 */
import type { IpFamily } from '../namespace.ts';
import type { PeerOptions, RouterOptions } from './router.ts';
import { familiesOf, familyOf, receivesAddPath, refuseRangePasswords, sendsAddPath } from './router.ts';

export function openbgpdConfig(options: RouterOptions, socket: string): string {
  refuseRangePasswords('OpenBGPD', options);
  const peers = [
    ...(options.neighbors ?? []).map((peer) => ({ target: peer.address, peer })),
    ...(options.listenRanges ?? []).map((peer) => ({ target: peer.range, peer })),
  ];
  return [
    `AS ${options.asn}`,
    `router-id ${options.routerId}`,
    `socket "${socket}"`,
    'fib-update no',
    // Third parties are next hops here, and there is no kernel table in which to look for them.
    'nexthop qualify via default',
    ...(options.originates ?? []).map((prefix) => `network ${prefix}`),
    ...peers.map(({ target, peer }) => neighbor(target, peer, options.asn)),
    ...peers.flatMap(({ target, peer }) => importRules(target, peer)),
    'allow to any',
    options.extra ?? '',
    '',
  ].join('\n');
}

function neighbor(target: string, peer: PeerOptions, asn: number): string {
  const hold = peer.holdTimeSeconds ?? 9;
  return [
    `neighbor ${target} {`,
    `  ${remoteAs(peer, asn)}`,
    `  holdtime ${hold}`,
    ...([4, 6] as const).map(
      (family) => `  announce IPv${family} ${familiesOf(peer).includes(family) ? 'unicast' : 'none'}`,
    ),
    ...addPath(peer),
    ...(peer.passive === true ? ['  passive'] : []),
    ...(peer.multihop === undefined ? [] : [`  multihop ${peer.multihop}`]),
    ...(peer.ttlSecurityHops === undefined ? [] : ['  ttl-security yes']),
    ...(peer.password === undefined ? [] : [`  tcp md5sig password "${peer.password}"`]),
    ...(peer.localAddress === undefined ? [] : [`  local-address ${peer.localAddress}`]),
    ...(peer.port === undefined ? [] : [`  port ${peer.port}`]),
    ...(peer.maxPrefixes === undefined ? [] : [`  max-prefix ${peer.maxPrefixes} restart 1`]),
    ...(peer.gracefulRestart === 'off' ? ['  announce restart no'] : []),
    '}',
  ].join('\n');
}

/** A template without an ASN takes any. */
function remoteAs(peer: PeerOptions, asn: number): string {
  if (peer.asn === 'external') return '# any ASN';
  return `remote-as ${peer.asn === 'internal' ? asn : peer.asn}`;
}

/** One switch for both families. */
function addPath(peer: PeerOptions): string[] {
  const any = (test: (family: IpFamily) => boolean): boolean => familiesOf(peer).some(test);
  return [
    `  announce add-path recv ${any((family) => receivesAddPath(peer, family)) ? 'yes' : 'no'}`,
    ...(any((family) => sendsAddPath(peer, family)) ? ['  announce add-path send all'] : []),
  ];
}

function importRules(target: string, peer: PeerOptions): string[] {
  // Rules name neighbours by address, which a template does not have.
  const from = target.includes('/') ? 'any' : target;
  if (peer.importPrefixes === undefined) return [`allow from ${from}`];
  return peer.importPrefixes.map(
    (prefix) => `allow from ${from} prefix ${prefix} prefixlen <= ${familyOf(prefix) === 4 ? 32 : 128}`,
  );
}
