/**
 * Small questions to the API server, without the start of a kubectl each: JSON in, JSON out, one connection each.
 *
 * For the lab's own waiting; tests use kubectl or a client of their own.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { KeyPair } from './certificates.ts';

export interface ApiAccess {
  readonly port: number;
  readonly authority: string;
  readonly user: KeyPair;
}

const TIMEOUT_MS = 5_000;

/** Rejects on every status but 2xx. A body makes it a POST. */
export function askApi(access: ApiAccess, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: access.port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        timeout: TIMEOUT_MS,
        headers: { 'content-type': 'application/json' },
        ca: readFileSync(access.authority),
        cert: readFileSync(access.user.certificate),
        key: readFileSync(access.user.key),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(new Error(`${path}: status ${status}: ${text}`));
        });
      },
    );
    asked.on('error', reject);
    asked.on('timeout', () => asked.destroy(new Error(`${path}: no answer`)));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
