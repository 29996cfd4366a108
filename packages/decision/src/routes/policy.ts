// The policy in force: advertisements, pools and peers as one compiled value, made anew when one of them
// changes and shared by all routes until then. Advertisements that are refused are not in it at all, so that
// they can only narrow.
//
// Also answers which advertisements meet at an address: pool (by range, the older pool where two overlap)
// and Service labels.

import { matchesAny } from '@herald/api';
import type { Advertisement, Pool, Service } from '@herald/api';
import { INTERNAL_ADMINISTRATOR, rangeContains } from '@herald/net';
import type { Address, PersistentMap } from '@herald/net';
import type { ResolvedPeer } from '../peers/resolved-peer.ts';
import type { DecisionSettings } from '../world.ts';
import { AdvertisementSets } from './advertisement-set.ts';
import type { AdvertisementSet } from './advertisement-set.ts';
import { peerGroups, restrictsPeers } from './peer-group.ts';
import type { PeerGroup } from './peer-group.ts';

export interface PolicyInputs {
  readonly settings: DecisionSettings;
  readonly peers: readonly ResolvedPeer[];
  readonly pools: PersistentMap<Pool>;
  readonly advertisements: PersistentMap<Advertisement>;
}

export class Policy {
  readonly settings: DecisionSettings;
  readonly sets = new AdvertisementSets();
  /** Sorted by key. */
  readonly groups: readonly PeerGroup[];
  /** Names of advertisements that are for some peers only. */
  readonly restricted: ReadonlySet<string>;
  /** Node annotations that next hops are taken from. */
  readonly annotations: readonly string[];
  /** Whether a node's labels can matter for a route. */
  readonly selectsNodes: boolean;
  readonly #accepted: readonly Advertisement[];
  readonly #pools: readonly Pool[];
  readonly #selectedPools: ReadonlyMap<Advertisement, ReadonlySet<string>>;

  constructor({ settings, peers, pools, advertisements }: PolicyInputs) {
    this.settings = settings;
    this.#accepted = [...advertisements.values()].filter((each) => !usesReservedCommunity(each)).sort(byName);
    this.#pools = [...pools.values()].sort(byAge);
    this.#selectedPools = new Map(this.#accepted.map((each) => [each, poolsOf(each, this.#pools)]));
    this.groups = peerGroups(peers, this.#accepted, this.sets, settings.asn);
    this.restricted = new Set(this.#accepted.filter(restrictsPeers).map(({ name }) => name));
    this.annotations = [
      ...new Set(this.groups.flatMap(({ fields }) => fields.nextHop.annotation ?? [])),
    ].sort();
    this.selectsNodes = this.#accepted.some(({ nodeSelectors }) => nodeSelectors.length > 0);
  }

  poolOf(address: Address): string | undefined {
    return this.#pools.find(({ ranges }) => ranges.some((range) => holds(range, address)))?.name;
  }

  /** The advertisements that select this address of the Service; undefined when none does. */
  advertising(service: Service, pool: string | undefined): AdvertisementSet | undefined {
    return this.sets.of(
      this.#accepted.filter(
        (each) =>
          this.#selectsPool(each, pool) &&
          (each.serviceSelectors.length === 0 || matchesAny(each.serviceSelectors, service.labels)),
      ),
    );
  }

  #selectsPool(advertisement: Advertisement, pool: string | undefined): boolean {
    return (
      !restrictsPools(advertisement) ||
      (pool !== undefined && this.#selectedPools.get(advertisement)?.has(pool) === true)
    );
  }
}

export function usesReservedCommunity({ communities }: Advertisement): boolean {
  return communities.some((each) => each.kind === 'large' && each.global === INTERNAL_ADMINISTRATOR);
}

function holds(range: Pool['ranges'][number], address: Address): boolean {
  return range.family === address.family && rangeContains(range, address);
}

function poolsOf(advertisement: Advertisement, pools: readonly Pool[]): ReadonlySet<string> {
  const { poolSelectors } = advertisement;
  const byLabel =
    poolSelectors.length === 0 ? [] : pools.filter(({ labels }) => matchesAny(poolSelectors, labels));
  return new Set([...advertisement.pools, ...byLabel.map(({ name }) => name)]);
}

function restrictsPools({ pools, poolSelectors }: Advertisement): boolean {
  return pools.length + poolSelectors.length > 0;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** The order of all claims: the older object first, of equally old ones the first name. */
function byAge(a: Pool, b: Pool): number {
  return a.createdAt - b.createdAt || byName(a, b);
}
