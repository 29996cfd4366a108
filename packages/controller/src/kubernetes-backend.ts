// An API server behind the loop: objects by list and watch, the leadership by a Lease, addresses and status
// written back. Wires what `kube` offers; what is to be written is worked out in `status/`, from the last
// situation, after each decision and every few seconds (counts change between decisions).

import { isReplicaUrl, type Fault, type HeraldReplicaStatus, type Settings } from '@herald/api';
import {
  ApiClient,
  ClusterSource,
  Elector,
  ReplicaStore,
  ReplicaWriter,
  ServiceWriter,
  statusKind,
  StatusWriter,
  TokenAccess,
  UptimeClock,
  WriteCounts,
} from '@herald/kube';
import type { Replicas, World } from '@herald/decision';
import type { OwnKind } from '@herald/kube';
import type { KubernetesView, LeaderView } from '@herald/server';

import type { Backend, Situation } from './backend.ts';
import { exchangeUrl } from './exchange/exchange-url.ts';
import { companyOf, NOBODY_ELSE } from './company.ts';
import type { Logger } from './logger.ts';
import type { ReplicaIdentity } from './replica-identity.ts';
import { NO_STATUS, replicaStatus } from './status/replica-status.ts';
import { NO_MEMORY, wantedStatus } from './status/status.ts';
import { VERSION } from './version.ts';

type ClusterPlace = Extract<Settings['source'], { kind: 'kubernetes' }>;

const OWN_KINDS = {
  BGPPeer: 'peers',
  IPAddressPool: 'pools',
  BGPAdvertisement: 'advertisements',
} as const satisfies Record<OwnKind, keyof World>;

/** What moves between decisions (counts of paths, the last contact) is told again after this time. */
const REFRESH_MS = 10_000;

export async function kubernetesBackend(
  { kubeconfig }: ClusterPlace,
  settings: Settings,
  identity: ReplicaIdentity,
  surroundings: Surroundings,
): Promise<Backend> {
  const client = await ApiClient.fromSettings({ kubeconfig }, { lostMs: settings.guard.staleMs });
  return new KubernetesBackend(client, settings, identity, surroundings);
}

interface Surroundings {
  /** Objects, faults or the leadership changed. */
  readonly onChange: () => void;
  readonly logger: Logger;
}

class KubernetesBackend implements Backend {
  readonly source: ClusterSource;
  readonly addresses: ServiceWriter;
  readonly tokens: TokenAccess;
  readonly #client: ApiClient;
  readonly #identity: ReplicaIdentity;
  readonly #isHot: boolean;
  readonly #exchange: string | undefined;
  readonly #elector: Elector;
  readonly #replicas: ReplicaStore;
  readonly #replicaWriter: ReplicaWriter;
  readonly #statusWriter: StatusWriter;
  readonly #writeCounts = new WriteCounts();
  readonly #unsubscribe: readonly (() => void)[];
  #leaderSinceMs: number | undefined;
  #situation: (() => Situation) | undefined;
  /** That the wanted status was made from. */
  #world: World | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #own = NO_STATUS;
  #company = NOBODY_ELSE;
  #memory = NO_MEMORY;

