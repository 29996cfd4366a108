// A stage for writers: an API server in memory, a leader whose leadership tests take and give, and the
// Services as a source shows them.

import { projectService, type Service } from '@herald/api';
import { PersistentMap } from '@herald/net';
import type { Leadership } from '../../src/lease/election-state.ts';
import type { AddressWrite } from '../../src/source.ts';
import type { WantedStatus } from '../../src/write/wanted-status.ts';
import { ApiDouble, type Json } from './api-double.ts';
import { ManualClock } from './manual-clock.ts';

class Leader {
  leadership: Leadership = { leading: true, term: 7, holder: 'me', handedOver: false };
  timeLeftMs = 5000;
  doubtful = false;

  mayWrite(): boolean {
    return this.leadership.leading && !this.doubtful;
  }

  writeTimeoutMs(): number {
    return this.mayWrite() ? this.timeLeftMs : 0;
  }

  loses(): void {
    this.leadership = { leading: false, term: 8, holder: 'other', handedOver: false };
  }

  leadsAgain(term: number): void {
    this.leadership = { leading: true, term, holder: 'me', handedOver: false };
  }
}

export class Stage {
  readonly api = new ApiDouble();
  readonly clock = new ManualClock();
  readonly elector = new Leader();
  readonly #shown = new Map<string, { service: Service; resourceVersion: string }>();

  static path(key: string): string {
    const [namespace, name] = key.split('/');
    return `/api/v1/namespaces/${namespace}/services/${name}`;
  }

  /** On the API server and in the source. */
  service(key: string, fields: Json = {}): Service {
    const [namespace, name] = key.split('/');
    const { metadata, ...rest } = fields;
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
    this.api.put(Stage.path(key), { spec, ...rest, metadata: { namespace, name, ...(metadata as Json) } });
    return this.show(key);
  }

  raw(key: string): Json {
    return this.api.objects.get(Stage.path(key)) ?? {};
  }

  /** The source catches up. */
  show(key: string): Service {
    const raw = this.raw(key);
    const projected = projectService(raw);
    if (!projected.ok) {
      throw new Error('the Service of the test is unusable');
    }
    const resourceVersion = String((raw['metadata'] as Json)['resourceVersion']);
    this.#shown.set(key, { service: projected.value, resourceVersion });
    return projected.value;
  }

  hide(key: string): void {
    this.#shown.delete(key);
  }

  /** Another version of what reads as the same object. */
  touch(key: string): void {
    this.api.put(Stage.path(key), {
      ...this.raw(key),
      metadata: { ...(this.raw(key)['metadata'] as Json), labels: {}, touched: true },
    });
  }

  current(key: string): { service: Service; resourceVersion: string } | undefined {
    return this.#shown.get(key);
  }

  give(key: string, ...addresses: readonly string[]): AddressWrite {
    const decidedFrom = this.#shown.get(key)?.service;
    if (decidedFrom === undefined) {
      throw new Error(`${key} is not shown`);
    }
    return {
      serviceKey: key,
      uid: decidedFrom.uid,
      addresses: addresses.map((text) => ({ text })),
      decidedFrom,
      term: 7,
    };
  }
}

export const NOTHING_WANTED: WantedStatus = {
  services: PersistentMap.empty(),
  peers: PersistentMap.empty(),
  pools: PersistentMap.empty(),
  advertisements: PersistentMap.empty(),
  events: [],
};
