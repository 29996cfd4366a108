// What RFC 7606 makes of each malformed attribute: the disposition, the codes and the data octets that a
// NOTIFICATION would carry, and what is left of the message. One row for each rule of sections 3 to 7.

import { describe, expect, it } from 'vitest';
import { decode, type Decoded, type Disposition, type Negotiated } from '../../src/index.ts';
import { notificationOf } from '../../src/wire/notification.ts';
import { hex, PLAIN, toHex, update, type UpdateParts } from '../octets.ts';

const ORIGIN = '40 01 01 00';
const AS_PATH = '40 02 00';
const NEXT_HOP = '40 03 04 c0000201';
const LOCAL_PREF = '40 05 04 00000064';
const NLRI = '20 c6336407';
const EXTERNAL: Negotiated = { ...PLAIN, peering: 'external' };

/** The mandatory attributes with one of them replaced, or one more. */
function around(attribute: string): string {
  const type = hex(attribute)[1];
  const mandatory = [ORIGIN, AS_PATH, NEXT_HOP, LOCAL_PREF].filter((each) => hex(each)[1] !== type);
  return [...mandatory, attribute].join(' ');
}

interface Row {
  readonly rule: string;
  readonly attribute: string;
  readonly disposition: Disposition;
  readonly subcode: number;
  /** Type, length and value of the attribute, its length extended (RFC 4271 section 6.3). */
  readonly data: string;
}

function row(rule: string, attribute: string, subcode: number, data: string): Row {
  return { rule, attribute, disposition: 'treat-as-withdraw', subcode, data };
}

function discarded(rule: string, attribute: string, subcode: number, data: string): Row {
  return { rule, attribute, disposition: 'attribute-discard', subcode, data };
}

const LENGTHS: readonly Row[] = [
  row('7.1 ORIGIN of no octet', '40 01 00', 5, '50 01 0000'),
  row('7.1 ORIGIN of two octets', '40 01 02 0001', 5, '50 01 0002 0001'),
  row('7.3 NEXT_HOP of three octets', '40 03 03 c00002', 5, '50 03 0003 c00002'),
  row('7.3 NEXT_HOP of five octets', '40 03 05 c000020100', 5, '50 03 0005 c000020100'),
  row('7.4 MULTI_EXIT_DISC of no octet', '80 04 00', 5, '90 04 0000'),
  row('7.4 MULTI_EXIT_DISC of five octets', '80 04 05 0000000001', 5, '90 04 0005 0000000001'),
  row('7.5 LOCAL_PREF of two octets', '40 05 02 0064', 5, '50 05 0002 0064'),
  discarded('7.6 ATOMIC_AGGREGATE of one octet', '40 06 01 00', 5, '50 06 0001 00'),
  discarded('7.7 AGGREGATOR of six octets', 'c0 07 06 fbf0 c0000209', 5, 'd0 07 0006 fbf0 c0000209'),
  discarded('7.7 AGGREGATOR of nine octets', `c0 07 09 ${'11'.repeat(9)}`, 5, `d0 07 0009 ${'11'.repeat(9)}`),
  row('7.8 COMMUNITIES of three octets', 'c0 08 03 fbf000', 9, 'd0 08 0003 fbf000'),
  row('7.8 COMMUNITIES of none', 'c0 08 00', 9, 'd0 08 0000'),
  row('7.9 ORIGINATOR_ID of three octets', '80 09 03 0a0000', 5, '90 09 0003 0a0000'),
  row('7.10 CLUSTER_LIST of six octets', '80 0a 06 0a0000010a00', 5, '90 0a 0006 0a0000010a00'),
  row('7.10 CLUSTER_LIST of none', '80 0a 00', 5, '90 0a 0000'),
  row(
    '7.14 EXTENDED_COMMUNITIES of nine octets',
    `c0 10 09 ${'00'.repeat(9)}`,
    9,
    `d0 10 0009 ${'00'.repeat(9)}`,
  ),
  row('7.14 EXTENDED_COMMUNITIES of none', 'c0 10 00', 9, 'd0 10 0000'),
  row(
    'RFC 8092 section 6 LARGE_COMMUNITIES of 13',
    `c0 20 0d ${'00'.repeat(13)}`,
    9,
    `d0 20 000d ${'00'.repeat(13)}`,
  ),
];

