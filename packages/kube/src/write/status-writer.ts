// What the leader says on the API objects: the whole wanted status in, only what differs out. Conditions of
// Services, status of our own kinds, Events - each a lane with a budget of its own. What is there is read once
// when a leadership begins; from then on it is what we wrote.
//
// Not leading means: nothing is read, written or remembered.

import type { BgpAdvertisementStatus, BgpPeerStatus, Fault, IpAddressPoolStatus } from '@herald/api';
import type { Clock } from '../lease/clock.ts';
import type { ApiClient } from '../transport/api-client.ts';
import { ApiError } from '../transport/api-error.ts';
import { Events, type Reporter } from './events.ts';
import { NEVER, type Lane, type LaneContext } from './lane.ts';
import { LeaderClient, NotLeading, type WriteGate } from './leader-client.ts';
import { ObjectStatuses } from './object-statuses.ts';
import { Refusals } from './refusals.ts';
import { ServiceConditions, type ConditionSource } from './service-conditions.ts';
import type { WantedEvent, WantedObjectStatus, WantedStatus } from './wanted-status.ts';
import { WriteLoop } from './write-loop.ts';

export interface StatusWriterOptions extends ConditionSource, Pick<LaneContext, 'generation'> {
  readonly client: Pick<ApiClient, 'request'>;
  readonly elector: WriteGate;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Milliseconds since the epoch. */
  wallMs(): number;
}

/** A leader in doubt is one again, or none, after this time. */
const DOUBT_MS = 1000;

export class StatusWriter {
  readonly #client: LeaderClient;
  readonly #options: StatusWriterOptions;
  readonly #refusals: Refusals;
  readonly #services: ServiceConditions;
  readonly #peers: ObjectStatuses<WantedObjectStatus<BgpPeerStatus>>;
  readonly #pools: ObjectStatuses<WantedObjectStatus<IpAddressPoolStatus>>;
  readonly #advertisements: ObjectStatuses<WantedObjectStatus<BgpAdvertisementStatus>>;
  readonly #events: Events;
  readonly #loop: WriteLoop;
  readonly #ready = new Set<Lane>();
  #primedTerm: number | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#client = new LeaderClient(options.client, options.elector);
    this.#refusals = new Refusals(() => options.clock.nowMs());
    const context: LaneContext = {
      client: this.#client,
      refusals: this.#refusals,
      nowMs: () => options.clock.nowMs(),
      wallMs: () => options.wallMs(),
      generation: (kind, name) => options.generation(kind, name),
    };
    this.#services = new ServiceConditions(context, options);
    this.#peers = new ObjectStatuses(context, { kind: 'BGPPeer', plural: 'bgppeers' });
    this.#pools = new ObjectStatuses(context, { kind: 'IPAddressPool', plural: 'ipaddresspools' });
    this.#advertisements = new ObjectStatuses(context, {
      kind: 'BGPAdvertisement',
      plural: 'bgpadvertisements',
    });
    this.#events = new Events(context, options.reporter, (event) => this.#wasSaid(event));
    this.#loop = new WriteLoop(options.clock, () => this.#turn());
  }

  /** Newest wins; call it also when leadership changed. */
  set(wanted: WantedStatus): void {
    this.#services.set(wanted.services);
    this.#peers.set(wanted.peers);
    this.#pools.set(wanted.pools);
    this.#advertisements.set(wanted.advertisements);
    this.#events.set(wanted.events);
    this.#loop.wake();
  }

  /** What the API server refuses the leader, in its own words. */
  faults(): readonly Fault[] {
    return this.#options.elector.leadership.leading ? this.#refusals.faults() : [];
  }

  async close(): Promise<void> {
    await this.#loop.close();
  }

  /** Events last: what stood on the objects tells which were said already. */
  get #lanes(): readonly Lane[] {
    return [this.#services, this.#peers, this.#pools, this.#advertisements, this.#events];
  }

  async #turn(): Promise<number> {
    const { term } = this.#client;
    if (term === undefined) {
      return this.#pauseInDoubt();
    }
    try {
      const unreadAtMs = await this.#prime(term);
      return Math.min(unreadAtMs, await this.#writeDue());
    } catch (error) {
      if (error instanceof NotLeading) {
        return this.#pauseInDoubt();
      }
      throw error;
    }
  }

  /** When what may not be read is to be tried again. */
  async #prime(term: number): Promise<number> {
    if (this.#primedTerm !== term) {
      this.#ready.clear();
      this.#refusals.forget();
      this.#primedTerm = term;
    }
    let next = NEVER;
    for (const lane of this.#lanes.filter((one) => !this.#ready.has(one))) {
      const pausedUntilMs = this.#refusals.pausedUntilMs(lane.kind);
      const isPaused = pausedUntilMs > this.#options.clock.nowMs();
      next = Math.min(next, isPaused ? pausedUntilMs : await this.#primeLane(lane));
    }
    return next;
  }

  /**
   * A kind that may not be read is not written either, and keeps the others from nothing. An API server that has just
   * started refuses everything for a moment, so that is no verdict for the whole leadership.
   */
  async #primeLane(lane: Lane): Promise<number> {
    try {
      await lane.prime();
      this.#ready.add(lane);
      this.#refusals.clear(lane.kind, '');
      return NEVER;
    } catch (error) {
      const unknownKind = error instanceof ApiError && error.status === 404;
      if (!unknownKind && !this.#refusals.take(lane.kind, '', error)) {
        throw error;
      }
      return this.#refusals.pause(lane.kind);
    }
  }

  async #writeDue(): Promise<number> {
    let next = NEVER;
    for (const lane of this.#ready) {
      next = Math.min(next, await lane.writeDue());
    }
    return next;
  }

  #pauseInDoubt(): number {
    return this.#options.elector.leadership.leading ? this.#options.clock.nowMs() + DOUBT_MS : NEVER;
  }

  #wasSaid({ object, reason }: WantedEvent): boolean {
    switch (object.kind) {
      case 'Service':
        return this.#services.foundReason(`${object.namespace}/${object.name}`) === reason;
      case 'BGPPeer':
        return this.#peers.foundReason(object.name, reason);
      case 'IPAddressPool':
        return this.#pools.foundReason(object.name, reason);
      case 'BGPAdvertisement':
        return this.#advertisements.foundReason(object.name, reason);
      default:
        return false;
    }
  }
}
