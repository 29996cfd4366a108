// Objects of a cluster, made, changed and taken away over the pooled connections of Herald's own client, so that a
// measurement begins with a request and not with the start of a program.

import { ApiClient, ApiError } from '@herald/kube';
import { notYet, waitFor } from '@herald/lab';

const MERGE = 'application/merge-patch+json';
const GONE_MS = 120_000;
/** A request that takes so long spoils a figure, but not the run. */
const TIMEOUT_MS = 60_000;
const NOT_FOUND = 404;

export class ClusterApi {
  readonly #client: ApiClient;

  private constructor(client: ApiClient) {
    this.#client = client;
  }

  static async connect(kubeconfig: string): Promise<ClusterApi> {
    return new ClusterApi(await ApiClient.fromSettings({ kubeconfig }));
  }

  async get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    return (await this.#client.request({ method: 'GET', path, query, timeoutMs: TIMEOUT_MS })) as T;
  }

  async create<T = unknown>(path: string, body: object): Promise<T> {
    return (await this.#client.request({ method: 'POST', path, body, timeoutMs: TIMEOUT_MS })) as T;
  }

  async change(path: string, body: object): Promise<void> {
    await this.#client.request({ method: 'PATCH', path, body, contentType: MERGE, timeoutMs: TIMEOUT_MS });
  }

  /** What is not there any more is deleted. */
  async remove(path: string): Promise<void> {
    try {
      await this.#client.request({ method: 'DELETE', path, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
    }
  }

  async removed(path: string): Promise<void> {
    await this.remove(path);
    await waitFor(
      `${path} is gone`,
      async () => {
        try {
          return notYet(await this.get(path));
        } catch (error) {
          return isNotFound(error);
        }
      },
      GONE_MS,
    );
  }

  /** All of a list, so many at the same time. */
  async each<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<unknown>): Promise<void> {
    const queue = items.values();
    const worker = async (): Promise<void> => {
      for (const item of queue) {
        await act(item);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === NOT_FOUND;
}
