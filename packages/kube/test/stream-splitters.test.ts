// Bytes of lists and watches, cut at every place: the same lines and items come out, whatever the cut.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemSplitter } from '../src/watch/item-splitter.ts';
import { LineSplitter } from '../src/watch/line-splitter.ts';
import { MalformedStream } from '../src/watch/malformed-stream.ts';

const LIMIT = 1000;

/** The bytes of the text in two parts, for every place to cut. */
function* cuts(text: string): Iterable<[Buffer, Buffer]> {
  const bytes = Buffer.from(text);
  for (let i = 0; i <= bytes.length; i++) {
    yield [bytes.subarray(0, i), bytes.subarray(i)];
  }
}

interface Split {
  readonly items: readonly unknown[];
  readonly envelope: Record<string, unknown>;
  readonly leftOut: number;
}

function split(chunks: Iterable<Buffer>, maxBytes = LIMIT): Split {
  const items: unknown[] = [];
  const splitter = new ItemSplitter(maxBytes, (item) => items.push(item));
  for (const chunk of chunks) {
    splitter.push(chunk);
  }
  return { envelope: splitter.finish(), items, leftOut: splitter.leftOut };
}

const list = (items: readonly unknown[], metadata: unknown = { resourceVersion: '7' }): string =>
  JSON.stringify({ kind: 'List', metadata, items });

const tricky = [
  { name: 'braces } ] { [ in text', quote: 'a "quoted" \\ backslash\\\\"' },
  { items: [{ items: [] }], nested: { deep: [[[{}]]] } },
  { unicode: 'ä€𝄞', empty: {}, none: null },
];

describe('items of a list', () => {
  it('come out the same wherever it is cut', () => {
    for (const parts of cuts(list(tricky))) {
      const { items, envelope } = split(parts);
      expect(items).toEqual(tricky);
      expect(envelope).toEqual({ kind: 'List', metadata: { resourceVersion: '7' }, items: [] });
    }
  });

  it('come out the same byte by byte', () => {
    const bytes = [...Buffer.from(list(tricky))].map((byte) => Buffer.from([byte]));
    expect(split(bytes).items).toEqual(tricky);
  });

  it.each([
    ['none', list([])],
    ['null for none', '{"metadata": {}, "items": null}'],
    ['no field at all', '{"metadata": {"continue": "x"}}'],
    ['spaces between', '{ "metadata" : { "resourceVersion" : "7" } , "items" : [ ] }'],
  ])('may be missing: %s', (_, text) => {
    for (const parts of cuts(text)) {
      expect(split(parts).items).toEqual([]);
    }
  });

  it('may come before or after everything else', () => {
    const text =
      '{"other": [1, {"items": [2]}], "items" : [ {"a": 1} , {"b": 2} ], "metadata": {"items": [{"c": 3}]}}';
    for (const parts of cuts(text)) {
      const { items, envelope } = split(parts);
      expect(items).toEqual([{ a: 1 }, { b: 2 }]);
      expect(envelope).toEqual({ other: [1, { items: [2] }], items: [], metadata: { items: [{ c: 3 }] } });
    }
  });

  it('that are any JSON come out as they went in', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(object), fc.array(fc.integer({ min: 1, max: 50 })), (items, sizes) => {
        const text = Buffer.from(list(items));
        const chunks: Buffer[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % Math.max(1, sizes.length)] ?? text.length;
          chunks.push(text.subarray(at, at + size));
          at += size;
        }
        expect(split(chunks, 1_000_000).items).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });

  it('beyond the limit are left out and counted', () => {
    const items = [{ a: 1 }, { big: 'x'.repeat(LIMIT) }, { b: 2 }];
    for (const parts of cuts(list(items))) {
      expect(split(parts)).toMatchObject({ items: [{ a: 1 }, { b: 2 }], leftOut: 1 });
    }
  });

  it.each([
    ['nothing', ''],
    ['an end in an item', '{"items": [{"a": 1'],
    ['an end behind the items', '{"items": [{"a": 1}]'],
    ['an item that is no JSON', '{"items": [{"a": }]}'],
    ['no JSON at all', '<html>'],
    ['an endless head', `{"a": "${'x'.repeat(2_000_000)}`],
  ])('are refused with %s', (_, text) => {
    expect(() => split([Buffer.from(text)])).toThrow(MalformedStream);
  });

  it('throw nothing but a malformed stream, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', '"items":', 'x')), (parts) => {
        try {
          split(parts.map((part) => Buffer.from(part)));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedStream);
        }
      }),
    );
  });
});

function lines(chunks: Iterable<Buffer>, maxBytes = LIMIT): string[] {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks].flatMap((chunk) => [...splitter.push(chunk)]);
}

describe('lines of a watch', () => {
  it('come out the same wherever they are cut', () => {
    for (const parts of cuts('{"a":"ä€"}\n\n{"b":"𝄞"}\nrest')) {
      expect(lines(parts)).toEqual(['{"a":"ä€"}', '{"b":"𝄞"}']);
    }
  });

  it.each([
    ['in one piece', ['x'.repeat(LIMIT + 1)]],
    ['in pieces', ['x'.repeat(LIMIT), 'x']],
    ['with its end', [`${'x'.repeat(LIMIT + 1)}\n`]],
  ])('beyond the limit are refused, %s', (_, parts) => {
    expect(() => lines(parts.map((part) => Buffer.from(part)))).toThrow(MalformedStream);
  });

  it('of the limit are taken', () => {
    expect(lines([Buffer.from(`${'x'.repeat(LIMIT)}\n`)])).toHaveLength(1);
  });
});
