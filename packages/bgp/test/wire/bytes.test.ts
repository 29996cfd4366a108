import { describe, expect, it } from 'vitest';
import { decode, encode, endOfRibFamily } from '../../src/index.ts';
import { toHex } from '../octets.ts';
import { SAMPLES } from '../samples.ts';

describe('a message and its octets', () => {
  it.each(SAMPLES)('encodes $name', ({ message, session, bytes }) => {
    expect(toHex(encode(message, session))).toBe(toHex(bytes));
  });

  it.each(SAMPLES)('decodes $name', ({ message, session, bytes }) => {
    const decoded = decode(bytes, session);
    expect(decoded).toMatchObject({ ok: true, problems: [] });
    // addresses keep derived octets, so they are compared through their octets on the wire and as text
    expect(decoded.ok && toHex(encode(decoded.message, session))).toBe(toHex(bytes));
    expect(decoded.ok && plain(decoded.message)).toEqual(plain(message));
  });

  it.each(SAMPLES)('knows whether $name is an End-of-RIB', ({ name, message }) => {
    const family = message.kind === 'update' ? endOfRibFamily(message) : undefined;
    const expected = name === 'End-of-RIB IPv4' ? 4 : undefined;
    expect(family).toBe(name === 'End-of-RIB IPv6' ? 6 : expected);
  });
});

/** Values with text become their text, so that what is compared is what people read. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && 'text' in each ? each.text : each,
    ),
  );
}
