// Ends the sessions so that routers know it is on purpose: every peer is shut down (Cease, administrative
// shutdown, RFC 4486), then bgpd is left as it booted, with the feed and no router. Bounded; a bgpd that
// cannot be spoken to has ended its sessions itself or cannot be helped.
//
// Shut down before removed: a removed neighbour gets Cease/Peer De-configured, and with graceful restart
// negotiated a bgpd that is simply stopped closes TCP without a word. The router is told by whom and why (RFC 9003).

import type { SessionPlan } from '@herald/decision';
import { readSessions, type SessionOutput, type VtySettings } from '@herald/frr';

import type { Logger } from './logger.ts';

const PATIENCE_MS = 5000;
const POLL_MS = 20;

export interface Ending {
  readonly plan: SessionPlan;
  /** What a router is told. */
  readonly message: string;
}

export async function endSessions(
  vty: VtySettings,
  output: SessionOutput,
  { plan, message: shutdownMessage }: Ending,
  logger: Logger,
): Promise<void> {
  try {
    const peers = plan.peers.map((peer) => ({ ...peer, shutdown: true, shutdownMessage }));
    await output.apply({ ...plan, peers });
    await untilDown(vty, Date.now() + PATIENCE_MS);
    await output.apply({ ...plan, peers: [] });
  } catch (error) {
    logger.warn({ event: 'sessions-not-ended', err: error }, 'bgpd did not end the sessions when asked to');
  }
}

async function untilDown(vty: VtySettings, deadlineMs: number): Promise<void> {
  while (Date.now() < deadlineMs) {
    const { sessions } = await readSessions(vty);
    if (![...sessions.values()].some(({ state }) => state === 'Established')) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
