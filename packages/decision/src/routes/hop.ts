// A hop: one next hop of a route before it has a rank and tags - the address, the path class, the weight.
// Hops are interned, so that the same hop of thousands of prefixes is one object; the key compares hops that
// come from different memories.

import { hash32 } from '@herald/net';
import type { Address } from '@herald/net';
import type { PathClass } from './path-class.ts';

export interface Hop {
  readonly nextHop: Address;
  readonly class: PathClass;
  /** Usable endpoints behind it when routes are weighted by them, else 0. */
  readonly weight: number;
  /** Equal exactly when routers are told the same: the class by what it says, not by its name. */
  readonly key: string;
  /** Of address and weight: what an ECMP member is to a router. */
  readonly memberHash: number;
  /** Path id before clashes inside a prefix: of address and class name, never of weight or rank. */
  readonly pathId: number;
}

export function makeHop(nextHop: Address, pathClass: PathClass, weight: number): Hop {
  return {
    nextHop,
    class: pathClass,
    weight,
    key: hopKey(nextHop, pathClass, weight),
    memberHash: hash32(`${nextHop.text} ${weight}`),
    pathId: pathIdOf(nextHop, pathClass.name),
  };
}

export function pathIdOf(nextHop: Address, className: string): number {
  return hash32(`${nextHop.text}|${className}`);
}

function hopKey(nextHop: Address, pathClass: PathClass, weight: number): string {
  return `${nextHop.text}|${weight}|${pathClass.key}`;
}

export function sameHops(a: readonly Hop[], b: readonly Hop[]): boolean {
  return a === b || (a.length === b.length && a.every((hop, i) => hop === b[i] || hop.key === b[i]?.key));
}

const SECOND_MULTIPLIER = 0x9e3779b1;

/** Names a set of next hops: equal sets have equal names, and 2^53 makes a clash of different ones unlikely. */
export function hopSetKey(hops: readonly Hop[]): string {
  let sum = 0;
  let mix = 0;
  for (const { memberHash } of hops) {
    sum = (sum + memberHash) >>> 0;
    mix = (mix + Math.imul(memberHash ^ (memberHash >>> 15), SECOND_MULTIPLIER)) >>> 0;
  }
  return `${hops.length}:${sum}:${mix}`;
}
