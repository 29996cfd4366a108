import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, MessageFramer, type Message } from '../../src/index.ts';
import { aMessage } from '../arbitrary.ts';
import { ADD_PATH, EXTENDED, toHex } from '../octets.ts';

const session = EXTENDED;

/** What a message says, without the caches of the values in it. */
function said(message: Message): unknown {
  return JSON.parse(
    JSON.stringify(message, (_, each: unknown) =>
      typeof each === 'object' && each !== null && 'text' in each ? each.text : each,
    ),
  );
}

describe('any message', () => {
  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(aMessage, (message) => {
        const decoded = decode(encode(message, session), session);
        expect(decoded).toMatchObject({ ok: true, problems: [] });
        expect(decoded.ok && said(decoded.message)).toEqual(said(message));
      }),
      { numRuns: 500 },
    );
  });

  it('has the same octets after decoding and encoding', () => {
    fc.assert(
      fc.property(aMessage, (message) => {
        const bytes = encode(message, session);
        const decoded = decode(bytes, session);
        expect(decoded.ok && toHex(encode(decoded.message, session))).toBe(toHex(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it('is cut out of a stream in one piece', () => {
    fc.assert(
      fc.property(fc.array(aMessage, { maxLength: 5 }), fc.integer({ min: 1, max: 64 }), (messages, step) => {
        const stream = Buffer.concat(messages.map((message) => encode(message, ADD_PATH)));
        const framer = new MessageFramer();
        const kinds: string[] = [];
        for (let at = 0; at < stream.length; at += step) {
          for (const frame of framer.push(stream.subarray(at, at + step))) {
            const decoded = frame.ok ? decode(frame.value, ADD_PATH) : frame;
            kinds.push(decoded.ok ? decoded.message.kind : decoded.problem.text);
          }
        }
        expect(kinds).toEqual(messages.map(({ kind }) => kind));
      }),
    );
  });
});
