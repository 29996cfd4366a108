// The listener on the pod network. With a certificate it serves everything over TLS to bearers of tokens that may
// read it, and health to everybody; without one it serves health only, as plain HTTP, because a token must
// never travel in the clear. Other replicas ask how this one is in either case (exchange/).

import type { PodListenerSettings } from '@herald/api';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Server as TlsServer } from 'node:tls';
import { createApp, listenAt } from './app.ts';
import { Certificate, type CertificateEvents } from './certificate.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { addExchange, EXCHANGE_PATH, type ExchangeOptions } from './exchange/exchange-endpoint.ts';
import { OPEN_PATHS, requireToken, type TokenCheck } from './pod-access.ts';

export interface PodListenerOptions {
  readonly settings: PodListenerSettings;
  readonly tokens: TokenCheck;
  /** undefined: other replicas are told nothing. */
  readonly exchange?: ExchangeOptions | undefined;
  /** How often the files of the certificate are looked at. */
  readonly certificateCheckMs?: number;
}

interface PodAppParts {
  readonly version: string;
  readonly logger: FastifyBaseLogger | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** Mounted Secrets change within a minute or two of the object. */
const CERTIFICATE_CHECK_MS = 10_000;
/** Whoever asks there shows that they have the key. */
const WITH_EXCHANGE: ReadonlySet<string> = new Set([...OPEN_PATHS, EXCHANGE_PATH]);

export class PodListener {
  readonly #app: FastifyInstance;
  readonly #certificate: Certificate | undefined;
  readonly port: number;

  private constructor(app: FastifyInstance, certificate: Certificate | undefined, port: number) {
    this.#app = app;
    this.#certificate = certificate;
    this.port = port;
  }

  /** Throws Error with a sentence when certificate and key cannot be used. */
  static async open(options: PodListenerOptions, parts: PodAppParts): Promise<PodListener> {
    const opened = await (options.settings.tls === undefined
      ? openPlain(options, parts)
      : openTls(options, parts));
    const { app, certificate } = opened;
    try {
      return new PodListener(app, certificate, await listenAt(app, options.settings));
    } catch (error) {
      certificate?.close();
      await app.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#certificate?.close();
    await this.#app.close();
  }
}

interface Opened {
  readonly app: FastifyInstance;
  readonly certificate: Certificate | undefined;
}

async function openPlain(options: PodListenerOptions, parts: PodAppParts): Promise<Opened> {
  const endpoints = parts.endpoints.filter(({ url }) => OPEN_PATHS.has(url));
  const extend = exchangeOf(options, parts);
  const app = await createApp({
    ...parts,
    endpoints,
    admit: () => Promise.resolve(),
    tls: undefined,
    extend,
  });
  return { app, certificate: undefined };
}

async function openTls(options: PodListenerOptions, parts: PodAppParts): Promise<Opened> {
  const { settings, tokens, certificateCheckMs } = options;
  let server: FastifyInstance['server'] | undefined;
  const events = certificateEvents(parts.logger, () => server);
  const files = settings.tls ?? { certificate: '', key: '' };
  const certificate = await Certificate.open(files, events, certificateCheckMs ?? CERTIFICATE_CHECK_MS);
  const admit = requireToken(tokens, options.exchange === undefined ? OPEN_PATHS : WITH_EXCHANGE);
  const extend = exchangeOf(options, parts);
  const app = await createApp({ ...parts, admit, tls: certificate.pair, extend });
  server = app.server;
  return { app, certificate };
}

function exchangeOf({ exchange }: PodListenerOptions, { logger, nowMs }: PodAppParts) {
  return (app: FastifyInstance): void => {
    if (exchange !== undefined) {
      addExchange(app, { ...exchange, logger, nowMs });
    }
  };
}

function certificateEvents(
  logger: FastifyBaseLogger | undefined,
  server: () => FastifyInstance['server'] | undefined,
): CertificateEvents {
  return {
    onChange: (pair) => {
      // New connections get the new pair; those that are open keep theirs.
      (server() as TlsServer | undefined)?.setSecureContext(pair);
      logger?.info({ event: 'certificate' }, 'the certificate of the pod listener was replaced');
    },
    onProblem: (problem) => logger?.error({ event: 'certificate-unusable' }, problem),
  };
}
