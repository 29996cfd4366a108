// Captured frames -> the bytes of each direction, however the capture is cut and however segments arrive.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PcapReader, decodeFrame, ipv6Text } from '../src/pcap.ts';
import type { TcpSegment } from '../src/pcap.ts';
import { TcpReassembler } from '../src/tcp-reassembler.ts';
import type { TcpBytes } from '../src/tcp-reassembler.ts';

interface Frame {
  readonly family?: 4 | 6;
  readonly sequence?: number;
  readonly flags?: number;
  readonly payload?: string;
  readonly options?: number;
  readonly padding?: number;
}

/** Ethernet, then IP, then TCP, as in RFC 9293 3.1, RFC 791 3.1 and RFC 8200 3. */
function frame({
  family = 4,
  sequence = 1,
  flags = 0x18,
  payload = '',
  options = 0,
  padding = 0,
}: Frame): Buffer {
  const tcp = Buffer.alloc(20 + options);
  tcp.writeUInt16BE(43_210, 0);
  tcp.writeUInt16BE(179, 2);
  tcp.writeUInt32BE(sequence, 4);
  tcp.writeUInt8(((20 + options) / 4) << 4, 12);
  tcp.writeUInt8(flags, 13);
  const body = Buffer.concat([tcp, Buffer.from(payload)]);
  const ethernet = Buffer.alloc(14);
  ethernet.writeUInt16BE(family === 4 ? 0x0800 : 0x86dd, 12);
  return Buffer.concat([ethernet, family === 4 ? ipv4(body) : ipv6(body), body, Buffer.alloc(padding)]);
}

function ipv4(body: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(20 + body.length, 2);
  header.writeUInt8(6, 9);
  header.set([192, 0, 2, 1, 192, 0, 2, 2], 12);
  return header;
}

function ipv6(body: Buffer): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt16BE(body.length, 4);
  header.writeUInt8(6, 6);
  header.set([0x20, 0x01, 0x0d, 0xb8], 8);
  header.writeUInt8(1, 23);
  header.set([0x20, 0x01, 0x0d, 0xb8], 24);
  header.writeUInt8(2, 39);
  return header;
}

type Order = 'little' | 'big';

function pcap(frames: readonly Buffer[], order: Order, magic: number): Buffer {
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    if (order === 'little') bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const header = Buffer.concat([word(magic), Buffer.alloc(16), word(1)]);
  const records = frames.flatMap((bytes) => [
    word(1_700_000_000),
    word(magic === 0xa1b2c3d4 ? 250_000 : 250_000_000),
    word(bytes.length),
    word(bytes.length),
    bytes,
  ]);
  return Buffer.concat([header, ...records]);
}

describe('a capture', () => {
  const frames = [
    frame({ payload: 'one' }),
    frame({ family: 6, sequence: 9, payload: 'two', options: 12 }),
    frame({ payload: 'x', padding: 6 }),
    Buffer.alloc(60),
  ];
  const rows: [order: Order, magic: number][] = [
    ['little', 0xa1b2c3d4],
    ['big', 0xa1b2c3d4],
    ['little', 0xa1b23c4d],
    ['big', 0xa1b23c4d],
  ];
  test.each(rows)('%s endian, magic %i: the same wherever it is cut', (order, magic) => {
    const bytes = pcap(frames, order, magic);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const seen: TcpSegment[] = [];
      const reader = new PcapReader((one) => seen.push(one));
      reader.push(bytes.subarray(0, cut));
      reader.push(bytes.subarray(cut));
      expect(seen.map((one) => [one.source, one.destination, one.sequence, one.payload.toString()])).toEqual([
        ['192.0.2.1', '192.0.2.2', 1, 'one'],
        ['2001:db8::1', '2001:db8::2', 9, 'two'],
        ['192.0.2.1', '192.0.2.2', 1, 'x'],
      ]);
      expect(seen[0]?.timeMs).toBe(1_700_000_000_250);
    }
  });

  test('random and truncated frames are skipped, never thrown', () => {
    const whole = frame({ payload: 'payload', options: 8 });
    for (let length = 0; length < whole.length; length += 1)
      expect(decodeFrame(whole.subarray(0, length), 0)).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        decodeFrame(Buffer.from(bytes), 0);
      }),
    );
  });

  test.each([
    ['20010db8000000000000000000000001', '2001:db8::1'],
    ['00000000000000000000000000000000', '::'],
    ['20010db8000100020003000400050006', '2001:db8:1:2:3:4:5:6'],
    ['20010db8000000010000000000000001', '2001:db8:0:1::1'],
    ['20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['fe800000000000000000000000000000', 'fe80::'],
  ])('%s is written %s', (hex, text) => {
    expect(ipv6Text(Buffer.from(hex, 'hex'))).toBe(text);
  });
});

