// Equality of projected values: what stores rely on to keep a reference.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectEndpointSlice, projectObject, sameProjected } from '../src/index.ts';
import { ALL_CASES } from './cases/all.ts';
import { manifest } from './cases/case.ts';

const values = ALL_CASES.flatMap((of) =>
  of.accepted.map((change) => ({
    text: `${of.kind} ${JSON.stringify(change)}`,
    object: manifest(of, change),
  })),
);

function valueOf(object: object): unknown {
  const result = projectObject(object, 'manifest');
  return result?.ok === true ? result.value : expect.fail('the object is refused');
}

/** 100 slices of 1,000 endpoints, parsed from text as a watch would. */
function manySlices(): unknown[] {
  return Array.from({ length: 100 }, (_, number) => {
    const endpoints = Array.from({ length: 1000 }, (__, i) => ({
      addresses: [`10.${number}.${i >> 8}.${i & 255}`],
      nodeName: `node-${i % 500}`,
      conditions: { ready: true },
    }));
    const metadata = { name: `web-${number}`, namespace: 'shop' };
    const text = JSON.stringify({ metadata, addressType: 'IPv4', endpoints });
    const result = projectEndpointSlice(JSON.parse(text));
    return result.ok ? result.value : expect.fail('the slice is refused');
  });
}

describe('two projected values', () => {
  it.each(values)('of the same object are the same: $text', ({ object }) => {
    expect(sameProjected(valueOf(object), valueOf(structuredClone(object)))).toBe(true);
  });

  it('of different objects differ, each from every other that does not say the same in another way', () => {
    const all = values.map(({ text, object }) => ({ text, value: valueOf(object) }));
    const same = all.flatMap((a, i) =>
      all.filter((b, j) => i < j && sameProjected(a.value, b.value)).map((b) => [a.text, b.text]),
    );
    expect(same).toEqual([
      ['BGPPeer {}', 'BGPPeer {"ebgpMultiHop":255}'],
      ['BGPPeer {"holdTime":"0s"}', 'BGPPeer {"holdTime":"0s","keepaliveTime":"0s"}'],
    ]);
  });

  it.each([
    [undefined, null],
    [0, '0'],
    [0, false],
    [[], {}],
    [{}, []],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: undefined }, { b: undefined }],
    [{ toString: 1 }, {}],
    [{}, { toString: 1 }],
  ])('%j and %j differ', (a, b) => {
    expect(sameProjected(a, b)).toBe(false);
  });

  it('differ in a number too large for JSON', () => {
    expect(sameProjected({ a: [2n] }, { a: [2n] })).toBe(true);
    expect(sameProjected({ a: [2n] }, { a: [3n] })).toBe(false);
  });

  it('are compared as their JSON is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameProjected(a, structuredClone(a))).toBe(true);
        if (JSON.stringify(a) !== JSON.stringify(b)) {
          expect(sameProjected(a, b)).toBe(sameProjected(b, a));
        }
      }),
    );
  });

  it('with 100,000 endpoints differ in one', () => {
    const before = manySlices();
    const after = manySlices();
    expect(sameProjected(before, after)).toBe(true);
    const last = after.at(-1) as { endpoints: { ready: boolean }[] };
    after[99] = { ...last, endpoints: last.endpoints.with(999, { ...last.endpoints[999]!, ready: false }) };
    expect(sameProjected(before, after)).toBe(false);
  });
});
