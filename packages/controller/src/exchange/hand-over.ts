// What a replica that was told to end waits for: that other replicas serve its routers. Bounded, and not at all where
// nobody else answers. Routers and the exchange in; resolves when the sessions may end.

import type { Logger } from '../logger.ts';
import { unserved } from './coverage.ts';
import type { Exchange } from './exchange.ts';

/** Between two rounds of questions, in milliseconds. */
const PAUSE_MS = 100;
/** Others ask twice a second: by then they have heard that this one leaves, and do not take it for one that fell silent. */
const TOLD_MS = 1000;

export interface HandOverParts {
  readonly exchange: Pick<Exchange, 'round' | 'reports'>;
  readonly patienceMs: number;
  readonly logger: Logger;
  /** The routers that this replica announces to, as they are now. */
  routers(): readonly string[];
}

export async function handOver(parts: HandOverParts): Promise<void> {
  const { exchange, logger, patienceMs } = parts;
  const begunMs = performance.now();
  const deadlineMs = begunMs + patienceMs;
  await exchange.round();
  let left = unserved(parts.routers(), exchange.reports());
  while (left.length > 0 && exchange.reports().length > 0 && performance.now() < deadlineMs) {
    await sleep(PAUSE_MS);
    await exchange.round();
    left = unserved(parts.routers(), exchange.reports());
  }
  const others = exchange.reports().map(({ replica }) => replica);
  if (others.length > 0) {
    await sleep(Math.min(begunMs + TOLD_MS, deadlineMs) - performance.now());
  }
  if (left.length === 0) {
    logger.info({ event: 'handed-over', others }, 'other replicas serve every router');
  } else {
    logger.warn({ event: 'not-handed-over', others, routers: left }, 'nobody else serves these routers');
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
