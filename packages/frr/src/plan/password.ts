// Whether a password can be given to bgpd at all: one word of printable ASCII, at most 80 bytes, which is
// what a TCP MD5 key may have (RFC 2385, Linux TCP_MD5SIG_MAXKEYLEN). Anything else would be cut, or, with
// a line break, become a line of configuration of its own. The sentence never holds the password.

import type { PeerSession } from '@herald/decision';

const LONGEST_KEY_BYTES = 80;
const ONE_WORD = /^[\x21-\x7e]+$/;

export interface PeerRefusal {
  readonly peer: string;
  readonly reason: 'SecretInvalid';
  readonly message: string;
}

export function refusePassword(peer: PeerSession): PeerRefusal | undefined {
  const problem = peer.password === undefined ? undefined : passwordProblem(peer.password);
  return problem === undefined
    ? undefined
    : { peer: peer.name, reason: 'SecretInvalid', message: `the password ${problem}` };
}

function passwordProblem(password: string): string | undefined {
  if (password.length > LONGEST_KEY_BYTES) {
    return `is longer than ${LONGEST_KEY_BYTES} bytes`;
  }
  return ONE_WORD.test(password)
    ? undefined
    : 'is empty or holds a space, a control character or a character outside ASCII';
}
