// Pools and Services of a test's own in a cluster that others use too: short specs in, objects of the real API out,
// and what the Services show after some time. One row of a table is one scene: it has its own addresses, pools that
// are pinned to its Services, and its own names, so that rows need not wait for one another's ends.
//
// In texts `#` stands for the row's number.

import { notYet, waitFor } from '@herald/lab';

import { MERGE, type ApiPool } from './api-pool.ts';

export interface PoolSpec {
  readonly addresses: readonly string[];
  readonly autoAssign?: boolean;
  readonly avoidBuggyIPs?: boolean;
  /** Instead of the pin to the row's Services. */
  readonly serviceAllocation?: object;
}

export interface ServiceSpec {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Requested pool, addresses and sharing key, by their annotations. */
  readonly pool?: string;
  readonly ips?: string;
  readonly share?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Of the Service's spec. */
  readonly spec?: object;
}

export interface ShownService {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    /** RFC 3339, whole seconds. */
    readonly creationTimestamp: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly loadBalancer: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
}

interface OwnObject {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
}

const APPLY = 'application/apply-patch+yaml';
const MANAGED = 'fieldManager=test&force=true';
const GROUP = '/apis/heraldbgp.io/v1alpha1';
const SHOWN_MS = 60_000;

export class AddressScene {
  readonly #api: ApiPool;
  readonly #namespace: string;
  readonly #row: number;

  constructor(api: ApiPool, namespace: string, row: number) {
    this.#api = api;
    this.#namespace = namespace;
    this.#row = row;
  }

  /** The name that an object of the row has in the cluster. */
  name(short: string): string {
    return `${this.#namespace}-${this.#row}-${short}`;
  }

  text(template: string): string {
    return template.replaceAll('#', String(this.#row));
  }

  async pool(short: string, spec: PoolSpec): Promise<void> {
    const pin = { serviceSelectors: [{ matchLabels: { row: '#' } }] };
    await this.#apply(`${GROUP}/ipaddresspools/${this.name(short)}`, {
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'IPAddressPool',
      metadata: { name: this.name(short) },
      spec: { serviceAllocation: pin, ...spec },
    });
    await this.#poolRead(short);
  }

  /** Pools and Services are watched apart: whoever gives addresses has seen the pool before the Service that comes next. */
  async #poolRead(short: string): Promise<void> {
    const path = `${GROUP}/ipaddresspools/${this.name(short)}`;
    await waitFor(
      `pool ${short} was read`,
      async () => {
        const { metadata, status } = await this.#api.must<OwnObject>({ method: 'GET', path });
        return status?.observedGeneration === metadata.generation || notYet(status);
      },
      SHOWN_MS,
    );
  }

  async service(short: string, given: ServiceSpec): Promise<void> {
    const { namespace = this.#namespace, labels = {}, port = 80, spec = {} } = given;
    const name = this.name(short);
    await this.#apply(`/api/v1/namespaces/${namespace}/services/${name}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: { row: '#', ...labels }, annotations: this.#annotations(given) },
      spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port, name: `p${port}` }], ...spec },
    });
  }

  /**
   * Ages are whole seconds of the API server's clock, which is this machine's, and of two Services of one second the
   * UID says who is older.
   */
  async isOlderThanNext(short: string): Promise<void> {
    const { creationTimestamp } = (await this.show(short)).metadata;
    const nextMs = Date.parse(creationTimestamp) + 1000;
    await waitFor(`the second of ${creationTimestamp} is over`, () =>
      Promise.resolve(Date.now() >= nextMs || notYet(nextMs - Date.now())),
    );
  }

  /** A merge patch of what is there. */
  async edit(short: string, patch: object): Promise<void> {
    await this.#api.must({
      method: 'PATCH',
      path: this.#path(short),
      contentType: MERGE,
      body: this.#filled(patch),
    });
  }

  async removePool(short: string): Promise<void> {
    await this.#api.ask({ method: 'DELETE', path: `${GROUP}/ipaddresspools/${this.name(short)}` });
  }

  async removeService(short: string, namespace = this.#namespace): Promise<void> {
    await this.#api.ask({ method: 'DELETE', path: this.#path(short, namespace) });
  }

  async show(short: string, namespace = this.#namespace): Promise<ShownService> {
    return await this.#api.must({ method: 'GET', path: this.#path(short, namespace) });
  }

  /** Short name -> its addresses in order, and why it has not what it asks for. */
  async shows(wanted: Readonly<Record<string, string>>, namespace?: string): Promise<void> {
    const expected = this.text(JSON.stringify(wanted));
    await waitFor(
      `the Services show ${expected}`,
      async () => {
        const all = Object.keys(wanted).map(async (short) => [
          short,
          summary(await this.show(short, namespace)),
        ]);
        const seen = JSON.stringify(Object.fromEntries(await Promise.all(all)));
        return seen === expected || notYet(seen);
      },
      SHOWN_MS,
    );
  }

  async poolSays(short: string, type: string, status: string, reason: string): Promise<void> {
    await waitFor(
      `pool ${short} says ${type} ${status} ${reason}`,
      async () => {
        const path = `${GROUP}/ipaddresspools/${this.name(short)}`;
        const { status: seen } = await this.#api.must<OwnObject>({ method: 'GET', path });
        const found = seen?.conditions?.find((condition) => condition.type === type);
        return (found?.status === status && found.reason === reason) || notYet(seen);
      },
      SHOWN_MS,
    );
  }

  #path(short: string, namespace = this.#namespace): string {
    return `/api/v1/namespaces/${namespace}/services/${this.name(short)}`;
  }

  #annotations({ pool, ips, share, annotations = {} }: ServiceSpec): Record<string, string> {
    return {
      ...(pool === undefined ? {} : { 'heraldbgp.io/address-pool': this.name(pool) }),
      ...(ips === undefined ? {} : { 'heraldbgp.io/load-balancer-ips': ips }),
      ...(share === undefined ? {} : { 'heraldbgp.io/allow-shared-ip': share }),
      ...annotations,
    };
  }

  async #apply(path: string, object: object): Promise<void> {
    const body = this.#filled(object);
    await this.#api.must({ method: 'PATCH', path: `${path}?${MANAGED}`, contentType: APPLY, body });
  }

  #filled(object: object): object {
    return JSON.parse(this.text(JSON.stringify(object))) as object;
  }
}

/** Reasons of a Service that has what it asks for; nothing is behind it, so it is not announced. */
const CONTENT = new Set(['NoUsableEndpoint', 'Advertised']);

/** Addresses, then the reason where something is amiss; a host in its place. */
export function summary({ status }: ShownService): string {
  const entries = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '');
  const condition = status.conditions?.find(({ type }) => type === 'heraldbgp.io/Advertised');
  const reason = condition === undefined || CONTENT.has(condition.reason) ? '' : condition.reason;
  return [entries.join(','), reason].filter((text) => text !== '').join(' ');
}
