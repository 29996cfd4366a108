// The header of every message (RFC 4271 section 6.1, RFC 8654): each type at each limit of its length, with the
// NOTIFICATION that a wrong one costs.

import { describe, expect, it } from 'vitest';
import { decode, MessageFramer, type WireProblem } from '../../src/index.ts';
import { decodeHeader, encodeMessage } from '../../src/wire/header.ts';
import { hex, PLAIN, toHex } from '../octets.ts';

const MARKER = 'ff'.repeat(16);

function header(length: number, type: number): Uint8Array {
  return hex(`${MARKER}${length.toString(16).padStart(4, '0')}${type.toString(16).padStart(2, '0')}`);
}

function problemOf(length: number, type: number, maximumLength: number): WireProblem | undefined {
  const outcome = decodeHeader(header(length, type), maximumLength);
  return outcome.ok ? undefined : outcome.problem;
}

type Limits = [name: string, type: number, shortest: number, longest: number];

/** RFC 4271 section 6.1; ROUTE-REFRESH is judged by its own rule (RFC 7313), so any length passes here. */
const SHORT_SESSION: readonly Limits[] = [
  ['OPEN', 1, 29, 4096],
  ['UPDATE', 2, 23, 4096],
  ['NOTIFICATION', 3, 21, 4096],
  ['KEEPALIVE', 4, 19, 19],
  ['ROUTE-REFRESH', 5, 19, 4096],
];

const LONG_SESSION: readonly Limits[] = [
  ['OPEN', 1, 29, 4096],
  ['UPDATE', 2, 23, 65535],
  ['NOTIFICATION', 3, 21, 65535],
  ['KEEPALIVE', 4, 19, 19],
  ['ROUTE-REFRESH', 5, 19, 65535],
];

const ROWS = [
  ...SHORT_SESSION.map((limits) => [4096, ...limits] as const),
  ...LONG_SESSION.map((limits) => [65535, ...limits] as const),
];

describe('the length of a message', () => {
  it.each(ROWS)('up to %i: %s (type %i) has %i to %i octets', (maximum, _, type, shortest, longest) => {
    for (const length of [shortest, longest]) {
      expect(decodeHeader(header(length, type), maximum)).toEqual({ ok: true, value: { length, type } });
    }
  });

  it.each(ROWS)('up to %i: %s (type %i) is refused with 1/2 outside %i to %i', (...row) => {
    const [maximum, , type, shortest, longest] = row;
    for (const length of [0, shortest - 1, longest + 1].filter((each) => each <= 65535)) {
      const problem = problemOf(length, type, maximum);
      expect(problem, `${length}`).toMatchObject({ disposition: 'session-reset', code: 1, subcode: 2 });
      expect(problem && toHex(problem.data), 'the data is the length').toBe(
        length.toString(16).padStart(4, '0'),
      );
    }
  });

  it('is judged before the type', () => {
    expect(problemOf(18, 99, 4096)).toMatchObject({ subcode: 2 });
    expect(problemOf(4097, 99, 4096)).toMatchObject({ subcode: 2 });
  });

  it('is what the octets are, in a message that is read whole', () => {
    const keepalive = header(19, 4);
    for (const bytes of [keepalive.subarray(0, 18), Uint8Array.from([...keepalive, 0]), new Uint8Array(0)]) {
      const decoded = decode(bytes, PLAIN);
      expect(decoded).toMatchObject({ ok: false, problem: { code: 1, subcode: 2 } });
      expect(!decoded.ok && toHex(decoded.problem.data)).toBe(bytes.length.toString(16).padStart(4, '0'));
    }
  });
});

describe('the type of a message', () => {
  it('is one of five; every other is refused with 1/3 and sent back', () => {
    for (let type = 0; type <= 255; type++) {
      const problem = problemOf(29, type, 4096);
      if (type >= 1 && type <= 5 && type !== 4) {
        expect(problem, `${type}`).toBeUndefined();
      } else if (type !== 4) {
        expect(problem, `${type}`).toMatchObject({ disposition: 'session-reset', code: 1, subcode: 3 });
        expect(problem && [...problem.data], `${type}`).toEqual([type]);
      }
    }
  });
});

describe('the marker', () => {
  it('is all ones: one bit that is not ends the session with 1/1 and no data', () => {
    for (let bit = 0; bit < 128; bit++) {
      const bytes = header(19, 4);
      bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
      const outcome = decodeHeader(bytes, 4096);
      expect(outcome, `bit ${bit}`).toMatchObject({ ok: false, problem: { code: 1, subcode: 1 } });
      expect(!outcome.ok && outcome.problem.data).toHaveLength(0);
    }
  });

  it('is judged before length and type', () => {
    const bytes = header(0, 0);
    bytes[15] = 0;
    expect(decodeHeader(bytes, 4096)).toMatchObject({ ok: false, problem: { subcode: 1 } });
  });
});

describe('a header that is written', () => {
  it.each([
    [4, [], '0013 04'],
    [3, ['0602'], '0015 03 0602'],
    [2, ['0000', '0000', '08 0a'], '0019 02 0000 0000 080a'],
  ])('counts what follows: type %i', (type, parts, expected) => {
    expect(toHex(encodeMessage(type, parts.map(hex)))).toBe(toHex(hex(`${MARKER} ${expected}`)));
  });

  it('has a length of two octets', () => {
    const bytes = encodeMessage(2, [new Uint8Array(60_000)]);
    expect(toHex(bytes.subarray(16, 19))).toBe('ea7302');
    expect(bytes).toHaveLength(60_019);
  });
});

describe('a framer', () => {
  it('tells a broken header once its last octet is there, without what it announces', () => {
    const framer = new MessageFramer();
    const bytes = header(4097, 2);
    for (const octet of bytes.subarray(0, 18)) {
      expect([...framer.push(Uint8Array.of(octet))]).toEqual([]);
    }
    expect([...framer.push(bytes.subarray(18))]).toMatchObject([
      { ok: false, problem: { code: 1, subcode: 2 } },
    ]);
  });

  it('waits for the rest of a whole header', () => {
    const framer = new MessageFramer();
    expect([...framer.push(header(23, 2))]).toEqual([]);
    expect([...framer.push(hex('000000'))]).toEqual([]);
    expect([...framer.push(hex('00'))]).toMatchObject([{ ok: true }]);
  });

  it('hands on what stood before the broken header', () => {
    const framer = new MessageFramer();
    const frames = [
      ...framer.push(Buffer.concat([header(19, 4), header(19, 4), header(19, 9), header(19, 4)])),
    ];
    expect(frames.map(({ ok }) => ok)).toEqual([true, true, false]);
  });

  it('takes empty chunks', () => {
    const framer = new MessageFramer();
    const frames = [new Uint8Array(0), header(19, 4), new Uint8Array(0)].flatMap((chunk) => [
      ...framer.push(chunk),
    ]);
    expect(frames.map(({ ok }) => ok)).toEqual([true]);
  });
});
