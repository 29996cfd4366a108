import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageFramer } from '../../src/index.ts';
import { hex, message, toHex } from '../octets.ts';
import { SAMPLES } from '../samples.ts';

const STREAM = Buffer.concat(SAMPLES.map(({ bytes }) => bytes));
const EXPECTED = SAMPLES.map(({ bytes }) => toHex(bytes));

function frames(chunks: readonly Uint8Array[], framer = new MessageFramer()): string[] {
  return chunks.flatMap((chunk) =>
    [...framer.push(chunk)].map((frame) => (frame.ok ? toHex(frame.value) : frame.problem.text)),
  );
}

function header(length: string, type: string): Uint8Array {
  return hex(`${'ff'.repeat(16)}${length}${type}`);
}

describe('a stream in chunks', () => {
  it('is cut into the same messages at every split point', () => {
    for (let at = 0; at <= STREAM.length; at++) {
      expect(frames([STREAM.subarray(0, at), STREAM.subarray(at)]), `split at ${at}`).toEqual(EXPECTED);
    }
  });

  it('is cut into the same messages octet by octet', () => {
    expect(frames(Array.from(STREAM, (octet) => Uint8Array.of(octet)))).toEqual(EXPECTED);
  });

  it('is cut into the same messages in any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 12 }), (cuts) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
        const chunks = ends.slice(1).map((end, i) => STREAM.subarray(ends[i], end));
        expect(frames(chunks)).toEqual(EXPECTED);
      }),
    );
  });
});

describe('a broken header', () => {
  const notSynchronized = hex(`00${'ff'.repeat(15)}001304`);

  it.each([
    { name: 'marker', bytes: notSynchronized, subcode: 1, data: '' },
    { name: 'length below 19', bytes: header('0012', '04'), subcode: 2, data: '0012' },
    { name: 'length above 4096', bytes: header('1001', '02'), subcode: 2, data: '1001' },
    { name: 'type 0', bytes: header('0013', '00'), subcode: 3, data: '00' },
    { name: 'type 6', bytes: header('0013', '06'), subcode: 3, data: '06' },
    { name: 'KEEPALIVE with a body', bytes: header('0014', '04'), subcode: 2, data: '0014' },
    { name: 'OPEN too short', bytes: header('001c', '01'), subcode: 2, data: '001c' },
    { name: 'UPDATE too short', bytes: header('0016', '02'), subcode: 2, data: '0016' },
    { name: 'NOTIFICATION too short', bytes: header('0014', '03'), subcode: 2, data: '0014' },
  ])('with a wrong $name ends the session as soon as it is whole', ({ bytes, subcode, data }) => {
    const framer = new MessageFramer();
    expect([...framer.push(bytes.subarray(0, 18))]).toEqual([]);
    const [frame, ...more] = [...framer.push(bytes.subarray(18))];
    expect(more).toEqual([]);
    expect(frame).toMatchObject({ ok: false, problem: { disposition: 'session-reset', code: 1, subcode } });
    expect(frame?.ok === false && toHex(frame.problem.data)).toBe(data);
  });

  it('lets nothing through that comes after it', () => {
    const framer = new MessageFramer();
    expect(frames([header('0013', '06')], framer)).toHaveLength(1);
    expect(frames([message(4, ''), message(4, '')], framer)).toEqual([]);
  });
});

describe('the longest message', () => {
  const long = message(2, `00000000${'20c6336407'.repeat(1000)}`);
  const longOpen = message(1, '00'.repeat(4500));

  it('is 4096 octets until more is negotiated, and 65535 then', () => {
    expect(frames([long])).toEqual(['length 5023 is not between 19 and 4096']);
    const framer = new MessageFramer();
    framer.maximumLength = 65535;
    expect(frames([long], framer)).toEqual([toHex(long)]);
  });

  it('may be raised between two messages of one chunk', () => {
    const framer = new MessageFramer();
    const cut: number[] = [];
    for (const frame of framer.push(Buffer.concat([message(4, ''), long]))) {
      framer.maximumLength = 65535;
      cut.push(frame.ok ? frame.value.length : -1);
    }
    expect(cut).toEqual([19, 5023]);
  });

  it('stays 4096 for OPEN', () => {
    const framer = new MessageFramer();
    framer.maximumLength = 65535;
    expect(frames([longOpen], framer)).toEqual(['length 4519 is too long for message type 1']);
  });
});
