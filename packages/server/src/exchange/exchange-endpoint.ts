// Where other replicas ask this one how it is: a path of the pod listener, with TLS or without, for who has the key.
// What is answered is not secret, so that plain HTTP will do; that nobody else can make up an answer is what counts.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import { readKeys } from './exchange-keys.ts';
import { RefusalLog } from './refusal-log.ts';
import { admit, seal, type Admission, type SealedAnswer } from './seal.ts';

export const EXCHANGE_PATH = '/replica';

export interface ExchangeOptions {
  readonly keyFile: string;
  /** What this replica says of itself now, as text. */
  readonly report: () => string;
}

export interface ExchangeParts extends ExchangeOptions {
  readonly logger: FastifyBaseLogger | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

export function addExchange(app: FastifyInstance, parts: ExchangeParts): void {
  const refusals = new RefusalLog(parts.logger);
  app.get(EXCHANGE_PATH, { schema: { hide: true } }, (request) => answered(request, parts, refusals));
}

async function answered(
  request: FastifyRequest,
  parts: ExchangeParts,
  refusals: RefusalLog,
): Promise<SealedAnswer> {
  const admission = await admissionOf(request, parts);
  if (admission.kind === 'refused') {
    refusals.add(request.ip, admission.reason, parts.nowMs());
    throw new Problem(401, 'Only other replicas of Herald may ask this.', {
      headers: { 'www-authenticate': 'Herald' },
    });
  }
  return seal(parts.report(), admission);
}

/** A key that cannot be read lets nobody in. */
async function admissionOf(request: FastifyRequest, { keyFile, nowMs }: ExchangeParts): Promise<Admission> {
  const keys = await readKeys(keyFile).catch(() => []);
  return admit(request.headers.authorization, keys, nowMs());
}
