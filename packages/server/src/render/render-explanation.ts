// Why one Service is announced as it is, in plain values: its checks, its addresses, every node with its
// checks, and for each prefix and peer the next hops and the nodes left out with the reason.

import type { ExplainedNextHop, ExplainedPeer, ExplainedPrefix, Explanation } from '@herald/decision';
import { renderAttributes, type AttributesView } from './render-attributes.ts';

interface CheckView {
  readonly reason: string;
  readonly passed: boolean;
}

export interface ExplanationView {
  readonly checks: readonly CheckView[];
  readonly addresses: readonly {
    readonly address: string;
    readonly pool: string | null;
    readonly advertisements: readonly string[];
  }[];
  readonly nodes: readonly {
    readonly node: string;
    readonly reason: string | null;
    readonly checks: readonly CheckView[];
    readonly usableEndpoints: { readonly ipv4: number; readonly ipv6: number };
  }[];
  readonly prefixes: readonly ExplainedPrefixView[];
}

interface ExplainedPrefixView {
  readonly prefix: string;
  readonly services: readonly string[];
  readonly peers: readonly ExplainedPeerView[];
}

interface ExplainedPeerView {
  readonly peer: string;
  readonly reason: string | null;
  readonly advertisements: readonly string[];
  readonly nextHops: readonly ({ readonly nextHop: string } & AttributesView)[];
  readonly leftOut: readonly { readonly node: string; readonly reason: string }[];
}

export function renderExplanation(explanation: Explanation): ExplanationView {
  return {
    checks: explanation.checks,
    addresses: explanation.addresses.map(({ address, pool, advertisements }) => ({
      address: address.text,
      pool: pool ?? null,
      advertisements,
    })),
    nodes: explanation.nodes.map(({ node, reason, checks, usableEndpoints }) => ({
      node,
      reason: reason ?? null,
      checks,
      usableEndpoints: { ipv4: usableEndpoints[4], ipv6: usableEndpoints[6] },
    })),
    prefixes: explanation.prefixes.map(renderPrefix),
  };
}

function renderPrefix({ prefix, services, peers }: ExplainedPrefix): ExplainedPrefixView {
  return { prefix, services, peers: peers.map(renderPeer) };
}

function renderPeer({ peer, reason, advertisements, nextHops, leftOut }: ExplainedPeer): ExplainedPeerView {
  return { peer, reason: reason ?? null, advertisements, nextHops: nextHops.map(renderNextHop), leftOut };
}

function renderNextHop({ nextHop, attributes }: ExplainedNextHop): { nextHop: string } & AttributesView {
  return Object.assign({ nextHop }, renderAttributes(attributes));
}
