// Which of a node's addresses a peer is given as next hop, per family: by type (or from an annotation),
// in the node's own order, inside the peer's CIDRs if it has any.
//
// Peers with the same rule share one NextHopRule object; what it finds is kept with each node's state.

import type { Node, PeerNextHop } from '@herald/api';
import { contains, isLinkLocal, isLoopback, isMulticast, isUnspecified, parseAddress } from '@herald/net';
import type { Address } from '@herald/net';
import type { PerFamily } from '../world.ts';

export class NextHopRule {
  /** Equal for equal rules. */
  readonly key: string;
  /** Among the rules of one policy. */
  readonly position: number;
  readonly annotation: string | undefined;
  readonly #spec: PeerNextHop;

  constructor(spec: PeerNextHop, position: number) {
    this.#spec = spec;
    this.position = position;
    this.annotation = spec.type === 'Annotation' ? spec.annotation : undefined;
    this.key = ruleKey(spec);
  }

  addressesOf(node: Node): PerFamily<Address | undefined> {
    const usable = offered(node, this.#spec).filter((address) => isUsable(address, this.#spec));
    return { 4: usable.find(isIpv4), 6: usable.find((address) => !isIpv4(address)) };
  }
}

export function ruleKey(spec: PeerNextHop): string {
  return [spec.type, spec.annotation ?? '', ...spec.cidrs.map(({ text }) => text)].join(' ');
}

/** Addresses in a node annotation, separated by commas or spaces; what cannot be read is left out. */
export function annotatedAddresses(node: Node, annotation: string): Address[] {
  const text = Object.hasOwn(node.annotations, annotation) ? (node.annotations[annotation] ?? '') : '';
  return text
    .split(/[\s,]+/)
    .map(parseAddress)
    .flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
}

function offered(node: Node, spec: PeerNextHop): readonly Address[] {
  return spec.type === 'Annotation'
    ? annotatedAddresses(node, spec.annotation ?? '')
    : node.addresses.filter(({ type }) => type === spec.type).map(({ address }) => address);
}

function isUsable(address: Address, { cidrs }: PeerNextHop): boolean {
  const inside = cidrs.length === 0 || cidrs.some((cidr) => contains(cidr, address));
  return inside && !NEVER_A_NEXT_HOP.some((is) => is(address));
}

const NEVER_A_NEXT_HOP = [isUnspecified, isLoopback, isLinkLocal, isMulticast];

function isIpv4({ family }: Address): boolean {
  return family === 4;
}
