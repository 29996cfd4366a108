// The one way in which the leader's writers reach the API server: every request is refused when this replica
// may not write, and may take no longer than its lease lasts. It cannot take back what is already on its way;
// for that, writes carry resourceVersion and addresses their term.

import type { Elector } from '../lease/elector.ts';
import type { ApiClient } from '../transport/api-client.ts';
import type { ApiRequest } from '../transport/api-request.ts';

export type WriteGate = Pick<Elector, 'mayWrite' | 'writeTimeoutMs' | 'leadership'>;

/** Not a failure of the API server: nothing was sent. */
export class NotLeading extends Error {
  override readonly name = 'NotLeading';

  constructor() {
    super('this replica may not write now');
  }
}

const LONGEST_REQUEST_MS = 15_000;
/** Everything that the leader writes has one manager, whichever replica leads. */
const FIELD_MANAGER = 'herald';

export const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';
export const MERGE = 'application/merge-patch+json';

export class LeaderClient {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #gate: WriteGate;

  constructor(client: Pick<ApiClient, 'request'>, gate: WriteGate) {
    this.#client = client;
    this.#gate = gate;
  }

  /** undefined when this replica may not write now; else the term in which it may. */
  get term(): number | undefined {
    return this.#gate.mayWrite() ? this.#gate.leadership.term : undefined;
  }

  async read(request: Omit<ApiRequest, 'timeoutMs' | 'body'>): Promise<unknown> {
    return this.#send({ ...request });
  }

  async write(request: Omit<ApiRequest, 'timeoutMs' | 'query'>): Promise<unknown> {
    return this.#send({ ...request, query: { fieldManager: FIELD_MANAGER } });
  }

  async #send(request: Omit<ApiRequest, 'timeoutMs'>): Promise<unknown> {
    const timeoutMs = Math.min(LONGEST_REQUEST_MS, this.#gate.writeTimeoutMs());
    if (timeoutMs <= 0) {
      throw new NotLeading();
    }
    return this.#client.request({ ...request, timeoutMs });
  }
}
