// Writes, counted by what was written and how that ended. Stands between a writer and its client, so that no writer has
// to count; what was not sent, because this replica may not write, is not counted.

import type { ApiClient } from '../transport/api-client.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

export type CountedWrite = 'addresses' | 'conditions' | 'statuses' | 'events' | 'replica';

export interface WriteCount {
  readonly kind: CountedWrite;
  readonly outcome: WriteOutcome | 'written';
  readonly count: number;
}

type Client = Pick<ApiClient, 'request'>;

export class WriteCounts {
  readonly #counts = new Map<string, WriteCount>();

  list(): readonly WriteCount[] {
    return [...this.#counts.values()];
  }

  /** The client for a writer whose requests are of that kind. */
  counting(client: Client, kindOf: (request: ApiRequest) => CountedWrite): Client {
    return {
      request: async (request) => {
        try {
          const answer = await client.request(request);
          this.#add(request, kindOf, 'written');
          return answer;
        } catch (error) {
          this.#add(request, kindOf, outcomeOf(error));
          throw error;
        }
      },
    };
  }

  #add(
    request: ApiRequest,
    kindOf: (request: ApiRequest) => CountedWrite,
    outcome: WriteCount['outcome'],
  ): void {
    if (request.method === 'GET') {
      return;
    }
    const kind = kindOf(request);
    const key = `${kind} ${outcome}`;
    this.#counts.set(key, { kind, outcome, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }
}

/** What the writer of statuses writes, by where it goes. */
export function statusKind({ path }: Pick<ApiRequest, 'path'>): CountedWrite {
  if (/\/events(\/|$)/.test(path)) {
    return 'events';
  }
  return path.includes('/services/') ? 'conditions' : 'statuses';
}
