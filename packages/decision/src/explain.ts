// Why one Service is announced as it is: every check of the Service and of each node with its outcome, and
// for each prefix and peer the next hops with their attributes, and the nodes left out with the reason.
// World, memory, Service key -> Explanation, from the same checks and steps that decide.

import type { Node, Reason } from '@herald/api';
import type { Address } from '@herald/net';
import type { CheckOutcome } from './checks/check.ts';
import { outcomes } from './checks/check.ts';
import { NODE_CHECKS } from './checks/node-checks.ts';
import { SERVICE_CHECKS, ServiceSubject } from './checks/service-checks.ts';
import { decide } from './decide.ts';
import type { ServiceVerdict } from './decision.ts';
import type { Memory } from './memory.ts';
import { explainPrefix } from './routes/explain-prefix.ts';
import type { ExplainedPeer } from './routes/explain-prefix.ts';
import type { RankMemory, RouteMemory } from './routes/route-memory.ts';
import type { PerFamily, World } from './world.ts';

export interface Explanation {
  readonly service: string;
  readonly verdict: ServiceVerdict;
  /** In the order in which they are asked; the first that failed is the verdict. */
  readonly checks: readonly CheckOutcome[];
  readonly addresses: readonly ExplainedAddress[];
  /** All nodes, and those that endpoints name though they do not exist; sorted by name. */
  readonly nodes: readonly ExplainedNode[];
  readonly prefixes: readonly ExplainedPrefix[];
}

export interface ExplainedAddress {
  readonly address: Address;
  readonly pool: string | undefined;
  readonly advertisements: readonly string[];
}

export interface ExplainedNode {
  readonly node: string;
  readonly reason: Reason | undefined;
  readonly checks: readonly CheckOutcome[];
  readonly usableEndpoints: PerFamily<number>;
}

export interface ExplainedPrefix {
  readonly prefix: string;
  /** Services that are in it, this one among them. */
  readonly services: readonly string[];
  readonly peers: readonly ExplainedPeer[];
}

/** undefined for a Service that does not exist. */
export function explain(world: World, memory: Memory, serviceKey: string): Explanation | undefined {
  const service = world.services.get(serviceKey);
  const { decision, memory: current } = decide(world, memory);
  const verdict = decision.services.get(serviceKey);
  const { routes, ranks } = current;
  if (!service || !verdict || !routes || !ranks) {
    return undefined;
  }
  const slices = routes.slices.get(serviceKey) ?? [];
  const subject = new ServiceSubject(service, routes.policy, slices, routes.read.refusals.get(serviceKey));
  return {
    service: serviceKey,
    verdict,
    checks: outcomes(SERVICE_CHECKS, subject),
    addresses: subject.addresses().map(({ address, pool, advertisements }) => ({
      address,
      pool,
      advertisements: advertisements?.members.map(({ name }) => name) ?? [],
    })),
    nodes: explainNodes(subject, world, decision.heldNodes),
    prefixes: explainPrefixes(serviceKey, routes, ranks),
  };
}

function explainNodes(subject: ServiceSubject, world: World, held: ReadonlySet<string>): ExplainedNode[] {
  const counts = {
    4: new Map(subject.endpoints(4).nodes.map(({ name, endpoints }) => [name, endpoints])),
    6: new Map(subject.endpoints(6).nodes.map(({ name, endpoints }) => [name, endpoints])),
  };
  const names = new Set([...world.nodes.keys(), ...counts[4].keys(), ...counts[6].keys()]);
  return [...names].sort().map((name) => {
    const checks = explainNode(world.nodes.get(name), world);
    return {
      node: name,
      reason: held.has(name) ? 'HeldByGuard' : checks.find(({ passed }) => !passed)?.reason,
      checks,
      usableEndpoints: { 4: counts[4].get(name) ?? 0, 6: counts[6].get(name) ?? 0 },
    };
  });
}

function explainNode(node: Node | undefined, { settings }: World): CheckOutcome[] {
  return node ? outcomes(NODE_CHECKS, { node, settings }) : [{ reason: 'NodeUnknown', passed: false }];
}

function explainPrefixes(serviceKey: string, routes: RouteMemory, ranks: RankMemory): ExplainedPrefix[] {
  const memberships = routes.services.get(serviceKey)?.memberships ?? [];
  const texts = [...new Set(memberships.map(({ prefix }) => prefix.text))].sort();
  return texts.flatMap((text) => {
    const state = routes.prefixes.get(text);
    return state
      ? {
          prefix: text,
          services: [...new Set(state.members.map(({ of }) => of.key))],
          peers: explainPrefix(state, ranks.routes.get(text) ?? [], routes),
        }
      : [];
  });
}
