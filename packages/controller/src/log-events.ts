// Events of feeds, bgpd and the source -> log lines with stable event words. Nothing is decided here, except
// that the same fault is said once and not at every change.

import type { FeedProblem, FeedState } from '@herald/bgp';
import type { Fault } from '@herald/api';
import type { SessionPlan, SessionState } from '@herald/decision';
import type { ApplyOutcome } from '@herald/frr';
import type { PersistentMap } from '@herald/net';

import type { BgpdEvents } from './bgpd-plan.ts';
import type { FeedSetEvents } from './feed-set.ts';
import { instanceName } from './generation.ts';
import type { Logger } from './logger.ts';

/** A table that is refused as a whole is one line, not as many as it has paths. */
const NAMED_PATHS = 20;

interface FeedListeners {
  lost(instance: string): void;
  synced(instance: string): void;
}

export function logFeeds(logger: Logger, listeners: FeedListeners): FeedSetEvents {
  return {
    onState(instance: string, state: FeedState) {
      logger.debug({ event: 'feed-state', instance, state: state.kind }, 'the feed changed its state');
      if (state.kind !== 'established') {
        listeners.lost(instance);
      }
    },
    onSynced: (instance) => listeners.synced(instance),
    onProblem(instance: string, { reason, text }: FeedProblem) {
      logger.warn({ event: 'feed-problem', instance, reason }, text);
    },
  };
}

interface BgpdListeners {
  sessions(sessions: PersistentMap<SessionState>): void;
  instances(instances: ReadonlySet<string>): void;
}

export function logBgpd(logger: Logger, listeners: BgpdListeners): BgpdEvents {
  let known: PersistentMap<SessionState> | undefined;
  let problem: string | undefined;
  return {
    onSessions(sessions) {
      logSessions(logger, sessions, known);
      known = sessions;
      listeners.sessions(sessions);
    },
    onInstances: (instances) => listeners.instances(instances),
    onApplied(outcome) {
      problem = undefined;
      logOutcome(logger, outcome);
    },
    onReach(unreachable) {
      if (unreachable === undefined) {
        logger.info({ event: 'bgpd-reached' }, 'bgpd answers');
      } else {
        logger.warn({ event: 'bgpd-unreachable' }, unreachable);
      }
    },
    onIncomplete(instance, missing) {
      const facts = { instance, count: missing.length, paths: missing.slice(0, NAMED_PATHS) };
      logger.error({ event: 'table-incomplete', ...facts }, 'bgpd did not take every path');
    },
    onProblem(error) {
      if (String(error) !== problem) {
        problem = String(error);
        logger.error({ event: 'bgpd-problem', err: error }, 'bgpd could not be configured or read');
      }
    },
  };
}

/** A peer that goes on in another instance of bgpd has its session reset, once. */
export function logMoves(logger: Logger, before: SessionPlan, after: SessionPlan): void {
  const places = new Map(before.peers.map((peer) => [peer.name, instanceName(peer)]));
  for (const peer of after.peers) {
    const [from, to] = [places.get(peer.name), instanceName(peer)];
    if (from !== undefined && from !== to) {
      const why = to === 'default' ? 'takes several paths' : 'takes one path';
      logger.info(
        { event: 'peer-moved', peer: peer.name, from, to },
        `the router ${why}: its session is reset`,
      );
    }
  }
}

function logSessions(
  logger: Logger,
  sessions: PersistentMap<SessionState>,
  known: PersistentMap<SessionState> | undefined,
): void {
  for (const [peer, { state, lastError, addPathReceive }] of sessions) {
    if (known?.get(peer)?.state !== state) {
      logger.info(
        { event: 'session', peer, state, addPathReceive, lastError },
        'the session changed its state',
      );
    }
  }
}

function logOutcome(logger: Logger, { changed, problems, refused }: ApplyOutcome): void {
  if (changed.length > 0) {
    logger.info({ event: 'configured', changed }, 'bgpd was configured');
  }
  for (const { subject, message } of problems) {
    logger.error({ event: 'configuration-refused', subject }, message);
  }
  for (const { peer, reason, message } of refused) {
    logger.error({ event: 'peer-refused', peer, reason }, message);
  }
}

/** Says each fault once, when it appears, and again only after it was gone. */
export class FaultLog {
  readonly #logger: Logger;
  #said: ReadonlySet<string> = new Set();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  say(faults: readonly Fault[]): void {
    const said = this.#said;
    this.#said = new Set(faults.map((fault) => JSON.stringify(fault)));
    for (const fault of faults) {
      if (!said.has(JSON.stringify(fault))) {
        const { object, field, reason, message } = fault;
        this.#logger.warn({ event: 'fault', object, field, reason }, message);
      }
    }
  }
}
