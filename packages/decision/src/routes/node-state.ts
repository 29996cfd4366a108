// One node as routes see it: the object, the first node check that fails, and the addresses that peers' rules
// find in it, worked out once for each rule.

import type { Node, Reason } from '@herald/api';
import { hash32 } from '@herald/net';
import type { Address, Family } from '@herald/net';
import type { Join } from './join.ts';
import type { NextHopRule } from './next-hop-address.ts';
import type { Placed } from './spread.ts';

export class NodeState implements Placed {
  readonly node: Node;
  /** undefined for a node that may be a next hop. */
  readonly reason: Reason | undefined;
  readonly hash: number;
  /** How far it has come in joining what any node may serve. */
  readonly join: Join;
  readonly #addresses: ReturnType<NextHopRule['addressesOf']>[] = [];

  constructor(node: Node, reason: Reason | undefined, join: Join) {
    this.node = node;
    this.reason = reason;
    this.join = join;
    this.hash = hash32(node.name);
  }

  get name(): string {
    return this.node.name;
  }

  get zone(): string {
    return this.node.zone;
  }

  /** The address that peers with this rule are given; rules are those of one policy. */
  nextHop(rule: NextHopRule, family: Family): Address | undefined {
    const found = (this.#addresses[rule.position] ??= rule.addressesOf(this.node));
    return found[family];
  }
}
