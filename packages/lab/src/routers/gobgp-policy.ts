/**
 * The accepted prefixes of each peer -> GoBGP's import policy (TOML sections).
 *
 * GoBGP has no filter at a neighbour: one global policy names the neighbours by address. A prefix set holds one
 * family only. Peers without a filter are not mentioned and keep the default, accept.
 */
import type { RouterOptions } from './router.ts';
import { familyOf } from './router.ts';
import type { IpFamily } from '../namespace.ts';

interface FilteredPeer {
  readonly name: string;
  readonly neighbor: string;
  readonly accepted: readonly string[];
}

const FAMILIES = [4, 6] as const;

export function gobgpImportPolicy(options: RouterOptions): string[] {
  const peers = filteredPeers(options);
  if (peers.length === 0) return [];
  return [
    '[global.apply-policy.config]',
    '  import-policy-list = ["import"]',
    '  default-import-policy = "accept-route"',
    ...peers.flatMap(definedSets),
    '[[policy-definitions]]',
    '  name = "import"',
    ...peers.flatMap(statements),
  ];
}

function filteredPeers(options: RouterOptions): FilteredPeer[] {
  const all = [
    ...(options.neighbors ?? []).map((peer) => ({ neighbor: peer.address, peer })),
    ...(options.listenRanges ?? []).map((peer) => ({ neighbor: peer.range, peer })),
  ];
  return all.flatMap(({ neighbor, peer }, index) =>
    peer.importPrefixes === undefined
      ? []
      : [{ name: `filter${index}`, neighbor, accepted: peer.importPrefixes }],
  );
}

function definedSets(peer: FilteredPeer): string[] {
  return [
    '[[defined-sets.neighbor-sets]]',
    `  neighbor-set-name = "${peer.name}"`,
    `  neighbor-info-list = ["${peer.neighbor}"]`,
    ...FAMILIES.flatMap((family) => prefixSet(peer, family)),
  ];
}

function prefixSet(peer: FilteredPeer, family: IpFamily): string[] {
  const prefixes = acceptedOf(peer, family);
  if (prefixes.length === 0) return [];
  return [
    '[[defined-sets.prefix-sets]]',
    `  prefix-set-name = "${peer.name}v${family}"`,
    ...prefixes.flatMap((prefix) => [
      '  [[defined-sets.prefix-sets.prefix-list]]',
      `    ip-prefix = "${prefix}"`,
      `    masklength-range = "${prefix.split('/')[1] ?? ''}..${family === 4 ? 32 : 128}"`,
    ]),
  ];
}

function statements(peer: FilteredPeer): string[] {
  const families = FAMILIES.filter((family) => acceptedOf(peer, family).length > 0);
  return [
    ...families.flatMap((family) => statement(peer, 'accept-route', `${peer.name}v${family}`)),
    ...statement(peer, 'reject-route'),
  ];
}

function statement(peer: FilteredPeer, disposition: string, prefixSetName?: string): string[] {
  const table = 'policy-definitions.statements';
  return [
    `  [[${table}]]`,
    `    [${table}.conditions.match-neighbor-set]`,
    `      neighbor-set = "${peer.name}"`,
    ...(prefixSetName === undefined
      ? []
      : [`    [${table}.conditions.match-prefix-set]`, `      prefix-set = "${prefixSetName}"`]),
    `    [${table}.actions]`,
    `      route-disposition = "${disposition}"`,
  ];
}

function acceptedOf(peer: FilteredPeer, family: IpFamily): string[] {
  return peer.accepted.filter((prefix) => familyOf(prefix) === family);
}
