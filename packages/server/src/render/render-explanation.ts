// Why one Service is announced as it is, in plain values: its checks, its addresses, every node with its
// checks, and for each prefix and peer the next hops and the nodes left out with the reason.

import type {
  ExplainedNextHop,
  ExplainedPeer,
  ExplainedPrefix,
  Explanation,
  SessionPlan,
} from '@herald/decision';
import { asPathTowards } from './audience.ts';
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

export function renderExplanation(explanation: Explanation, plan: SessionPlan): ExplanationView {
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
    prefixes: explanation.prefixes.map((prefix) => renderPrefix(prefix, plan)),
  };
}

function renderPrefix({ prefix, services, peers }: ExplainedPrefix, plan: SessionPlan): ExplainedPrefixView {
  return { prefix, services, peers: peers.map((peer) => renderPeer(peer, plan)) };
}

function renderPeer(explained: ExplainedPeer, plan: SessionPlan): ExplainedPeerView {
  const { peer, reason, advertisements, nextHops, leftOut } = explained;
  const planned = plan.peers.find(({ name }) => name === peer);
  const render = ({ nextHop, attributes }: ExplainedNextHop): { nextHop: string } & AttributesView => {
    const asPath = planned === undefined ? attributes.asPath : asPathTowards(planned, attributes.asPath);
    return Object.assign({ nextHop }, renderAttributes(attributes, asPath));
  };
  return { peer, reason: reason ?? null, advertisements, nextHops: nextHops.map(render), leftOut };
}
