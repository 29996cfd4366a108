// Finds the API server: the service account that Kubernetes puts into every pod, or the current context of
// a kubeconfig. Everything wrong with a kubeconfig is said at the start, by field and never by value.
//
// Not supported, and refused: proxies, and the auth-providers that kubectl itself no longer has. The whole
// of client-node, which has them, costs 55 MiB of memory; the parts that are used here cost 1.

import type { Cluster, Context, User } from '@kubernetes/client-node/dist/config_types.js';
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { UserCredentials, type Access, type Headers, type TlsMaterial } from './access.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export function podAccess(env: NodeJS.ProcessEnv = process.env, folder: string = SERVICE_ACCOUNT): Access {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new Error(
      'no kubeconfig is set, and this is no pod: KUBERNETES_SERVICE_HOST and _PORT are missing',
    );
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const tokenFile = { name: 'tokenFile', config: { tokenFile: `${folder}/token` } };
  return new ClusterAccess(
    { name: 'pod', server, caFile: `${folder}/ca.crt`, skipTLSVerify: false },
    { name: 'service account', authProvider: tokenFile },
  );
}

export async function kubeconfigAccess(path: string): Promise<Access> {
  const text = await readFile(path, 'utf8');
  return parseKubeconfig(text, path);
}

function parseKubeconfig(text: string, path: string): Access {
  const config = parseYaml(text, path);
  const contexts = newContexts(config['contexts']);
  const context = named<Context>(contexts, config['current-context'], path, 'current-context');
  const cluster = named<Cluster>(newClusters(config['clusters']), context.cluster, path, 'context.cluster');
  const users = newUsers(withTokenFiles(config['users'], path));
  const user = named<User>(users, context.user, path, 'context.user');
  refuseUnsupported(cluster, user, path);
  return new ClusterAccess(beside(cluster, path), withExecInfo(beside(user, path), cluster));
}

/** A parser's own words quote the line, which may hold a token. */
function parseYaml(text: string, path: string): Record<string, unknown> {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw new Error(`kubeconfig ${path}: is not YAML, line ${fault.linePos?.[0].line ?? 1}`);
  }
  return (document.toJS() ?? {}) as Record<string, unknown>;
}

function named<T extends { readonly name: string }>(
  items: readonly T[],
  name: unknown,
  path: string,
  field: string,
): T {
  const found = items.find((item) => item.name === name);
  if (found === undefined) {
    throw new Error(
      `kubeconfig ${path}: ${field} names ${JSON.stringify(name) ?? 'nothing'}, which is not there`,
    );
  }
  return found;
}

/** client-node knows a misspelt `token-file` and reads it once; ours is read again when it rotates. */
function withTokenFiles(users: unknown, path: string): unknown {
  return Array.isArray(users) ? users.map((entry) => withTokenFile(entry, path)) : users;
}

function withTokenFile(entry: { user?: Record<string, unknown> }, path: string): unknown {
  const file = entry.user?.['tokenFile'];
  if (typeof file !== 'string') {
    return entry;
  }
  const config = { tokenFile: resolve(dirname(path), file) };
  return { ...entry, user: { ...entry.user, 'auth-provider': { name: 'tokenFile', config } } };
}

function refuseUnsupported(cluster: Cluster, user: User, path: string): void {
  if (cluster.proxyUrl) {
    throw new Error(`kubeconfig ${path}: proxy-url is not supported`);
  }
  if (user.authProvider && user.authProvider.config?.tokenFile === undefined) {
    throw new Error(`kubeconfig ${path}: auth-provider is not supported; use exec`);
  }
}

type FileFields = { caFile?: string; certFile?: string; keyFile?: string };

/** Files stand relative to the kubeconfig. */
function beside<T extends FileFields>(item: T, path: string): T {
  const copy = { ...item };
  for (const field of ['caFile', 'certFile', 'keyFile'] as const) {
    const file = item[field];
    if (file) {
      copy[field] = resolve(dirname(path), file);
    }
  }
  return copy;
}

/** Plugins learn from this variable which version of the exchange is spoken. */
function withExecInfo(user: User, cluster: Cluster): User {
  if (!user.exec) {
    return user;
  }
  const { apiVersion, env = [] } = user.exec as { apiVersion?: string; env?: object[] };
  const info = {
    apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, cluster: { server: cluster.server } },
  };
  const variable = { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) };
  return { ...user, exec: { ...user.exec, env: [...(env ?? []), variable] } };
}

class ClusterAccess implements Access {
  readonly server: string;
  readonly #cluster: Cluster;
  readonly #user: User;
  readonly #credentials: UserCredentials;

  constructor(cluster: Cluster, user: User) {
    this.server = cluster.server.replace(/\/+$/, '');
    this.#cluster = cluster;
    this.#user = user;
    this.#credentials = new UserCredentials(user);
  }

  async headers(): Promise<Headers> {
    return (await this.#credentials.get()).headers;
  }

  async tls(): Promise<TlsMaterial> {
    if (!this.server.startsWith('https:')) {
      return {};
    }
    const [ca, cert, key] = await Promise.all([
      fileOrData(this.#cluster.caFile, this.#cluster.caData),
      fileOrData(this.#user.certFile, this.#user.certData),
      fileOrData(this.#user.keyFile, this.#user.keyData),
    ]);
    const { tls: issued } = await this.#credentials.get();
    return {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...issued,
      ...(this.#cluster.tlsServerName && { servername: this.#cluster.tlsServerName }),
      ...(this.#cluster.skipTLSVerify && { rejectUnauthorized: false as const }),
    };
  }

  renew(): void {
    this.#credentials.renew();
  }
}

async function fileOrData(file: string | undefined, data: string | undefined): Promise<Buffer | undefined> {
  if (file) {
    return readFile(file);
  }
  return data ? Buffer.from(data, 'base64') : undefined;
}
