// The nodes as routes see them: each with the verdict of the node checks, and - for routes that any node
// may serve - all nodes that an advertisement offers to a peer (a field). Nodes -> NodeView.
//
// A NodeState is the same object as before unless something that a route can read has changed, so a
// heartbeat or somebody's annotation moves nothing. Fields are worked out on first use and kept.

import { matchesAny, sameProjected } from '@herald/api';
import type { Advertisement, Node } from '@herald/api';
import type { Address, Family, PersistentMap } from '@herald/net';
import { firstFailure } from '../checks/check.ts';
import { NODE_CHECKS } from '../checks/node-checks.ts';
import type { AdvertisementSet } from './advertisement-set.ts';
import { FROM_THE_START, admitted, sameJoin } from './join.ts';
import type { Join } from './join.ts';
import type { NextHopRule } from './next-hop-address.ts';
import type { Policy } from './policy.ts';
import { NodeState } from './node-state.ts';
import { zonesOf } from './spread.ts';
import type { Zones } from './spread.ts';

/** A node that can be the next hop of some route, and the address by which a peer would be told. */
export interface Offer {
  readonly state: NodeState;
  readonly nextHop: Address;
}

export interface Field {
  readonly offers: ReadonlyMap<string, Offer>;
  readonly zones: Zones;
}

export class NodeView {
  /** By name. */
  readonly states: PersistentMap<NodeState>;
  readonly #fields = new Map<string, Field>();
  #eligible: readonly NodeState[] | undefined;

  constructor(states: PersistentMap<NodeState>) {
    this.states = states;
  }

  /**
   * The nodes that one of the advertisements selects and that have an address for these peers; without those
   * that have to wait because others are there.
   */
  field(set: AdvertisementSet, rule: NextHopRule, family: Family): Field {
    const key = `${set.key}|${rule.key}|${family}`;
    let field = this.#fields.get(key);
    if (!field) {
      field = fieldOf(this.#eligibleNodes(), set, rule, family);
      this.#fields.set(key, field);
    }
    return field;
  }

  #eligibleNodes(): readonly NodeState[] {
    this.#eligible ??= [...this.states.values()]
      .filter(({ reason }) => reason === undefined)
      .sort((a, b) => (a.node.name < b.node.name ? -1 : 1));
    return this.#eligible;
  }
}

function fieldOf(
  eligible: readonly NodeState[],
  set: AdvertisementSet,
  rule: NextHopRule,
  family: Family,
): Field {
  const found: Offer[] = [];
  for (const state of eligible) {
    const nextHop = state.nextHop(rule, family);
    if (nextHop && set.members.some((member) => selectsNode(member, state.node))) {
      found.push({ state, nextHop });
    }
  }
  const offers = admitted(found, ({ state }) => state.join);
  return {
    offers: new Map(offers.map((offer) => [offer.state.name, offer])),
    zones: zonesOf(offers.map(({ state }) => state)),
  };
}

export function selectsNode({ nodeSelectors }: Advertisement, node: Node): boolean {
  return nodeSelectors.length === 0 || matchesAny(nodeSelectors, node.labels);
}

/** The states of the named nodes brought up to date; the same view when no route can tell a difference. */
export function refreshedNodes(
  view: NodeView,
  nodes: PersistentMap<Node>,
  names: Iterable<string>,
  policy: Policy,
  joinOf: (name: string) => Join,
): { readonly view: NodeView; readonly changed: readonly string[] } {
  const updates: [string, NodeState][] = [];
  const removed: string[] = [];
  for (const name of names) {
    const before = view.states.get(name);
    const node = nodes.get(name);
    if (!node) {
      removed.push(...(before ? [name] : []));
      continue;
    }
    const reason = firstFailure(NODE_CHECKS, { node, settings: policy.settings });
    const state = new NodeState(node, reason, reason === undefined ? joinOf(name) : FROM_THE_START);
    if (!before || !looksTheSame(before, state, policy)) {
      updates.push([name, state]);
    }
  }
  const changed = [...removed, ...updates.map(([name]) => name)];
  return { changed, view: changed.length === 0 ? view : new NodeView(view.states.with(updates, removed)) };
}

function looksTheSame(a: NodeState, b: NodeState, policy: Policy): boolean {
  return (
    a.reason === b.reason &&
    sameJoin(a.join, b.join) &&
    a.node.zone === b.node.zone &&
    sameProjected(a.node.addresses, b.node.addresses) &&
    sameProjected(a.node.podCidrs, b.node.podCidrs) &&
    (!policy.selectsNodes || sameProjected(a.node.labels, b.node.labels)) &&
    policy.annotations.every((name) => a.node.annotations[name] === b.node.annotations[name])
  );
}
