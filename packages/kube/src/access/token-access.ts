// Whether the bearer of a token may read something of ours: the API server is asked who it is and whether that
// user may (verb, path). Both answers are kept for a few seconds under a keyed hash, so that neither a
// scraper nor a page costs a request each time, and no token is ever kept.
//
// When the API server cannot be asked the answer is `unavailable`, never yes. A flood of tokens cannot
// become a flood of requests: only so many questions are on their way at once.

import { createHmac, randomBytes } from 'node:crypto';
import type { ApiClient } from '../transport/api-client.ts';
import { BriefCache } from './brief-cache.ts';
import {
  accessReview,
  readAccessReview,
  readTokenReview,
  tokenReview,
  type ReviewedUser,
  type ReviewRequest,
} from './review.ts';

export type Access = 'yes' | 'unauthenticated' | 'forbidden' | 'unavailable';

/** What is needed of the API client. */
export type ReviewClient = Pick<ApiClient, 'request'>;

export interface TokenAccessOptions {
  readonly client: ReviewClient;
  /** Milliseconds on a clock that never goes back. */
  readonly nowMs?: () => number;
}

/** How long a token that was revoked, or a right that was taken away, may still work. */
const KEPT_MS = 10_000;
const CACHED_ANSWERS = 1024;
const QUESTIONS_AT_ONCE = 16;
/** Whoever asks us is not kept waiting for longer. */
const TIMEOUT_MS = 5000;
/** RFC 6750 section 2.1; anything else is nobody's token and not worth a question. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

export class TokenAccess {
  readonly #client: ReviewClient;
  readonly #users: BriefCache<ReviewedUser | undefined>;
  readonly #rights: BriefCache<boolean>;
  readonly #hashKey = randomBytes(32);
  #asking = 0;

  constructor({ client, nowMs = () => performance.now() }: TokenAccessOptions) {
    const options = { keptMs: KEPT_MS, entries: CACHED_ANSWERS, nowMs };
    this.#client = client;
    this.#users = new BriefCache(options);
    this.#rights = new BriefCache(options);
  }

  /** Never throws. */
  async may(token: string, verb: string, path: string): Promise<Access> {
    if (!TOKEN.test(token)) {
      return 'unauthenticated';
    }
    try {
      return await this.#ask(token, verb, path);
    } catch {
      return 'unavailable';
    }
  }

  async #ask(token: string, verb: string, path: string): Promise<Access> {
    const user = await this.#users.get(this.#hash(token), async () =>
      readTokenReview(await this.#send(tokenReview(token))),
    );
    if (user === undefined) {
      return 'unauthenticated';
    }
    const allowed = await this.#rights.get(this.#hash(token, verb, path), async () =>
      readAccessReview(await this.#send(accessReview(user, verb, path))),
    );
    return allowed ? 'yes' : 'forbidden';
  }

  #hash(...parts: readonly string[]): string {
    return createHmac('sha256', this.#hashKey).update(JSON.stringify(parts)).digest('base64');
  }

  async #send(review: ReviewRequest): Promise<unknown> {
    if (this.#asking >= QUESTIONS_AT_ONCE) {
      throw new RangeError('Too many questions are on their way to the API server.');
    }
    this.#asking += 1;
    try {
      return await this.#client.request({ ...review, timeoutMs: TIMEOUT_MS });
    } finally {
      this.#asking -= 1;
    }
  }
}
