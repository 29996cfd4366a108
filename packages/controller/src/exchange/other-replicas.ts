// Wires what replicas tell each other into a controller: settings, backend and what bgpd shows in; the World's
// freshness, the listener's answers and the hand-over out. Decides nothing itself.

import type { Settings } from '@herald/api';
import type { Decision, Freshness, SessionState, World } from '@herald/decision';
import type { PersistentMap } from '@herald/net';
import type { ExchangeOptions, ExchangeView } from '@herald/server';

import type { Backend } from '../backend.ts';
import type { BgpdDriver } from '../bgpd-driver.ts';
import type { Logger } from '../logger.ts';
import type { ReplicaIdentity } from '../replica-identity.ts';
import { Exchange } from './exchange.ts';
import { handOver } from './hand-over.ts';
import { announcesTo, ServedPeers, type ServingFacts } from './served-peers.ts';

export interface OtherReplicasParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly backend: Backend;
  readonly identity: ReplicaIdentity;
  readonly bgpd: Pick<BgpdDriver, 'state' | 'holdsTable'>;
  /** What was decided last, and how the sessions are by now. */
  newest(): {
    readonly world: World;
    readonly decision: Decision;
    readonly sessions: PersistentMap<SessionState>;
  };
  /** URLs of replicas that neither the settings nor the backend know. */
  moreUrls(): readonly string[];
  /** The freshness changed. */
  onChange(): void;
}

export class OtherReplicas {
  readonly #parts: OtherReplicasParts;
  readonly #exchange: Exchange;
  readonly #served = new ServedPeers();

  constructor(parts: OtherReplicasParts) {
    const { settings, logger, backend, identity } = parts;
    this.#parts = parts;
    this.#exchange = new Exchange({
      keyFile: settings.exchange.keyFile,
      staleMs: settings.guard.staleMs,
      logger,
      urls: () => [...settings.exchange.replicas, ...backend.others, ...parts.moreUrls()],
      freshAtMs: () => backend.source.freshAtMs,
      report: () => {
        const { leading, term } = backend.leadership;
        const serves = this.#served.routers(this.#facts(), Date.now());
        return { replica: identity.name, leading, term, serves };
      },
      onChange: () => parts.onChange(),
      onTerm: (term) => backend.sawTerm(term),
    });
  }

  get freshness(): Freshness {
    return this.#exchange.freshness;
  }

  get view(): ExchangeView {
    return this.#exchange.view;
  }

  /** undefined without a key: others are told nothing. */
  get endpoint(): ExchangeOptions | undefined {
    const { keyFile } = this.#parts.settings.exchange;
    return keyFile === undefined ? undefined : { keyFile, report: () => this.#exchange.answer() };
  }

  start(): void {
    this.#exchange.start();
  }

  close(): void {
    this.#exchange.close();
  }

  /** From now on the others do not rely on this replica. */
  leave(): void {
    this.#exchange.leave(this.#parts.backend.leadership.leading);
  }

  /** Resolves when others serve the routers, or nobody can be waited for. */
  async handOver(): Promise<void> {
    const { settings, logger } = this.#parts;
    await handOver({
      exchange: this.#exchange,
      patienceMs: settings.handOver.patienceMs,
      logger,
      routers: () => this.#announced(),
    });
  }

  #announced(): readonly string[] {
    const facts = this.#facts();
    const peers = facts.decision.sessions.peers.filter((peer) => !peer.shutdown && announcesTo(peer, facts));
    return peers.map(({ address }) => address.text);
  }

  #facts(): ServingFacts {
    const { bgpd } = this.#parts;
    const { world, decision, sessions } = this.#parts.newest();
    return {
      world: { ...world, sessions },
      decision,
      traffic: bgpd.state.traffic,
      holdsTable: (instance) => bgpd.holdsTable(instance),
    };
  }
}
