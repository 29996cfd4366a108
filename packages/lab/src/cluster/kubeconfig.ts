/**
 * Writes a kubeconfig that carries its certificates in itself, readable by root only.
 *
 * JSON, which every reader of YAML reads.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { KeyPair } from './certificates.ts';

export interface KubeconfigSettings {
  readonly server: string;
  readonly authority: string;
  readonly user: KeyPair;
}

const NAME = 'lab';

export function writeKubeconfig(path: string, settings: KubeconfigSettings): string {
  const { server, authority, user } = settings;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: NAME,
        user: {
          'client-certificate-data': base64(user.certificate),
          'client-key-data': base64(user.key),
        },
      },
    ],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
    'current-context': NAME,
  };
  writeFileSync(path, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

function base64(file: string): string {
  return readFileSync(file).toString('base64');
}
