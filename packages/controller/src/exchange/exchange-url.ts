// Where other replicas ask this one how it is: settings and the pod's address -> URL, or undefined where they cannot.

import type { Settings } from '@herald/api';

import type { ReplicaIdentity } from '../replica-identity.ts';

type ExchangeSettings = Pick<Settings, 'exchange' | 'podListener'>;

export function exchangeUrl(
  { exchange, podListener }: ExchangeSettings,
  { address }: Pick<ReplicaIdentity, 'address'>,
): string | undefined {
  if (exchange.keyFile === undefined || podListener === undefined || address === '') {
    return undefined;
  }
  const host = address.includes(':') ? `[${address}]` : address;
  return `${podListener.tls === undefined ? 'http' : 'https'}://${host}:${podListener.port}`;
}
