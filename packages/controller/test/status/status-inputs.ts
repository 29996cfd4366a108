// Builders of a World, a Decision and what replicas say, as far as statuses read them.

import type { Fault, HeraldReplicaStatus, Peer, Pool, Service } from '@herald/api';
import type {
  AdvertisementVerdict,
  Decision,
  PeerVerdict,
  PoolVerdict,
  ServiceVerdict,
  World,
} from '@herald/decision';
import { address, PersistentMap, prefix, range } from '@herald/net';
import { exportTag, pathAttributes, type PrefixRoutes, type RouteTable } from '@herald/net';

import type { StatusInputs } from '../../src/status/status.ts';
import { plan } from '../session-plan.ts';

export const NOW = Date.UTC(2026, 4, 1, 12);
export const NOW_TEXT = '2026-05-01T12:00:00Z';
export const LATER = NOW + 61_000;
export const LATER_TEXT = '2026-05-01T12:01:01Z';

const meta = (name: string) => ({ name, uid: `uid-${name}`, createdAt: 0, labels: {} });

export function service(key: string, changes: Partial<Service> = {}): Service {
  const [namespace = '', name = ''] = key.split('/');
  return {
    ...meta(name),
    kind: 'Service',
    namespace,
    key,
    annotations: {},
    ingress: [],
    ingressNamesHost: false,
    ...changes,
  } as Service;
}

/** With addresses that Herald gave. */
export function holding(key: string, addresses: readonly string[], changes: Partial<Service> = {}): Service {
  const annotations = { 'heraldbgp.io/allocated-addresses': addresses.join(',') };
  return service(key, { annotations, ingress: addresses.map(address), ...changes });
}

export function verdict(
  reason: ServiceVerdict['reason'],
  changes: Partial<ServiceVerdict> = {},
): ServiceVerdict {
  return { announced: reason === 'Advertised', reason, prefixes: [], nextHops: 0, remarks: [], ...changes };
}

export function bgpPeer(name: string, changes: Partial<Peer> = {}): Peer {
  return { ...meta(name), kind: 'BGPPeer', shutdown: false, rank: { mode: 'MED' }, ...changes } as Peer;
}

export function pool(name: string, ...ranges: readonly string[]): Pool {
  return { ...meta(name), kind: 'IPAddressPool', ranges: ranges.map(range) } as unknown as Pool;
}

export function peerVerdict(
  reason: PeerVerdict['reason'] = 'Accepted',
  accepted: PeerVerdict['accepted'] = true,
): PeerVerdict {
  return { accepted, reason, message: `about ${reason}`, instance: 'shared' };
}

export function poolVerdict(
  [assigned4, available4]: readonly [number, number],
  [assigned6, available6]: readonly [number, number] = [0, 0],
  changes: Partial<PoolVerdict> = {},
): PoolVerdict {
  const counts = {
    4: { assigned: assigned4, available: available4 },
    6: { assigned: assigned6, available: available6 },
  };
  return { accepted: true, reason: 'Accepted', message: 'The pool gives addresses.', counts, ...changes };
}

export function advertisementVerdict(
  reason: AdvertisementVerdict['reason'],
  services: number,
  accepted: AdvertisementVerdict['accepted'] = true,
): AdvertisementVerdict {
  return {
    accepted,
    reason,
    services,
    prefixes: 2 * services,
    message: reason === 'Accepted' ? '' : `about ${reason}`,
  };
}

export function mapOf<T>(entries: Readonly<Record<string, T>>): PersistentMap<T> {
  return PersistentMap.from(Object.entries(entries));
}

export function byKey<T extends { readonly key: string }>(...items: readonly T[]): PersistentMap<T> {
  return PersistentMap.from(items.map((item) => [item.key, item]));
}

export function byName<T extends { readonly name: string }>(...items: readonly T[]): PersistentMap<T> {
  return PersistentMap.from(items.map((item) => [item.name, item]));
}

const EMPTY = PersistentMap.empty<never>();

export function world(changes: Partial<World> = {}): World {
  return {
    now: NOW,
    services: EMPTY,
    peers: EMPTY,
    pools: EMPTY,
    advertisements: EMPTY,
    sessions: EMPTY,
    replica: { name: 'herald-a', labels: {}, ordinal: 0 },
    leadership: { leading: true, term: 5 },
    ...changes,
  } as World;
}

export function decision(changes: Partial<Decision> = {}): Decision {
  return {
    allocations: [],
    tables: { shared: EMPTY, views: new Map() },
    sessions: plan(),
    services: EMPTY,
    peers: EMPTY,
    pools: EMPTY,
    advertisements: EMPTY,
    peerRoutes: EMPTY,
    unmet: EMPTY,
    ...changes,
  } as Decision;
}

export interface Changes {
  readonly world?: Partial<World>;
  readonly decision?: Partial<Decision>;
  readonly faults?: readonly Fault[];
  readonly own?: HeraldReplicaStatus;
  readonly replicas?: Readonly<Record<string, HeraldReplicaStatus>>;
}

export function inputs(changes: Changes = {}): StatusInputs {
  return {
    world: world(changes.world),
    decision: decision(changes.decision),
    faults: changes.faults ?? [],
    own: changes.own ?? {},
    replicas: new Map(Object.entries(changes.replicas ?? {})),
  };
}

/** Prefix -> its paths, each as the tags that it carries. */
export function table(entries: Readonly<Record<string, readonly (readonly number[])[]>>): RouteTable {
  return PersistentMap.from(
    Object.entries(entries).map(([text, paths]): [string, PrefixRoutes] => [
      text,
      {
        prefix: prefix(text),
        paths: paths.map((tags, index) => ({
          pathId: index + 1,
          nextHop: address(text.includes(':') ? `2001:db8:1::${index + 1}` : `10.0.0.${index + 1}`),
          attributes: pathAttributes({
            asPath: [],
            localPref: 100,
            med: 1,
            communities: [],
            largeCommunities: tags.map(exportTag),
            linkBandwidth: undefined,
          }),
        })),
      },
    ]),
  );
}