const VALUES: readonly Row[] = [
  row('7.1 ORIGIN 3', '40 01 01 03', 6, '50 01 0001 03'),
  row('7.1 ORIGIN 255', '40 01 01 ff', 6, '50 01 0001 ff'),
  row('7.2 AS_PATH with segment type 0', '40 02 06 00 01 0000fbf0', 11, '50 02 0006 00 01 0000fbf0'),
  row('7.2 AS_PATH with segment type 5', '40 02 06 05 01 0000fbf0', 11, '50 02 0006 05 01 0000fbf0'),
  row('7.2 AS_PATH with a segment of none', '40 02 02 02 00', 11, '50 02 0002 02 00'),
  row('7.2 AS_PATH with half an AS number', '40 02 04 02 01 fbf0', 11, '50 02 0004 02 01 fbf0'),
  row('7.2 AS_PATH with one octet behind', '40 02 07 02 01 0000fbf0 01', 11, '50 02 0007 02 01 0000fbf0 01'),
  row('7.2 AS_PATH with half a segment head', '40 02 01 02', 11, '50 02 0001 02'),
  row('7.3 NEXT_HOP 0.0.0.0', '40 03 04 00000000', 8, '50 03 0004 00000000'),
  row('7.3 NEXT_HOP 239.255.255.255', '40 03 04 efffffff', 8, '50 03 0004 efffffff'),
];

const FLAGS: readonly Row[] = (
  [
    ['ORIGIN optional', 'c0 01 01 00', 'd0 01 0001 00'],
    ['ORIGIN not transitive', '00 01 01 00', '10 01 0001 00'],
    ['AS_PATH optional', 'c0 02 00', 'd0 02 0000'],
    ['NEXT_HOP optional', 'c0 03 04 c0000201', 'd0 03 0004 c0000201'],
    ['MULTI_EXIT_DISC transitive', 'c0 04 04 00000001', 'd0 04 0004 00000001'],
    ['MULTI_EXIT_DISC well-known', '40 04 04 00000001', '50 04 0004 00000001'],
    ['LOCAL_PREF optional', 'c0 05 04 00000064', 'd0 05 0004 00000064'],
    ['ATOMIC_AGGREGATE optional', 'c0 06 00', 'd0 06 0000'],
    ['AGGREGATOR not transitive', '80 07 08 0000fbf0c0000209', '90 07 0008 0000fbf0c0000209'],
    ['COMMUNITIES well-known', '40 08 04 fbf00001', '50 08 0004 fbf00001'],
    ['ORIGINATOR_ID transitive', 'c0 09 04 0a000001', 'd0 09 0004 0a000001'],
    ['CLUSTER_LIST transitive', 'c0 0a 04 0a000001', 'd0 0a 0004 0a000001'],
    ['EXTENDED_COMMUNITIES not transitive', '80 10 08 0002fbf000000064', '90 10 0008 0002fbf000000064'],
    ['LARGE_COMMUNITIES not transitive', `80 20 0c ${'00'.repeat(12)}`, `90 20 000c ${'00'.repeat(12)}`],
  ] as const
).map(([name, attribute, data]) => row(`3 (c) ${name}`, attribute, 4, data));

const ROWS = [...LENGTHS, ...VALUES, ...FLAGS];

function decodedOf(parts: UpdateParts, session: Negotiated = PLAIN): Decoded {
  return decode(update(parts), session);
}

/** What is left of a message that could be understood, in words. */
function left(decoded: Decoded): string[] {
  if (!decoded.ok || decoded.message.kind !== 'update') {
    return ['nothing'];
  }
  const { announced, withdrawn, reach, unreach } = decoded.message;
  return [
    ...[...announced, ...(reach?.nlri ?? [])].map(({ prefix }) => `+${prefix.text}`),
    ...[...withdrawn, ...(unreach?.nlri ?? [])].map(({ prefix }) => `-${prefix.text}`),
  ];
}

