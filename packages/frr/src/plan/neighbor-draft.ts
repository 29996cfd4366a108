// A neighbour while it is planned: its lines without the words `neighbor ADDRESS` in front, per scope.
// An empty family list means that the family is not activated. No decision here, only the shape and the
// way it becomes part of an instance.

import type { BgpInstance, FamilyConfig, FamilyHeader, NeighborConfig } from './frr-config.ts';

export interface NeighborDraft {
  readonly address: string;
  readonly lines: readonly string[];
  readonly families: { readonly 4: readonly string[]; readonly 6: readonly string[] };
}

export function instance(
  header: string,
  settings: readonly string[],
  drafts: readonly NeighborDraft[],
): BgpInstance {
  return {
    header,
    settings,
    neighbors: drafts.map(neighborConfig),
    families: [familyConfig('ipv4 unicast', 4, drafts), familyConfig('ipv6 unicast', 6, drafts)],
  };
}

function neighborConfig(draft: NeighborDraft): NeighborConfig {
  return { address: draft.address, lines: prefixed(draft.address, draft.lines) };
}

function familyConfig(header: FamilyHeader, family: 4 | 6, drafts: readonly NeighborDraft[]): FamilyConfig {
  return { header, lines: drafts.flatMap((draft) => prefixed(draft.address, draft.families[family])) };
}

function prefixed(address: string, lines: readonly string[]): string[] {
  return lines.map((line) => `neighbor ${address} ${line}`);
}
