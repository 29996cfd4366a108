// The TCP MD5 password (RFC 2385) that a peer's `passwordSecret` names: the password, none asked for, or why
// it cannot be had. The chart lets Herald read Secrets of its own namespace only, so a name says enough;
// where a manifest folder has several of one name, the first by key is taken.
//
// A password is used as it is written or not at all: a line end that slipped in is refused, because trimming
// it would give a password that the Secret does not show.

import type { Peer, Reason, Secret } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import { compareText } from './peer-order.ts';

export type PasswordReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'fault'; readonly reason: Reason; readonly message: string };

const SECRET_TYPES: readonly string[] = ['Opaque', 'kubernetes.io/basic-auth'];

/** TCP_MD5SIG_MAXKEYLEN of Linux. */
const MAX_PASSWORD_LENGTH = 80;

/** Printable ASCII without space: what a line of bgpd's configuration can carry unchanged. */
const PASSWORD_CHARACTERS = /^[\x21-\x7e]+$/;

export function readPassword(peer: Peer, secrets: PersistentMap<Secret>): PasswordReading {
  const wanted = peer.passwordSecret;
  if (wanted === undefined) {
    return { kind: 'none' };
  }
  const secret = secretNamed(wanted.name, secrets);
  if (secret === undefined) {
    return fault('SecretMissing', `Secret ${wanted.name} does not exist.`);
  }
  if (!SECRET_TYPES.includes(secret.type)) {
    return fault(
      'SecretInvalid',
      `Secret ${wanted.name} has type ${secret.type}, not ${SECRET_TYPES.join(' or ')}.`,
    );
  }
  return readKey(secret, wanted.key);
}

function readKey(secret: Secret, key: string): PasswordReading {
  const password = Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (password === undefined) {
    return fault('SecretMissing', `Secret ${secret.name} has no key ${key}.`);
  }
  const problem = passwordProblem(password);
  return problem === undefined
    ? { kind: 'password', password }
    : fault('SecretInvalid', `Secret ${secret.name}: the password in key ${key} ${problem}.`);
}

function passwordProblem(password: string): string | undefined {
  if (password === '') {
    return 'is empty';
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    return `is longer than ${MAX_PASSWORD_LENGTH} characters`;
  }
  if (/[\r\n]$/.test(password)) {
    return 'ends with a line end';
  }
  return PASSWORD_CHARACTERS.test(password)
    ? undefined
    : 'has characters other than printable ASCII without space';
}

function fault(reason: Reason, message: string): PasswordReading {
  return { kind: 'fault', reason, message };
}

function secretNamed(name: string, secrets: PersistentMap<Secret>): Secret | undefined {
  return [...secrets.values()]
    .filter((secret) => secret.name === name)
    .sort((a, b) => compareText(a.key, b.key))
    .at(0);
}
