// The whole configuration of one bgpd, decided down to the words of every line, as plain sorted data.
// The renderer only lays it out: it may indent and put `exit` where FRR wants it, and nothing else.
//
// Lines that equal FRR's default are absent, because bgpd does not print them back and the comparison
// with what runs would find a difference for ever.

export interface FrrConfig {
  /** Lines at the top: log targets and process-wide BGP settings. */
  readonly globals: readonly string[];
  readonly lists: readonly FilterList[];
  readonly routeMaps: readonly RouteMap[];
  /** The default instance first, then views by number. */
  readonly instances: readonly BgpInstance[];
}

/** A prefix list or large-community list. */
export interface FilterList {
  readonly name: string;
  readonly lines: readonly string[];
}

export interface RouteMap {
  readonly name: string;
  readonly clauses: readonly RouteMapClause[];
}

export interface RouteMapClause {
  readonly header: string;
  readonly lines: readonly string[];
}

export interface BgpInstance {
  /** `router bgp 65000` or `router bgp 65000 view plain-7`. */
  readonly header: string;
  readonly settings: readonly string[];
  readonly neighbors: readonly NeighborConfig[];
  /** Lines below `address-family`, of all neighbours in their order. */
  readonly families: readonly FamilyConfig[];
}

export interface NeighborConfig {
  readonly address: string;
  readonly lines: readonly string[];
}

export interface FamilyConfig {
  readonly header: FamilyHeader;
  readonly lines: readonly string[];
}

export type FamilyHeader = 'ipv4 unicast' | 'ipv6 unicast';
