// The API server of a cluster for tests that ask it very often: JSON over a few connections that are kept, as the
// cluster's administrator. Every answer is given back with its status; what a status means is the test's business.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

import type { Cluster } from '@herald/lab';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Question {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object | undefined;
  /** Default: a strategic merge for PATCH, else JSON. */
  readonly contentType?: string;
}

export const MERGE = 'application/merge-patch+json';
export const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';

const CONNECTIONS = 16;
const TIMEOUT_MS = 30_000;

export class ApiPool {
  readonly #agent: Agent;
  readonly #port: number;

  constructor({ facts }: Cluster) {
    const { port, authority, user } = facts.api.access;
    this.#port = port;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: CONNECTIONS,
      ca: readFileSync(authority),
      cert: readFileSync(user.certificate),
      key: readFileSync(user.key),
    });
  }

  ask({ method, path, body, contentType }: Question): Promise<Answer> {
    const type = contentType ?? (method === 'PATCH' ? STRATEGIC_MERGE : 'application/json');
    return new Promise((resolve, reject) => {
      const place = { host: '127.0.0.1', port: this.#port, path, method, agent: this.#agent };
      const asked = request(
        { ...place, timeout: TIMEOUT_MS, headers: { 'content-type': type } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: parsed(chunks) }));
        },
      );
      asked.on('error', reject);
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)));
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The body of an answer that has to be a success. */
  async must<T = unknown>(question: Question): Promise<T> {
    const { status, body } = await this.ask(question);
    if (status < 200 || status >= 300) {
      throw new Error(`${question.method} ${question.path}: ${status} ${JSON.stringify(body)}`);
    }
    return body as T;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(chunks: readonly Buffer[]): unknown {
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}
