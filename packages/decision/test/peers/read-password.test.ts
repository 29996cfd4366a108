// The password that a peer's Secret gives: used as written or refused with the reason, and never in a message.

import fc from 'fast-check';
import { PersistentMap } from '@herald/net';
import { describe, expect, test } from 'vitest';
import type { Secret } from '@herald/api';
import { readPassword } from '../../src/peers/read-password.ts';
import { peer, secret } from './peer-objects.ts';

const WANTED = peer('tor', { passwordSecret: { name: 'herald-bgp', key: 'tor' } });

const secrets = (...list: readonly Secret[]) => PersistentMap.from(list.map((each) => [each.key, each]));
const holding = (password: string) => secrets(secret('herald-bgp', { tor: password }));

/** The password in quotes, or reason and message. */
function read(from: PersistentMap<Secret>, of = WANTED): string {
  const reading = readPassword(of, from);
  switch (reading.kind) {
    case 'none':
      return 'none';
    case 'password':
      return JSON.stringify(reading.password);
    case 'fault':
      return `${reading.reason}: ${reading.message}`;
  }
}

describe('a peer without a Secret', () => {
  test('has no password, whatever Secrets there are', () => {
    expect(read(holding('s3cret'), peer('tor'))).toBe('none');
  });
});

describe('a password that is used as it is written', () => {
  test.each([
    ['a'],
    ['s3cret'],
    ['"quoted"'],
    ["it's"],
    ['back\\slash'],
    ['!#$%&()*+,-./:;<=>?@[]^_`{|}~'],
    ['x'.repeat(80)],
    ['0'],
  ])('%s', (password) => {
    expect(read(holding(password))).toBe(JSON.stringify(password));
  });
});

describe('a password that is refused', () => {
  const rows: (readonly [string, string, string])[] = [
    ['empty', '', 'is empty'],
    ['81 characters', 'x'.repeat(81), 'is longer than 80 characters'],
    ['80 characters and a line end', `${'x'.repeat(80)}\n`, 'is longer than 80 characters'],
    ['a line end', 's3cret\n', 'ends with a line end'],
    ['a line end of another system', 's3cret\r\n', 'ends with a line end'],
    ['a carriage return', 's3cret\r', 'ends with a line end'],
    ['a line end alone', '\n', 'ends with a line end'],
    ['a line end inside', 's3\ncret', 'has characters other than'],
    ['a space inside', 's3 cret', 'has characters other than'],
    ['a space before', ' s3cret', 'has characters other than'],
    ['a space behind', 's3cret ', 'has characters other than'],
    ['a tab', 's3\tcret', 'has characters other than'],
    ['a zero byte', 's3\0cret', 'has characters other than'],
    ['an escape', 's3\u001bcret', 'has characters other than'],
    ['delete', 's3\u007fcret', 'has characters other than'],
    ['an accent', 'sécret', 'has characters other than'],
    ['an emoji', 's3cret🔑', 'has characters other than'],
  ];
  test.each(rows)('%s', (_name, password, why) => {
    const text = read(holding(password));
    expect(text).toContain('SecretInvalid: Secret herald-bgp: the password in key tor ');
    expect(text).toContain(why);
  });

  test.each(rows.filter(([, password]) => password.trim().length > 2))(
    '%s: the message does not give it away',
    (_name, password) => {
      expect(read(holding(password))).not.toContain(password.trim());
    },
  );
});

describe('a Secret', () => {
  const rows: (readonly [string, PersistentMap<Secret>, string])[] = [
    ['that does not exist', secrets(), 'SecretMissing: Secret herald-bgp does not exist.'],
    [
      'of another name',
      secrets(secret('other', { tor: 'x' })),
      'SecretMissing: Secret herald-bgp does not exist.',
    ],
    [
      'without the key',
      secrets(secret('herald-bgp', { spine: 'x' })),
      'SecretMissing: Secret herald-bgp has no key tor.',
    ],
    [
      'without any key',
      secrets(secret('herald-bgp', {})),
      'SecretMissing: Secret herald-bgp has no key tor.',
    ],
    [
      'with the key in another case',
      secrets(secret('herald-bgp', { Tor: 'x' })),
      'SecretMissing: Secret herald-bgp has no key tor.',
    ],
    ['of type Opaque', secrets(secret('herald-bgp', { tor: 'x' }, 'Opaque')), '"x"'],
    ['of type basic-auth', secrets(secret('herald-bgp', { tor: 'x' }, 'kubernetes.io/basic-auth')), '"x"'],
    [
      'of type TLS',
      secrets(secret('herald-bgp', { tor: 'x' }, 'kubernetes.io/tls')),
      'SecretInvalid: Secret herald-bgp has type kubernetes.io/tls, not Opaque or kubernetes.io/basic-auth.',
    ],
    [
      'of a wrong type and without the key: the type is said',
      secrets(secret('herald-bgp', {}, 'bootstrap.kubernetes.io/token')),
      'SecretInvalid: Secret herald-bgp has type bootstrap.kubernetes.io/token, not Opaque or kubernetes.io/basic-auth.',
    ],
    [
      'without a type',
      secrets(secret('herald-bgp', { tor: 'x' }, '')),
      'SecretInvalid: Secret herald-bgp has type , not Opaque or kubernetes.io/basic-auth.',
    ],
  ];
  test.each(rows)('%s', (_name, from, expected) => {
    expect(read(from)).toBe(expected);
  });

  test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'has no key %s that nobody wrote',
    (key) => {
      const of = peer('tor', { passwordSecret: { name: 'herald-bgp', key } });
      expect(read(secrets(secret('herald-bgp', { tor: 'x' })), of)).toBe(
        `SecretMissing: Secret herald-bgp has no key ${key}.`,
      );
    },
  );

  test('of one name in several namespaces: the first by key, in whatever order they came', () => {
    const first = { ...secret('herald-bgp', { tor: 'first' }), namespace: 'a', key: 'a/herald-bgp' };
    const second = { ...secret('herald-bgp', { tor: 'second' }), namespace: 'b', key: 'b/herald-bgp' };
    expect(read(secrets(first, second))).toBe('"first"');
    expect(read(secrets(second, first))).toBe('"first"');
  });
});

describe('for every text', () => {
  test('it is used whole or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (password) => {
        const reading = readPassword(WANTED, holding(password));
        const good = /^[!-~]{1,80}$/.test(password) && !password.includes('\n');
        expect(reading).toMatchObject(
          good ? { kind: 'password', password } : { kind: 'fault', reason: 'SecretInvalid' },
        );
      }),
    );
  });
});
