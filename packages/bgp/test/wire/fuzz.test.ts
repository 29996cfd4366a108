// Random and mutated messages: whatever comes, the decoder answers with a message or with a typed problem whose
// codes can be sent. HERALD_FUZZ sets how many; HERALD_FUZZ_SEED repeats a run.

import { describe, expect, it } from 'vitest';
import { decode, encode, MessageFramer, type Decoded, type Negotiated } from '../../src/index.ts';
import { ADD_PATH, EXTENDED, PLAIN } from '../octets.ts';
import { SAMPLES } from '../samples.ts';

const COUNT = Number(process.env['HERALD_FUZZ'] ?? 20_000);
const SEED = Number(process.env['HERALD_FUZZ_SEED'] ?? Date.now() % 0x7fffffff);
const MINUTES_LIMIT = 30;

/** mulberry32: small, even, repeatable. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const SESSIONS: readonly Negotiated[] = [
  PLAIN,
  ADD_PATH,
  EXTENDED,
  { ...PLAIN, asnOctets: 2, peering: 'external', families: [4] },
];

type Mutation = (bytes: Uint8Array, random: (below: number) => number) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  function setOctet(bytes, random) {
    bytes[19 + random(Math.max(1, bytes.length - 19))] =
      [0, 1, 0x7f, 0x80, 0xff, random(256)][random(6)] ?? 0;
    return bytes;
  },
  function cut(bytes, random) {
    return relength(bytes.slice(0, 19 + random(Math.max(1, bytes.length - 18))));
  },
  function insert(bytes, random) {
    const at = 19 + random(Math.max(1, bytes.length - 18));
    const more = Uint8Array.from({ length: 1 + random(8) }, () => random(256));
    return relength(Uint8Array.from([...bytes.slice(0, at), ...more, ...bytes.slice(at)]));
  },
  function repeat(bytes, random) {
    const at = 19 + random(Math.max(1, bytes.length - 18));
    return relength(Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(at), ...bytes.slice(at)]));
  },
  function changeType(bytes, random) {
    bytes[18] = random(7);
    return bytes;
  },
  function noise(_, random) {
    const body = Uint8Array.from({ length: random(120) }, () => random(256));
    return relength(Uint8Array.from([...new Uint8Array(16).fill(255), 0, 0, 1 + random(5), ...body]));
  },
];

function relength(bytes: Uint8Array): Uint8Array {
  bytes[16] = bytes.length >>> 8;
  bytes[17] = bytes.length & 0xff;
  return bytes;
}

function isTyped(decoded: Decoded): boolean {
  if (decoded.ok) {
    return decoded.problems.every(({ disposition }) => disposition !== 'session-reset');
  }
  const { disposition, code, subcode, text } = decoded.problem;
  return disposition === 'session-reset' && code >= 1 && code <= 7 && subcode >= 0 && text.length > 0;
}

describe(`${COUNT} mutated messages`, () => {
  it(
    `give messages and typed problems only (seed ${SEED})`,
    () => {
      const random = generator(SEED);
      const outcomes = { understood: 0, mended: 0, refused: 0 };
      for (let i = 0; i < COUNT; i++) {
        const sample = SAMPLES[random(SAMPLES.length)];
        let bytes = Uint8Array.from(sample?.bytes ?? []);
        for (let times = 1 + random(3); times > 0; times--) {
          bytes = Uint8Array.from(MUTATIONS[random(MUTATIONS.length)]?.(bytes, random) ?? []);
        }
        const session = SESSIONS[random(SESSIONS.length)] ?? PLAIN;
        const decoded = decode(bytes, session);
        if (!isTyped(decoded)) {
          expect.fail(`seed ${SEED} message ${i}: ${Buffer.from(bytes).toString('hex')}`);
        }
        if (decoded.ok) {
          encode(decoded.message, session); // what was understood can be written
          outcomes[decoded.problems.length > 0 ? 'mended' : 'understood'] += 1;
        } else {
          outcomes.refused += 1;
        }
      }
      // a run in which nothing is understood, or nothing refused, tests nothing
      expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(COUNT / 100);
    },
    MINUTES_LIMIT * 60_000,
  );

  it('give a framer at most one problem, and then silence', () => {
    const random = generator(SEED + 1);
    for (let i = 0; i < COUNT / 20; i++) {
      const framer = new MessageFramer();
      const stream = Uint8Array.from(Buffer.concat(SAMPLES.map(({ bytes }) => bytes)));
      const at = random(stream.length);
      stream[at] = random(256);
      const split = random(stream.length);
      const frames = [...framer.push(stream.subarray(0, split)), ...framer.push(stream.subarray(split))];
      const broken = frames.findIndex((frame) => !frame.ok);
      expect(broken === -1 || broken === frames.length - 1, `octet ${at}`).toBe(true);
    }
  });
});
