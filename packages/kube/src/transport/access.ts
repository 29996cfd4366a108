// Where the API server is and how we show who we are: what a transport needs and nothing of where it was
// read from (the pod's service account, a kubeconfig). Headers are asked for with each request and TLS
// material with each new connection, so rotated tokens, certificates and authorities are picked up.

import type { User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { FileAuth } from '@kubernetes/client-node/dist/file_auth.js';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { ApiError } from './api-error.ts';

export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: false;
}

export type Headers = Readonly<Record<string, string>>;

export interface Access {
  /** Origin, and a path in front of every request's if there is one; without a slash at the end. */
  readonly server: string;
  headers(): Promise<Headers>;
  tls(): Promise<TlsMaterial>;
  /** The server did not accept what `headers` gave: forget whatever is cached. */
  renew(): void;
}

export interface Credentials {
  readonly headers: Headers;
  /** Of a client certificate that a plugin issued. */
  readonly tls: Pick<TlsMaterial, 'cert' | 'key'>;
}

interface AuthOptions {
  headers: Record<string, string>;
  cert?: string;
  key?: string;
}

interface Authenticator {
  applyAuthentication(user: User, options: AuthOptions): Promise<void>;
}

/** A plugin that asks somebody for a password would otherwise wait for ever. */
const PLUGIN_LIMIT_MS = 15_000;

/** What the user of a kubeconfig is known by, besides files of certificates. */
export class UserCredentials {
  readonly #user: User;
  #authenticator: Authenticator | undefined;
  #running: Promise<Credentials> | undefined;

  constructor(user: User) {
    this.#user = user;
    this.renew();
  }

  /** Plugins and files cache for themselves; at most one runs at a time. */
  get(): Promise<Credentials> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  renew(): void {
    this.#authenticator = authenticatorOf(this.#user);
  }

  async #read(): Promise<Credentials> {
    const options: AuthOptions = { headers: staticHeaders(this.#user) };
    try {
      await this.#authenticator?.applyAuthentication(this.#user, options);
    } catch (error) {
      throw new ApiError('network', `credentials of ${this.#user.name} cannot be had (${codeOf(error)})`);
    }
    return {
      headers: trimmed(options.headers),
      tls: { ...(options.cert && { cert: options.cert }), ...(options.key && { key: options.key }) },
    };
  }
}

function authenticatorOf(user: User): Authenticator | undefined {
  if (user.exec !== undefined && user.exec !== null) {
    return Object.assign(new ExecAuth(), { execFn: spawnBounded });
  }
  return user.authProvider?.config?.tokenFile === undefined ? undefined : new FileAuth();
}

function spawnBounded(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(command, args ?? [], { ...options, timeout: PLUGIN_LIMIT_MS });
}

function staticHeaders(user: User): Record<string, string> {
  const headers: Record<string, string> = {};
  if (user.token) {
    headers['authorization'] = `Bearer ${user.token}`;
  } else if (user.username) {
    const pair = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    headers['authorization'] = `Basic ${pair}`;
  }
  if (user.impersonateUser) {
    headers['impersonate-user'] = user.impersonateUser;
  }
  return headers;
}

/** Token files often end in a line feed, which no header may hold. */
function trimmed(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]),
  );
}

/** A plugin's own words may hold what it was told in confidence. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'the plugin failed';
}
