// Whether a Service can be announced at all, whatever its nodes: an ordered list of checks on the Service,
// its addresses and its endpoints. The subject works out what a check asks for on first use, so a Service
// that fails early costs nothing more.

import type { EndpointSlice, Reason, Service } from '@herald/api';
import type { Address, Family } from '@herald/net';
import type { AdvertisementSet } from '../routes/advertisement-set.ts';
import { usableEndpoints } from '../routes/endpoints.ts';
import type { UsableEndpoints } from '../routes/endpoints.ts';
import type { Policy } from '../routes/policy.ts';
import type { Check } from './check.ts';

export interface PlacedAddress {
  readonly address: Address;
  readonly pool: string | undefined;
  readonly advertisements: AdvertisementSet | undefined;
}

export class ServiceSubject {
  readonly service: Service;
  readonly policy: Policy;
  /** What address allocation says against announcing it. */
  readonly refusal: Reason | undefined;
  readonly #slices: readonly EndpointSlice[];
  readonly #endpoints = new Map<Family, UsableEndpoints>();
  #addresses: readonly PlacedAddress[] | undefined;

  constructor(
    service: Service,
    policy: Policy,
    slices: readonly EndpointSlice[],
    refusal: Reason | undefined,
  ) {
    this.service = service;
    this.policy = policy;
    this.refusal = refusal;
    this.#slices = slices;
  }

  addresses(): readonly PlacedAddress[] {
    this.#addresses ??= this.service.ingress.map((address) => {
      const pool = this.policy.poolOf(address);
      return { address, pool, advertisements: this.policy.advertising(this.service, pool) };
    });
    return this.#addresses;
  }

  endpoints(family: Family): UsableEndpoints {
    let usable = this.#endpoints.get(family);
    if (!usable) {
      usable = usableEndpoints(this.#slices, family, this.service.externalTrafficPolicy);
      this.#endpoints.set(family, usable);
    }
    return usable;
  }

  canServe(family: Family): boolean {
    const { nodes, nameless } = this.endpoints(family);
    // Under Local only a node that has an endpoint can serve, and a nameless endpoint is on no node.
    return nodes.length > 0 || (nameless > 0 && this.service.externalTrafficPolicy === 'Cluster');
  }
}

export const SERVICE_CHECKS: readonly Check<ServiceSubject>[] = [
  { reason: 'NotLoadBalancer', passes: ({ service }) => service.type === 'LoadBalancer' },
  {
    reason: 'NotOurClass',
    passes: ({ service, policy }) => service.loadBalancerClass === policy.settings.loadBalancerClass,
  },
  { reason: 'ServiceDeleted', passes: ({ service }) => !service.deleting },
  {
    // Who has a host of somebody else's instead of an address lacks none: the other refusal says it.
    reason: 'NoAddress',
    passes: ({ service, refusal }) => service.ingress.length > 0 || refusal === 'AddressNotOurs',
  },
  { reason: 'AddressConflict', passes: ({ refusal }) => refusal !== 'AddressConflict' },
  { reason: 'AddressNotOurs', passes: ({ refusal }) => refusal !== 'AddressNotOurs' },
  {
    // Addresses of another IPAM are announced as they are.
    reason: 'AddressNotInPool',
    passes: (subject) =>
      !subject.policy.settings.ipam || subject.addresses().some(({ pool }) => pool !== undefined),
  },
  { reason: 'NoAdvertisement', passes: (subject) => advertised(subject).length > 0 },
  {
    reason: 'NoUsableEndpoint',
    passes: (subject) => advertised(subject).some(({ address }) => subject.canServe(address.family)),
  },
];

/** The addresses that something announces, whether or not anything can serve them. */
export function advertised(subject: ServiceSubject): PlacedAddress[] {
  const poolNeeded = subject.policy.settings.ipam;
  return subject
    .addresses()
    .filter(
      ({ advertisements, pool }) => advertisements !== undefined && (!poolNeeded || pool !== undefined),
    );
}

/** The addresses that go on to become prefixes. */
export function announceable(subject: ServiceSubject): PlacedAddress[] {
  return advertised(subject).filter(({ address }) => subject.canServe(address.family));
}
