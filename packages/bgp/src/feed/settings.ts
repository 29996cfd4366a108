// What a feed is told and what it says back: settings, state, events, counters, problems. Types, and the OPEN
// that follows from the settings. A feed is an iBGP session that hands a route table to a bgpd on the same
// machine; it takes no routes.

import type { Address, Family, RouteTable } from '@herald/net';
import type { SessionReason, SessionState } from '../fsm/session.ts';
import { FAMILIES, unicast } from '../wire/afi-safi.ts';
import type { Capability } from '../wire/capability.ts';
import type { OpenMessage } from '../wire/message.ts';
import type { RefusalReason } from './pack.ts';

export interface FeedSettings {
  /** dial: we connect (default instance); listen: bgpd connects to us (a view). */
  readonly kind: 'dial' | 'listen';
  /** The address that we connect from, or listen on. */
  readonly localAddress: string;
  /** The address that we connect to, or the only one that may connect. */
  readonly remoteAddress: string;
  readonly port: number;
  /** Ours and bgpd's: the feed is an internal peer. */
  readonly asn: number;
  readonly routerId: Address;
  readonly holdTimeSeconds: number;
  /** How long bgpd keeps the routes when the feed is gone (RFC 4724), at most 4095. */
  readonly restartTimeSeconds: number;
  /** none: one path per prefix, the first, without path identifier. */
  readonly addPath: 'send' | 'none';
  /**
   * Text of a prefix whose changes are sent after every other change known by then, in the first table of a
   * session right before the End-of-RIBs: whoever has its newest version has everything.
   */
  readonly last?: string;
}

export type FeedState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open-sent' }
  | { readonly kind: 'open-confirm' }
  | { readonly kind: 'established'; readonly sinceMs: number; readonly endOfRibSent: boolean };

export type FeedProblemReason =
  | SessionReason
  | RefusalReason
  | 'ListenFailed'
  | 'StrangerRefused'
  | 'FamilyNotNegotiated'
  | 'AddPathNotNegotiated';

export interface FeedProblem {
  readonly reason: FeedProblemReason;
  readonly text: string;
}

export interface FeedEvents {
  onState(state: FeedState): void;
  /** Everything set so far, and the End-of-RIBs, went to the kernel: once for each `set` that was not overtaken. */
  onSynced(table: RouteTable): void;
  onProblem(problem: FeedProblem): void;
}

export interface FeedCounters {
  readonly updatesSent: number;
  /** Announced NLRI: paths, not prefixes, where ADD-PATH is in use. */
  readonly prefixesSent: number;
  readonly withdrawnSent: number;
  readonly bytesSent: number;
  /** Sessions that were established and ended without `close`. */
  readonly sessionsLost: number;
}

/** Whether this process has had a complete session yet: RFC 4724 section 3, the R bit. */
export type StartKind = 'restarted' | 'reconnecting';

export function feedOpen(settings: FeedSettings, start: StartKind): OpenMessage {
  return {
    kind: 'open',
    asn: settings.asn,
    holdTimeSeconds: settings.holdTimeSeconds,
    identifier: settings.routerId,
    capabilities: [
      ...FAMILIES.map((family): Capability => ({ kind: 'multiprotocol', ...unicast(family) })),
      { kind: 'route-refresh' },
      { kind: 'extended-message' },
      { kind: 'four-octet-asn', asn: settings.asn },
      ...addPath(settings),
      {
        kind: 'graceful-restart',
        restarting: start === 'restarted',
        notification: true,
        restartTimeSeconds: settings.restartTimeSeconds,
        families: FAMILIES.map((family) => ({ ...unicast(family), forwarding: true })),
      },
    ],
  };
}

function addPath(settings: FeedSettings): Capability[] {
  return settings.addPath === 'send'
    ? [{ kind: 'add-path', families: FAMILIES.map((family) => ({ ...unicast(family), mode: 'send' })) }]
    : [];
}

export function feedState(state: SessionState, sinceMs: number, endOfRibSent: boolean): FeedState {
  switch (state.kind) {
    case 'idle':
    case 'open-sent':
    case 'open-confirm':
      return { kind: state.kind };
    case 'connect':
    case 'active':
      return { kind: 'connecting' };
    case 'established':
      return { kind: 'established', sinceMs, endOfRibSent };
  }
}

/** What the settings ask for and the session does not give. */
export function shortfalls(
  settings: FeedSettings,
  families: readonly Family[],
  addPathFamilies: readonly Family[],
): FeedProblem[] {
  const missing = FAMILIES.filter((family) => !families.includes(family));
  const single = families.filter(
    (family) => settings.addPath === 'send' && !addPathFamilies.includes(family),
  );
  return [
    ...missing.map((family): FeedProblem => {
      return { reason: 'FamilyNotNegotiated', text: `bgpd does not take IPv${family} routes` };
    }),
    ...single.map((family): FeedProblem => {
      const text = `bgpd does not take several paths for an IPv${family} prefix: it gets the first only`;
      return { reason: 'AddPathNotNegotiated', text };
    }),
  ];
}
