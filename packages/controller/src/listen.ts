// Opens the listeners that the settings name: the one on loopback, and the one on the pod's network. -> the loopback
// one's port.

import type { Settings } from '@herald/api';
import type { PodListenerOptions, Server, TokenCheck } from '@herald/server';

import type { Logger } from './logger.ts';

interface Listening {
  readonly settings: Pick<Settings, 'podListener' | 'http'>;
  /** undefined: nobody can be asked who may read, so nobody may. */
  readonly tokens: TokenCheck | undefined;
  readonly exchange: PodListenerOptions['exchange'];
}

const NOBODY: TokenCheck = { may: () => Promise.resolve('unauthenticated') };

export async function listen(server: Server, listening: Listening, logger: Logger): Promise<number> {
  const { settings, tokens = NOBODY, exchange } = listening;
  const { podListener, http } = settings;
  if (podListener !== undefined) {
    const port = await server.listenOnPodNetwork({ settings: podListener, tokens, exchange });
    logger.info({ event: 'pod-listener', port, tls: podListener.tls !== undefined }, 'listening');
  }
  return await server.listen(http);
}
