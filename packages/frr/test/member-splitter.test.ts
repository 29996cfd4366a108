// A table's entries out of a stream of bytes, however it is cut.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemberSplitter } from '../src/state/member-splitter.ts';

function entries(pieces: readonly Buffer[]): [string, unknown][] {
  const found: [string, unknown][] = [];
  const splitter = new MemberSplitter((key, value) => found.push([key, value]));
  pieces.forEach((piece) => splitter.push(piece));
  return found;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** As bgpd prints it: a head, one prefix a line, sums behind. */
function printed(routes: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(routes).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`,
  );
  return `{\n "vrfName": "default",\n "routes": { ${lines.join(',')} } , "totalRoutes": 4, "totalPaths": 7 } \n`;
}

describe('entries of a table', () => {
  const value = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }));

  it('are those of the table, for any pieces', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { noNullPrototype: true }), sizes, (routes, chosen) => {
        const text = printed(routes);
        const expected = Object.entries((JSON.parse(text) as { routes: Record<string, unknown> }).routes);
        expect(entries(cut(Buffer.from(text), chosen))).toEqual(expected);
      }),
    );
  });

  it.each([
    ['an empty table', '{"routes": {  } , "totalRoutes": 0 }'],
    ['an unknown command', '% [BGP] Unknown command: show bgp\n'],
    ['nothing', ''],
    ['an instance that is not there', '{"warning":"View/Vrf x is unknown"}'],
    ['an end in the middle of an entry', '{"routes": { "192.0.2.1/32": [{"a":1}'],
    ['an entry that is no JSON', '{"routes": { "192.0.2.1/32": [oops] } }'],
  ])('none in %s', (_name, text) => {
    expect(entries([Buffer.from(text)])).toEqual([]);
  });

  it('go on behind one that is no JSON', () => {
    const text = '{"routes": { "a": [oops], "b": [1] } }';
    expect(entries([Buffer.from(text)])).toEqual([['b', [1]]]);
  });
});
