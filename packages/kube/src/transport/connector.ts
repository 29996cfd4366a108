// How a connection to the API server is made: with the TLS material of that moment, HTTP/1.1 only, and with
// TCP keepalive set so that the kernel finds out within half a minute that the other end is gone. That costs
// the API server nothing, while an idle watch hears a bookmark only about once a minute.

import { buildConnector } from 'undici';
import type { Access } from './access.ts';

/** First probe, distance of the next ones, and how many stay unanswered: 10 + 3 x 5 seconds. */
const KEEPALIVE = { enable: true, initialDelay: 10_000, interval: 5000, count: 3 };

/** TCP_KEEPINTVL and TCP_KEEPCNT are newer than the type declarations. */
interface TunableSocket {
  setKeepAlive(options: typeof KEEPALIVE): unknown;
}

export function connector(access: Access, connectMs: number): buildConnector.connector {
  return (options, callback) => {
    void connect(access, connectMs, options, callback);
  };
}

async function connect(
  access: Access,
  connectMs: number,
  options: buildConnector.Options,
  callback: buildConnector.Callback,
): Promise<void> {
  try {
    const dial = buildConnector({
      ...(await access.tls()),
      allowH2: false,
      maxCachedSessions: 0,
      timeout: connectMs,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE.initialDelay,
    });
    dial(options, (...result) => {
      (result[1] as TunableSocket | null)?.setKeepAlive(KEEPALIVE);
      callback(...result);
    });
  } catch (error) {
    callback(error as Error, null);
  }
}
