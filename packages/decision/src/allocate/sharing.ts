// When Services may hold one address, by MetalLB's rules: all name the same sharing key, no two use the same
// port, and all have policy Cluster or the same pods behind policy Local. And who loses an address that
// Services hold without being allowed to (a delayed write of an old leader, an edit of what they share by).
//
// The lower term keeps it, then the older Service, then the lower UID. The objects say all of that, so every
// replica names the same losers, whatever it saw before and whenever it started. The price: of Services that
// share an address and fall out by an edit, it is not always the edited one that moves.

import type { Reason, Service } from '@herald/api';
import { compareText } from '../peers/peer-order.ts';
import { readSharingKey } from './address-request.ts';
import type { Spellings } from './address-request.ts';

export interface SharingTerms {
  /** '' does not share. */
  readonly key: string;
  /** Equal for Services whose traffic policies go together on one address. */
  readonly backend: string;
  /** protocol/port */
  readonly ports: readonly string[];
}

/**
 * `served`: the API shows it on a LoadBalancer Service. `shown`: on one of another type, which gives it back.
 * `wanted`: a write that is not there yet, and that only the leader knows of.
 */
export type Standing = 'served' | 'shown' | 'wanted';

export interface Holder {
  readonly serviceKey: string;
  readonly uid: string;
  readonly createdAt: number;
  /** Of the leadership that wrote the address; see written-marks. */
  readonly term: number;
  readonly terms: SharingTerms;
  readonly standing: Standing;
}

export function sharingTerms(service: Service, spellings: Spellings): SharingTerms {
  const local = service.externalTrafficPolicy === 'Local';
  return {
    key: readSharingKey(service, spellings),
    // A selector means the same pods only inside one namespace.
    backend: local ? `Local|${service.namespace}|${service.selector}` : 'Cluster',
    ports: service.ports.map(({ protocol, port }) => `${protocol}/${port}`),
  };
}

export function sameTerms(a: SharingTerms, b: SharingTerms): boolean {
  return (
    a === b ||
    (a.key === b.key &&
      a.backend === b.backend &&
      a.ports.length === b.ports.length &&
      a.ports.every((port, i) => port === b.ports[i]))
  );
}

/** Why two Services may not hold one address; undefined when they may. */
export function sharingProblem(a: SharingTerms, b: SharingTerms): Reason | undefined {
  if (a.key === '' || b.key === '') {
    return 'AddressInUse';
  }
  if (a.key !== b.key) {
    return 'SharingKeyDiffers';
  }
  if (a.backend !== b.backend) {
    return 'SharingPolicyClash';
  }
  return a.ports.some((port) => b.ports.includes(port)) ? 'SharingPortClash' : undefined;
}

/** Keys of the Services that may not keep an address that all of the holders have. */
export function losersAmong(holders: readonly Holder[]): readonly string[] {
  const [first, ...others] = holders.toSorted(compareClaims);
  const losers: string[] = [];
  // Those that keep it go together, so they differ from the first in nothing but their ports.
  const ports = new Set(first?.terms.ports);
  for (const { serviceKey, terms } of others) {
    const clash = first && sharingProblem(first.terms, terms);
    if (clash !== undefined || terms.ports.some((port) => ports.has(port))) {
      losers.push(serviceKey);
    } else {
      terms.ports.forEach((port) => ports.add(port));
    }
  }
  return losers;
}

/** What is wanted comes last: who loses of the others must not depend on what one replica wants. */
const BY_STANDING: Readonly<Record<Standing, number>> = { served: 0, shown: 1, wanted: 2 };

function compareClaims(a: Holder, b: Holder): number {
  return (
    BY_STANDING[a.standing] - BY_STANDING[b.standing] ||
    a.term - b.term ||
    a.createdAt - b.createdAt ||
    compareText(a.uid, b.uid) ||
    compareText(a.serviceKey, b.serviceKey)
  );
}
