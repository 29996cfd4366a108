// A Secret whose values cannot be printed: JSON and inspection show the keys only. Everything else reads
// `data` like an ordinary record. It protects against accidents (a log line, a status dump), not against
// code that asks for the value.

import type { Meta } from './meta.ts';

export type SecretData = Readonly<Record<string, string>>;

export interface Secret extends Meta {
  readonly kind: 'Secret';
  readonly namespace: string;
  /** namespace/name */
  readonly key: string;
  readonly type: string;
  /** Decoded from base64 and UTF-8. */
  readonly data: SecretData;
}

const MASK = '***';
// The symbol that Node's inspect looks for; taken from the registry, so nothing of Node is imported here.
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A record that shows its keys and hides its values when it is printed in any of the usual ways. */
export function secretData(entries: Iterable<readonly [string, string]>): SecretData {
  // A key of this name would take the place of the method that hides the values.
  const kept = [...entries].filter(([key]) => key !== 'toJSON');
  const data: Record<string, string> = Object.fromEntries(kept);
  const masked = (): Record<string, string> =>
    Object.fromEntries(Object.keys(data).map((key) => [key, MASK]));
  // On the prototype: own keys stay exactly those of the Secret.
  return Object.setPrototypeOf(
    data,
    Object.create(Object.prototype, { toJSON: { value: masked }, [INSPECT]: { value: masked } }),
  ) as SecretData;
}