  constructor(client: ApiClient, settings: Settings, identity: ReplicaIdentity, surroundings: Surroundings) {
    const { name, namespace, uid } = identity;
    const clock = new UptimeClock();
    const watched = { client, namespace, settings: settings.guard };
    this.#client = client;
    this.#identity = identity;
    this.#isHot = settings.standbyMode === 'Hot';
    this.#exchange = exchangeUrl(settings, identity);
    this.source = new ClusterSource(watched);
    this.#replicas = new ReplicaStore(watched);
    const elector = this.#electorOf(client, settings, clock, surroundings);
    this.#elector = elector;
    const current = (key: string) => this.source.current(key);
    this.addresses = new ServiceWriter({
      client: this.#writeCounts.counting(client, () => 'addresses'),
      elector,
      clock,
      current,
      onDue: surroundings.onChange,
    });
    this.#statusWriter = new StatusWriter({
      client: this.#writeCounts.counting(client, statusKind),
      elector,
      clock,
      wallMs,
      current,
      addressesFirst: () => this.addresses.busy,
      generation: (kind, object) => this.#decidedGeneration(kind, object),
      reporter: { instance: name },
    });
    this.#replicaWriter = new ReplicaWriter({
      client: this.#writeCounts.counting(client, () => 'replica'),
      clock,
      namespace,
      pod: { name, uid },
      wallMs,
    });
    this.tokens = new TokenAccess({ client });
    this.#unsubscribe = this.#listen(surroundings.onChange);
  }

  #listen(onChange: () => void): readonly (() => void)[] {
    const onReplicas = (): void => {
      const before = this.#company;
      this.#write();
      if (this.company !== before) {
        onChange();
      }
    };
    return [this.source.onChange(onChange), this.#replicas.onChange(onReplicas)];
  }

  #electorOf(
    client: ApiClient,
    { election }: Settings,
    clock: UptimeClock,
    { onChange, logger }: Surroundings,
  ): Elector {
    const { name: identity, namespace } = this.#identity;
    return new Elector({
      client,
      namespace,
      identity,
      settings: election,
      clock,
      random: Math.random,
      onChange: (leadership) => {
        this.#leaderSinceMs = leadership.holder === '' ? undefined : Date.now();
        logger.info({ event: 'leadership', ...leadership }, leadershipSentence(leadership));
        onChange();
      },
    });
  }

  get leadership() {
    const { leading, term, handedOver } = this.#elector.leadership;
    return { leading, term, handedOver };
  }

  get leader(): LeaderView {
    const { holder } = this.#elector.leadership;
    return { holder: holder === '' ? undefined : holder, sinceMs: this.#leaderSinceMs };
  }

  /** Known once both were read, or cannot be. */
  get company(): Replicas | undefined {
    const hasLease = this.#elector.hasSeenLease || this.#elector.faults().length > 0;
    const hasReplicas = this.#replicas.synced || this.#replicas.faults().length > 0;
    const { holder } = this.#elector.leadership;
    this.#company = companyOf(holder, this.#replicas.statuses(), this.#company);
    return hasLease && hasReplicas ? this.#company : undefined;
  }

  get replicas(): ReadonlyMap<string, HeraldReplicaStatus> {
    return new Map([...this.#replicas.statuses(), [this.#identity.name, this.#own.status]]);
  }

  get others(): readonly string[] {
    const others = [...this.#replicas.statuses()].filter(([name]) => name !== this.#identity.name);
    return others.flatMap(([, { exchange = '' }]) => (isReplicaUrl(exchange) ? [exchange] : []));
  }

  sawTerm(term: number): void {
    if (term > this.#elector.leadership.term) {
      this.#elector.sawTerm(term);
    }
  }

  get kubernetes(): KubernetesView {
    return {
      requests: this.#client.requestCounts,
      watches: [...this.source.watches, this.#replicas.freshness],
      leaseRenewedAtMs: this.#elector.renewedAtMs,
      writes: this.#writeCounts.list(),
    };
  }

  faults(): readonly Fault[] {
    const parts = [this.#elector, this.#replicas, this.addresses, this.#statusWriter, this.#replicaWriter];
    return parts.flatMap((part) => part.faults());
  }

  async start(): Promise<void> {
    await this.source.start();
    this.#replicas.start();
    if (!this.#isHot) {
      this.#elector.start();
    }
    this.#refresh = setInterval(() => this.#write(), REFRESH_MS);
  }

  /**
   * Where all replicas announce, only who has decided stands for election: what a replica says first it says as a
   * standby, since it does not know what of it changed in the new term, and ranking it all anew would make routers lose
   * next hops for a moment.
   */
  publish(situation: () => Situation): void {
    if (this.#isHot && this.#situation === undefined) {
      this.#elector.start();
    }
    this.#situation = situation;
    this.#write();
  }

  async release(): Promise<void> {
    this.addresses.close();
    await this.#elector.release();
  }

  async close(): Promise<void> {
    clearInterval(this.#refresh);
    this.#unsubscribe.forEach((unsubscribe) => unsubscribe());
    await Promise.all([
      this.source.close(),
      this.#replicas.close(),
      this.#statusWriter.close(),
      this.#replicaWriter.close(),
    ]);
    await this.#client.close();
  }

  /** undefined while the source shows another object than was decided about. */
  #decidedGeneration(kind: OwnKind, name: string): number | undefined {
    const map = OWN_KINDS[kind];
    const isDecided = this.#world?.[map].get(name) === this.source.snapshot()[map].get(name);
    return isDecided ? this.source.generation(kind, name) : undefined;
  }

  #write(): void {
    if (this.#situation === undefined) {
      return;
    }
    const { world, decision, traffic, notReady } = this.#situation();
    this.#world = world;
    const { node } = this.#identity;
    const facts = { world, decision, traffic, notReady, node, version: VERSION, exchange: this.#exchange };
    this.#own = replicaStatus({ ...facts, freshAtMs: this.source.freshAtMs }, this.#own);
    this.#replicaWriter.set(this.#own.status);
    const replicas = this.#replicas.statuses();
    const inputs = { world, decision, faults: this.source.faults(), own: this.#own.status, replicas };
    this.#memory = wantedStatus(inputs, this.#memory);
    this.#statusWriter.set(this.#memory.wanted);
  }
}

function wallMs(): number {
  return Date.now();
}

function leadershipSentence({ leading, holder }: { leading: boolean; holder: string }): string {
  if (leading) {
    return 'this replica leads';
  }
  return holder === '' ? 'no replica leads' : 'another replica leads';
}
