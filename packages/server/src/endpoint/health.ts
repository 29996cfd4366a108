// Alive: the loop ends its ticks. Ready: the controller has nothing left to wait for. Only the first may
// ever get the process restarted, so nothing outside the process can make it fail.

import type { Views } from '../views.ts';
import { health, readiness } from '../schema/responses.ts';
import { json, type Endpoint } from './endpoint.ts';
import type { Context } from './context.ts';

/** A tick takes milliseconds; one that has not ended after this long never will. */
const STUCK_AFTER_MS = 30_000;

export function healthEndpoints(context: Context): Endpoint[] {
  return [
    {
      url: '/healthz',
      summary: 'Alive: the loop ends its ticks',
      schema: { response: { 200: health, 503: health } },
      answer: () => answerHealth(context.views.current(), context.nowMs()),
    },
    {
      url: '/readyz',
      summary: 'Ready, or why not',
      schema: { response: { 200: readiness, 503: readiness } },
      answer: () => answerReadiness(context.views.current()),
    },
  ];
}

function answerHealth({ loop }: Views, nowMs: number): ReturnType<typeof json> {
  const pendingMs = loop.pendingSinceMs === undefined ? 0 : nowMs - loop.pendingSinceMs;
  return pendingMs < STUCK_AFTER_MS
    ? json({ alive: true, reason: 'the loop ticks' })
    : json({ alive: false, reason: `a tick has not ended for ${Math.round(pendingMs / 1000)} s` }, 503);
}

function answerReadiness({ notReady }: Views): ReturnType<typeof json> {
  const ready = notReady.length === 0;
  return json({ ready, notReady }, ready ? 200 : 503);
}
