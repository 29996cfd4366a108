import { describe, expect, it } from 'vitest';
import { decode } from '../../src/index.ts';
import { message } from '../octets.ts';
import { SAMPLES } from '../samples.ts';
import { toHex } from '../octets.ts';

const HEADER = 19;

describe('a truncated message', () => {
  it.each(SAMPLES)('is refused at every octet: $name', ({ bytes, session }) => {
    for (let length = 0; length < bytes.length; length++) {
      expect(decode(bytes.subarray(0, length), session), `${length} octets`).toMatchObject({
        ok: false,
        problem: { disposition: 'session-reset', code: 1 },
      });
    }
  });

  // A header that tells the truncated length gets the octets as far as the body.
  const bodies = SAMPLES.filter(({ bytes }) => bytes.length > HEADER);

  it.each(bodies)('is never understood as if it were whole: $name', ({ bytes, session, message: whole }) => {
    for (let length = HEADER; length < bytes.length; length++) {
      const shorter = message(bytes[18] ?? 0, toHex(bytes.subarray(HEADER, length)));
      const decoded = decode(shorter, session);
      if (decoded.ok) {
        expect(decoded.message.kind, `${length} octets`).toBe(whole.kind);
        expect(decoded.message, `${length} octets`).not.toEqual(whole);
      } else {
        expect(decoded.problem.text, `${length} octets`).not.toBe('');
      }
    }
  });

  it.each(bodies.filter(({ message: { kind } }) => kind === 'open'))(
    'ends the session: $name',
    ({ bytes, session }) => {
      for (let length = HEADER; length < bytes.length; length++) {
        const shorter = message(1, toHex(bytes.subarray(HEADER, length)));
        expect(decode(shorter, session), `${length} octets`).toMatchObject({ ok: false });
      }
    },
  );
});
