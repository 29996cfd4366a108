// What one Service brings to the table: the prefixes that it is a member of, and the nodes that can serve it.
// Service, its slices, policy and nodes -> ServiceRoutes, or the reason why it brings nothing.
//
// Independent of peers. An address belongs to its host prefix, or to an aggregate; then it also belongs
// conditionally to the host prefix, which is announced where the aggregate alone would not do.

import type { EndpointSlice, Reason, Service } from '@herald/api';
import { hostPrefix, prefixOf } from '@herald/net';
import type { Family, Prefix } from '@herald/net';
import { firstFailure } from '../checks/check.ts';
import { SERVICE_CHECKS, ServiceSubject, advertised, announceable } from '../checks/service-checks.ts';
import type { PlacedAddress } from '../checks/service-checks.ts';
import type { PerFamily } from '../world.ts';
import type { AdvertisementSet } from './advertisement-set.ts';
import { aggregateLength } from './advertisement-set.ts';
import type { JoinClock } from './join.ts';
import { probePort } from './join-memory.ts';
import type { NodeView } from './node-view.ts';
import type { Policy } from './policy.ts';
import { NOBODY, sameServing, servingNodes } from './serving-nodes.ts';
import type { ServingNodes } from './serving-nodes.ts';

export interface Membership {
  readonly prefix: Prefix;
  readonly advertisements: AdvertisementSet;
  /** For a host prefix that is needed only where this aggregate does not do. */
  readonly insteadOf: string | undefined;
}

export interface ServiceRoutes {
  readonly key: string;
  readonly createdAt: number;
  readonly policy: Service['externalTrafficPolicy'];
  readonly reason: Reason | undefined;
  /** What it does not have of the addresses that it asks for. */
  readonly unmet: Reason | undefined;
  readonly memberships: readonly Membership[];
  /** What would announce it if it had an endpoint. */
  readonly idleIn: readonly AdvertisementSet[];
  readonly serving: PerFamily<ServingNodes>;
  /** Every node that was looked at, so that its changes find their way here. */
  readonly reads: readonly string[];
}

export interface ServiceRequest {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly refusal: Reason | undefined;
  readonly unmet: Reason | undefined;
  readonly policy: Policy;
  readonly view: NodeView;
  /** Who could serve it when the last decision was taken. */
  readonly served: PerFamily<ServingNodes> | undefined;
  readonly clock: JoinClock;
}

const NO_SETS: readonly AdvertisementSet[] = [];

export function serviceRoutes(request: ServiceRequest): ServiceRoutes {
  const { service, slices, refusal, unmet, policy } = request;
  const subject = new ServiceSubject(service, policy, slices, refusal);
  const reason = firstFailure(SERVICE_CHECKS, subject);
  const placed = reason === undefined ? announceable(subject) : [];
  const families = new Set(placed.map(({ address }) => address.family));
  return {
    key: service.key,
    createdAt: service.createdAt,
    policy: service.externalTrafficPolicy,
    reason: reason === 'NoAddress' ? (unmet ?? reason) : reason,
    unmet,
    memberships: placed.flatMap((address) => membershipsOf(address, policy)),
    idleIn: reason === 'NoUsableEndpoint' ? setsOf(subject) : NO_SETS,
    serving: {
      4: families.has(4) ? servingIn(4, subject, request) : NOBODY,
      6: families.has(6) ? servingIn(6, subject, request) : NOBODY,
    },
    reads: readNodes(subject, families),
  };
}

function setsOf(subject: ServiceSubject): AdvertisementSet[] {
  return [...new Set(advertised(subject).flatMap(({ advertisements }) => advertisements ?? []))];
}

function membershipsOf({ address, advertisements }: PlacedAddress, policy: Policy): Membership[] {
  if (!advertisements) {
    return [];
  }
  const host = hostPrefix(address);
  const lengths = new Set(advertisements.members.map((member) => aggregateLength(member, address.family)));
  return [...lengths].flatMap((length) => {
    const set = policy.sets.narrow(
      advertisements,
      (member) => aggregateLength(member, address.family) === length,
    );
    if (!set) {
      return [];
    }
    const prefix = length === undefined ? host : prefixOf(address, length);
    const whole = { prefix, advertisements: set, insteadOf: undefined };
    return length === undefined
      ? [whole]
      : [whole, { prefix: host, advertisements: set, insteadOf: prefix.text }];
  });
}

function servingIn(
  family: Family,
  subject: ServiceSubject,
  { service, view, served, clock }: ServiceRequest,
): ServingNodes {
  const before = served?.[family].nodes ?? [];
  return servingNodes(subject.endpoints(family), view, { before, family, port: probePort(service), clock });
}

function readNodes(subject: ServiceSubject, families: ReadonlySet<Family>): readonly string[] {
  const [first, second] = [...families].map((family) =>
    subject.endpoints(family).nodes.map(({ name }) => name),
  );
  return second ? [...new Set([...(first ?? []), ...second])] : (first ?? []);
}

/** Whether no prefix could tell the two apart. */
export function sameRoutes(a: ServiceRoutes, b: ServiceRoutes): boolean {
  return (
    a.reason === b.reason &&
    a.unmet === b.unmet &&
    a.policy === b.policy &&
    a.createdAt === b.createdAt &&
    a.memberships.length === b.memberships.length &&
    a.memberships.every((one, i) => sameMembership(one, b.memberships[i])) &&
    a.idleIn.length === b.idleIn.length &&
    a.idleIn.every((set, i) => set === b.idleIn[i]) &&
    sameServing(a.serving[4], b.serving[4]) &&
    sameServing(a.serving[6], b.serving[6]) &&
    a.reads.length === b.reads.length &&
    a.reads.every((name, i) => name === b.reads[i])
  );
}

function sameMembership(a: Membership, b: Membership | undefined): boolean {
  return (
    a.prefix.text === b?.prefix.text && a.advertisements === b.advertisements && a.insteadOf === b.insteadOf
  );
}
