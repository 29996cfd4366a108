// Which views' feeds bgpd has to be told to dial again: those that it had and lost, at most once a second each. A
// feed that was never there is dialled by bgpd itself. One that is on the way is left alone: ending an attempt that
// has begun was seen to cost the routes that bgpd keeps (FRR 10.3). (plan, feeds as bgpd shows them, time) -> peers.

import type { PeerSession, SessionPlan } from '@herald/decision';
import type { BgpdSessions } from '@herald/frr';

import { instanceName } from './generation.ts';

const BETWEEN_MS = 1000;

type Feeds = BgpdSessions['feeds'];

export class Redial {
  readonly #lastMs = new Map<string, number>();

  due(plan: SessionPlan, feeds: Feeds, nowMs: number): readonly PeerSession[] {
    this.#dropOthers(new Set(plan.peers.map(instanceName)));
    const due = plan.peers.filter((peer) => isLost(peer, feeds) && this.#isTime(instanceName(peer), nowMs));
    due.forEach((peer) => this.#lastMs.set(instanceName(peer), nowMs));
    return due;
  }

  #dropOthers(instances: ReadonlySet<string>): void {
    for (const instance of this.#lastMs.keys()) {
      if (!instances.has(instance)) {
        this.#lastMs.delete(instance);
      }
    }
  }

  #isTime(instance: string, nowMs: number): boolean {
    return nowMs - (this.#lastMs.get(instance) ?? -BETWEEN_MS) >= BETWEEN_MS;
  }
}

function isLost(peer: PeerSession, feeds: Feeds): boolean {
  const feed = feeds.get(instanceName(peer));
  return peer.instance.kind === 'view' && feed?.waiting === true && feed.connectionsDropped > 0;
}
