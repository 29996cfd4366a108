// When Services may hold one address, by MetalLB's rules: all name the same sharing key, no two use the same
// port, and all have policy Cluster or the same pods behind policy Local. And who loses an address that
// Services hold without being allowed to.
//
// The ones that held it rightly before keep it, so an edit of one Service never costs another its address;
// where nobody did (a start, a delayed write of an old leader) the older Service keeps it, then the lower UID.

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

export interface Holder {
  readonly serviceKey: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly terms: SharingTerms;
  /** The API says that a LoadBalancer Service has the address; false for a write that is still wanted. */
  readonly firm: boolean;
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

/** Keys of the Services that may not keep an address; `rightful` are the holders that kept it last time. */
export function losersAmong(holders: readonly Holder[], rightful: readonly Holder[]): readonly string[] {
  const before = new Map(rightful.map((holder) => [holder.serviceKey, holder]));
  const incumbent = (holder: Holder): boolean => {
    const known = before.get(holder.serviceKey);
    return known?.uid === holder.uid && sameTerms(known.terms, holder.terms);
  };
  const kept: Holder[] = [];
  const losers: string[] = [];
  for (const holder of holders.toSorted((a, b) => compareClaims(a, b, incumbent))) {
    if (kept.some((other) => sharingProblem(other.terms, holder.terms) !== undefined)) {
      losers.push(holder.serviceKey);
    } else {
      kept.push(holder);
    }
  }
  return losers;
}

function compareClaims(a: Holder, b: Holder, incumbent: (holder: Holder) => boolean): number {
  return (
    Number(b.firm) - Number(a.firm) ||
    Number(incumbent(b)) - Number(incumbent(a)) ||
    a.createdAt - b.createdAt ||
    compareText(a.uid, b.uid) ||
    compareText(a.serviceKey, b.serviceKey)
  );
}
