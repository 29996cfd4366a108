// When the shared table may be replaced. A path that was for named peers can become one for everybody when a peer
// leaves the shared instance; if bgpd still ran that peer, its router would be sent what is not for it. So the
// table waits until bgpd has ended the sessions of those who leave - for a bounded time, because one peer
// that cannot move must not keep the rest back. (plan, what bgpd runs, time) -> may it be replaced.

import type { SessionPlan } from '@herald/decision';

/** A removal takes bgpd some 20 ms, a move into a view up to a second, which is how often bgpd dials its feed. */
const PATIENCE_MS = 2000;

export class SharedHold {
  #sinceMs: number | undefined;

  /** `running` says in which instance bgpd runs each peer. */
  mayReplace(plan: SessionPlan, running: ReadonlyMap<string, string>, nowMs: number): boolean {
    const staying = new Set(
      plan.peers.filter(({ instance }) => instance.kind === 'shared').map(({ name }) => name),
    );
    const isLeaving = [...running].some(([name, instance]) => instance === 'default' && !staying.has(name));
    this.#sinceMs = isLeaving ? (this.#sinceMs ?? nowMs) : undefined;
    return this.#sinceMs === undefined || nowMs - this.#sinceMs >= PATIENCE_MS;
  }
}
