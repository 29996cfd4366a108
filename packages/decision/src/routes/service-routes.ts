// What one Service brings to the table: the prefixes that it is a member of, and the nodes that can serve it.
// Service, its slices, policy and nodes -> ServiceRoutes, or the reason why it brings nothing.
//
// Independent of peers. An address belongs to its host prefix, or to an aggregate; then it also belongs
// conditionally to the host prefix, which is announced where the aggregate alone would not do.

import type { EndpointSlice, Reason, Service } from '@herald/api';
import { hostPrefix, prefixOf } from '@herald/net';
import type { Family, Prefix } from '@herald/net';
import { firstFailure } from '../checks/check.ts';
import { SERVICE_CHECKS, ServiceSubject, announceable } from '../checks/service-checks.ts';
import type { PlacedAddress } from '../checks/service-checks.ts';
import type { PerFamily } from '../world.ts';
import type { AdvertisementSet } from './advertisement-set.ts';
import { aggregateLength } from './advertisement-set.ts';
import type { UsableEndpoints } from './endpoints.ts';
import type { NodeState } from './node-state.ts';
import type { NodeView } from './node-view.ts';
import type { Policy } from './policy.ts';

export interface Membership {
  readonly prefix: Prefix;
  readonly advertisements: AdvertisementSet;
  /** For a host prefix that is needed only where this aggregate does not do. */
  readonly insteadOf: string | undefined;
}

export interface ServingNode {
  readonly state: NodeState;
  readonly endpoints: number;
}

export interface ServingNodes {
  /** Nodes that pass the node checks, sorted by name. */
  readonly nodes: readonly ServingNode[];
  /** Has usable endpoints that name no node, which every node can reach. */
  readonly nameless: boolean;
}

export interface ServiceRoutes {
  readonly key: string;
  readonly createdAt: number;
  readonly policy: Service['externalTrafficPolicy'];
  readonly reason: Reason | undefined;
  /** What it does not have of the addresses that it asks for. */
  readonly unmet: Reason | undefined;
  readonly memberships: readonly Membership[];
  readonly serving: PerFamily<ServingNodes>;
  /** Every node that was looked at, so that its changes find their way here. */
  readonly reads: readonly string[];
}

const NOBODY: ServingNodes = { nodes: [], nameless: false };

export interface ServiceRequest {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly refusal: Reason | undefined;
  readonly unmet: Reason | undefined;
  readonly policy: Policy;
  readonly view: NodeView;
}

export function serviceRoutes(request: ServiceRequest): ServiceRoutes {
  const { service, slices, refusal, unmet, policy, view } = request;
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
    serving: {
      4: families.has(4) ? servingNodes(subject.endpoints(4), view) : NOBODY,
      6: families.has(6) ? servingNodes(subject.endpoints(6), view) : NOBODY,
    },
    reads: readNodes(subject, families),
  };
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

function servingNodes({ nodes, nameless }: UsableEndpoints, view: NodeView): ServingNodes {
  const serving: ServingNode[] = [];
  for (const { name, endpoints } of nodes) {
    const state = view.states.get(name);
    if (state && state.reason === undefined) {
      serving.push({ state, endpoints });
    }
  }
  return { nodes: serving, nameless: nameless > 0 };
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

function sameServing(a: ServingNodes, b: ServingNodes): boolean {
  return (
    a === b ||
    (a.nameless === b.nameless &&
      a.nodes.length === b.nodes.length &&
      a.nodes.every(
        ({ state, endpoints }, i) => state === b.nodes[i]?.state && endpoints === b.nodes[i].endpoints,
      ))
  );
}