function segment(sequence: number, payload: string, fields: Partial<TcpSegment> = {}): TcpSegment {
  return {
    timeMs: 0,
    source: '192.0.2.1',
    sourcePort: 43_210,
    destination: '192.0.2.2',
    destinationPort: 179,
    sequence: sequence >>> 0,
    isSyn: false,
    isEnd: false,
    payload: Buffer.from(payload),
    ...fields,
  };
}

function reversed(sequence: number, payload: string, fields: Partial<TcpSegment> = {}): TcpSegment {
  const ends = { source: '192.0.2.2', sourcePort: 179, destination: '192.0.2.1', destinationPort: 43_210 };
  return segment(sequence, payload, { ...ends, ...fields });
}

function reassemble(segments: readonly TcpSegment[]): TcpBytes[] {
  const seen: TcpBytes[] = [];
  const reassembler = new TcpReassembler((bytes) => seen.push(bytes));
  for (const one of segments) reassembler.push(one);
  return seen;
}

const text = (seen: readonly TcpBytes[]): string => seen.map((bytes) => bytes.bytes.toString()).join('');
const syn = (sequence: number): TcpSegment => segment(sequence, '', { isSyn: true });

describe('a connection', () => {
  const rows: [what: string, segments: TcpSegment[], text: string][] = [
    ['in order', [syn(9), segment(10, 'ab'), segment(12, 'cd')], 'abcd'],
    ['swapped', [syn(9), segment(12, 'cd'), segment(10, 'ab')], 'abcd'],
    ['repeated', [syn(9), segment(10, 'ab'), segment(10, 'ab'), segment(12, 'c')], 'abc'],
    ['repeated and longer', [syn(9), segment(10, 'ab'), segment(10, 'abcd')], 'abcd'],
    ['overlapping from later', [syn(9), segment(11, 'bcd'), segment(10, 'ab')], 'abcd'],
    ['a SYN again', [syn(9), syn(9), segment(10, 'ab')], 'ab'],
    ['the sequence wraps', [syn(0xfffffffe), segment(0xffffffff, 'ab'), segment(1, 'cd')], 'abcd'],
    ['the capture began in the middle', [segment(500, 'ab'), segment(502, 'cd')], 'abcd'],
    ['a gap that is never filled', [syn(9), segment(10, 'a'), segment(12, 'c')], 'a'],
    ['pure acknowledgements', [syn(9), segment(10, ''), segment(10, 'a'), segment(11, '')], 'a'],
  ];
  test.each(rows)('%s', (_what, segments, expected) => {
    expect(text(reassemble(segments))).toBe(expected);
  });

  test('both directions belong to one connection; ports used again are another', () => {
    const seen = reassemble([
      syn(1),
      reversed(100, '', { isSyn: true }),
      segment(2, 'open'),
      reversed(101, 'reply'),
      syn(5_000),
      reversed(9_000, '', { isSyn: true }),
      segment(5_001, 'again'),
      reversed(9_001, 'yes'),
    ]);
    expect(seen.map((bytes) => [bytes.connection, bytes.bytes.toString()])).toEqual([
      [1, 'open'],
      [1, 'reply'],
      [2, 'again'],
      [2, 'yes'],
    ]);
  });

  test('any order, any repetition, any start give the stream once', () => {
    const cuts = fc.array(fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme-ascii' }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(
        cuts,
        fc.integer({ min: 0, max: 0xffffffff }),
        fc.infiniteStream(fc.nat()),
        (pieces, start, random) => {
          const starts = pieces.map((_, index) => start + 1 + pieces.slice(0, index).join('').length);
          const once = pieces.map((piece, index) => segment(starts[index] ?? 0, piece));
          const twice = [...once, ...once]
            .map((one) => ({ one, key: random.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ one }) => one);
          expect(text(reassemble([syn(start), ...twice]))).toBe(pieces.join(''));
        },
      ),
    );
  });
});