describe('a malformed attribute', () => {
  it.each(ROWS)('$rule: $disposition, 3/$subcode', ({ attribute, disposition, subcode, data }) => {
    const decoded = decodedOf({ attributes: around(attribute), nlri: NLRI });
    expect(decoded).toMatchObject({
      ok: true,
      problems: [{ disposition, code: 3, subcode, afiSafi: undefined }],
    });
    expect(decoded.ok && decoded.problems.map((problem) => toHex(problem.data))).toEqual([toHex(hex(data))]);
    expect(left(decoded)).toEqual([
      disposition === 'attribute-discard' ? '+198.51.100.7/32' : '-198.51.100.7/32',
    ]);
  });

  it.each(ROWS)('$rule: its NOTIFICATION, were one sent', ({ attribute, disposition, subcode, data }) => {
    // nothing announced: treat-as-withdraw cannot be trusted and becomes a session reset (section 5.2)
    const decoded = decodedOf({ attributes: around(attribute), withdrawn: NLRI });
    if (disposition === 'attribute-discard') {
      expect(left(decoded)).toEqual(['-198.51.100.7/32']);
      return;
    }
    expect(decoded).toMatchObject({ ok: false, problem: { disposition: 'session-reset' } });
    const answer = decoded.ok ? undefined : notificationOf(decoded.problem);
    expect(answer).toMatchObject({ kind: 'notification', code: 3, subcode });
    expect(answer && toHex(answer.data)).toBe(toHex(hex(data)));
  });

  it.each(ROWS)('$rule: does not hide the attributes behind it', ({ attribute, disposition }) => {
    const decoded = decodedOf({ attributes: `${attribute} ${around(attribute)}`, nlri: NLRI });
    const problems = decoded.ok ? decoded.problems.map((problem) => problem.disposition) : [];
    expect(problems).toEqual([disposition, 'attribute-discard']); // the second one stands there twice
  });
});

describe('a mandatory attribute that is missing', () => {
  const all = { 1: ORIGIN, 2: AS_PATH, 3: NEXT_HOP, 5: LOCAL_PREF } as const;
  const rows = [1, 2, 3, 5].flatMap((type) => [
    [type, 'internal', PLAIN] as const,
    [type, 'external', EXTERNAL] as const,
  ]);

  it.each(rows)('3 (d): attribute %i from an %s peer', (type, _, session) => {
    const attributes = Object.entries(all)
      .filter(([each]) => Number(each) !== type)
      .map(([, octets]) => octets)
      .join(' ');
    const decoded = decodedOf({ attributes, nlri: NLRI }, session);
    if (type === 5 && session === EXTERNAL) {
      expect(decoded).toMatchObject({ ok: true, problems: [] });
      return;
    }
    expect(decoded).toMatchObject({
      ok: true,
      problems: [
        { disposition: 'treat-as-withdraw', code: 3, subcode: 3, text: `attribute ${type} is missing` },
      ],
    });
    expect(decoded.ok && decoded.problems.map(({ data }) => [...data])).toEqual([[type]]);
    expect(left(decoded)).toEqual(['-198.51.100.7/32']);
  });

  it('is named, each of them', () => {
    const decoded = decodedOf({ nlri: NLRI });
    expect(decoded.ok && decoded.problems.map(({ data }) => data[0])).toEqual([1, 2, 3, 5]);
  });

  it('is not missed by who only withdraws', () => {
    expect(decodedOf({ withdrawn: NLRI })).toMatchObject({ ok: true, problems: [] });
    expect(decodedOf({ attributes: '80 0f 0a 0002 01 30 20010db80001' })).toMatchObject({
      ok: true,
      problems: [],
    });
  });
});

describe('several problems', () => {
  it('the severest decides, and all are told (section 3 (h))', () => {
    const attributes = `40 01 01 09 ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF} 40 06 01 00 80 0e 0b 0002 01 04 c0000201 00 08 20`;
    const decoded = decodedOf({ attributes, nlri: NLRI });
    expect(decoded.ok && decoded.problems.map(({ disposition }) => disposition)).toEqual([
      'treat-as-withdraw',
      'attribute-discard',
      'afi-safi-disable',
    ]);
    expect(left(decoded)).toEqual(['-198.51.100.7/32']);
  });

  it('a session reset is stronger than everything before it', () => {
    const decoded = decodedOf({
      attributes: `40 01 01 09 ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF} 40 63 00`,
      nlri: NLRI,
    });
    expect(decoded).toMatchObject({
      ok: false,
      problem: { disposition: 'session-reset', code: 3, subcode: 2 },
    });
    expect(!decoded.ok && toHex(decoded.problem.data)).toBe('50630000');
  });

  it('discarding leaves the routes and the other attributes', () => {
    const decoded = decodedOf({ attributes: `${around('40 06 01 00')} 80 04 04 00000007`, nlri: NLRI });
    expect(decoded).toMatchObject({ ok: true, message: { attributes: { med: 7, localPref: 100 } } });
    expect(left(decoded)).toEqual(['+198.51.100.7/32']);
  });
});
