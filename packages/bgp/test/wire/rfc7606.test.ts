// RFC 7606 section by section: what a malformed UPDATE does to the session and to its own routes.

import { describe, expect, it } from 'vitest';
import {
  decode,
  endOfRibFamily,
  type Disposition,
  type Negotiated,
  type UpdateMessage,
} from '../../src/index.ts';
import { ADD_PATH, PLAIN, toHex, update, type UpdateParts } from '../octets.ts';

const ORIGIN = '40 01 01 00';
const AS_PATH = '40 02 00';
const NEXT_HOP = '40 03 04 c0000201';
const LOCAL_PREF = '40 05 04 00000064';
const MANDATORY = `${ORIGIN} ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF}`;
const REACH6 = '80 0e 1c 0002 01 10 20010db8000000000000000000000001 00 30 20010db80001';
const NLRI = '20 c6336407';

interface Row {
  readonly name: string;
  readonly attributes: string;
  readonly disposition: Disposition;
  readonly subcode: number;
  readonly session?: Negotiated;
}

const withAttribute = (attribute: string): string => `${MANDATORY} ${attribute}`;

const WITHDRAWN: readonly Row[] = [
  ['ORIGIN of two octets', `40 01 02 0000 ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF}`, 5],
  ['ORIGIN 3', `40 01 01 03 ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF}`, 6],
  ['AS_PATH with segment type 5', `${ORIGIN} 40 02 06 05 01 0000fde8 ${NEXT_HOP} ${LOCAL_PREF}`, 11],
  ['AS_PATH with a segment of none', `${ORIGIN} 40 02 02 02 00 ${NEXT_HOP} ${LOCAL_PREF}`, 11],
  ['AS_PATH whose segment overruns', `${ORIGIN} 40 02 06 02 02 0000fde8 ${NEXT_HOP} ${LOCAL_PREF}`, 11],
  ['AS_PATH with one octet left', `${ORIGIN} 40 02 07 02 01 0000fde8 02 ${NEXT_HOP} ${LOCAL_PREF}`, 11],
  ['NEXT_HOP of 16 octets', `${ORIGIN} ${AS_PATH} 40 03 10 ${'00'.repeat(16)} ${LOCAL_PREF}`, 5],
  ['NEXT_HOP 0.0.0.0', `${ORIGIN} ${AS_PATH} 40 03 04 00000000 ${LOCAL_PREF}`, 8],
  ['NEXT_HOP 224.0.0.1', `${ORIGIN} ${AS_PATH} 40 03 04 e0000001 ${LOCAL_PREF}`, 8],
  ['MULTI_EXIT_DISC of 3 octets', withAttribute('80 04 03 000000'), 5],
  ['LOCAL_PREF of 5 octets', `${ORIGIN} ${AS_PATH} ${NEXT_HOP} 40 05 05 0000000000`, 5],
  ['COMMUNITIES of none', withAttribute('c0 08 00'), 9],
  ['COMMUNITIES of 6 octets', withAttribute('c0 08 06 000000000000'), 9],
  ['ORIGINATOR_ID of 5 octets', withAttribute('80 09 05 0a00000100'), 5],
  ['CLUSTER_LIST of none', withAttribute('80 0a 00'), 5],
  ['CLUSTER_LIST of 5 octets', withAttribute('80 0a 05 0a00000100'), 5],
  ['EXTENDED_COMMUNITIES of 4 octets', withAttribute('c0 10 04 00000000'), 9],
  ['LARGE_COMMUNITIES of 8 octets', withAttribute(`c0 20 08 ${'00'.repeat(8)}`), 9],
  ['LARGE_COMMUNITIES of none', withAttribute('c0 20 00'), 9],
  ['ORIGIN flagged optional', `c0 01 01 00 ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF}`, 4],
  ['MULTI_EXIT_DISC flagged transitive', withAttribute('c0 04 04 00000000'), 4],
  ['COMMUNITIES flagged non-transitive', withAttribute('80 08 04 fde80064'), 4],
  ['ORIGIN missing', `${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF}`, 3],
  ['AS_PATH missing', `${ORIGIN} ${NEXT_HOP} ${LOCAL_PREF}`, 3],
  ['NEXT_HOP missing', `${ORIGIN} ${AS_PATH} ${LOCAL_PREF}`, 3],
  ['LOCAL_PREF missing on an internal session', `${ORIGIN} ${AS_PATH} ${NEXT_HOP}`, 3],
  ['an attribute that overruns the attributes', withAttribute('c0 08 08 fde80064'), 1],
  ['half an attribute header', withAttribute('c0 08'), 1],
  ['an extended length that is cut', withAttribute('d0 08 00'), 1],
].map(([name, attributes, subcode]) => {
  return { name, attributes, subcode, disposition: 'treat-as-withdraw' } as Row;
});

const DISCARDED: readonly Row[] = [
  ['ATOMIC_AGGREGATE with a value', withAttribute('40 06 01 00'), 5],
  ['AGGREGATOR of 6 octets', withAttribute('c0 07 06 fde9 c0000209'), 5],
  ['a second COMMUNITIES', withAttribute('c0 08 04 fde80064 c0 08 04 fde80065'), 1],
  ['AS4_PATH between speakers of four octets', withAttribute('c0 11 06 02 01 0000fde8'), 9],
  ['AS4_AGGREGATOR between speakers of four octets', withAttribute('c0 12 08 0000fde8 c0000209'), 9],
].map(([name, attributes, subcode]) => {
  return { name, attributes, subcode, disposition: 'attribute-discard' } as Row;
});

describe('treat-as-withdraw', () => {
  it.each(WITHDRAWN)('for $name', ({ attributes, disposition, subcode }) => {
    const { message, problems } = understood({ withdrawn: '08 0a', attributes, nlri: NLRI });
    expect(problems).toMatchObject([{ disposition, code: 3, subcode }]);
    expect(message.announced).toEqual([]);
    expect(message.withdrawn.map(({ prefix }) => prefix.text)).toEqual(['10.0.0.0/8', '198.51.100.7/32']);
    expect(message.attributes).toEqual({});
  });

  it('takes the prefixes of MP_REACH_NLRI too, and keeps those of MP_UNREACH_NLRI', () => {
    const unreach = '80 0f 0a 0002 01 30 20010db80002';
    const { message } = understood({
      attributes: `${REACH6} ${unreach} 40 01 01 09 ${AS_PATH} ${LOCAL_PREF}`,
    });
    expect(message.reach).toBeUndefined();
    expect(message.unreach?.nlri.map(({ prefix }) => prefix.text)).toEqual([
      '2001:db8:2::/48',
      '2001:db8:1::/48',
    ]);
  });

  it('keeps IPv4 withdrawals of MP_UNREACH_NLRI when IPv6 is announced', () => {
    const unreach = '80 0f 05 0001 01 08 0a';
    const { message } = understood({ attributes: `${REACH6} ${unreach} ${ORIGIN} ${AS_PATH}` });
    expect(message.withdrawn.map(({ prefix }) => prefix.text)).toEqual(['10.0.0.0/8']);
    expect(message.unreach?.nlri.map(({ prefix }) => prefix.text)).toEqual(['2001:db8:1::/48']);
  });

  it('takes away the right paths', () => {
    const { message } = understood({ attributes: ORIGIN, nlri: `00000007 ${NLRI}` }, ADD_PATH);
    expect(message.withdrawn).toMatchObject([{ pathId: 7, prefix: { text: '198.51.100.7/32' } }]);
  });

  it('becomes a session reset when no announcement was found (section 5.2)', () => {
    const decoded = decode(update({ withdrawn: '08 0a', attributes: '40 01 01 09' }), PLAIN);
    expect(decoded).toMatchObject({
      ok: false,
      problem: { disposition: 'session-reset', code: 3, subcode: 6 },
    });
    expect(!decoded.ok && toHex(decoded.problem.data)).toBe('5001000109');
  });

  it('needs no NEXT_HOP for MP_REACH_NLRI and no LOCAL_PREF from an external peer', () => {
    const external: Negotiated = { ...PLAIN, peering: 'external' };
    const { message, problems } = understood({ attributes: `${REACH6} ${ORIGIN} ${AS_PATH}` }, external);
    expect(problems).toEqual([]);
    expect(message.reach?.nlri).toHaveLength(1);
  });
});

describe('attribute-discard', () => {
  it.each(DISCARDED)('for $name', ({ attributes, disposition, subcode }) => {
    const { message, problems } = understood({ attributes, nlri: NLRI });
    expect(problems).toMatchObject([{ disposition, code: 3, subcode }]);
    expect(message.announced).toHaveLength(1);
    expect(message.attributes).not.toHaveProperty('aggregator');
    expect(message.attributes).not.toHaveProperty('atomicAggregate');
    expect(message.attributes).not.toHaveProperty('unknown');
    expect(message.attributes.communities?.map(({ text }) => text) ?? ['65000:100']).toEqual(['65000:100']);
  });
});

describe('AFI/SAFI disable', () => {
  it.each([
    ['a next hop of 4 octets for IPv6', '80 0e 0b 0002 01 04 c0000201 00 08 20', { afi: 2, safi: 1 }, 9],
    [
      'a next hop of 16 octets for IPv4',
      `80 0e 17 0001 01 10 ${'00'.repeat(16)} 00 08 0a`,
      { afi: 1, safi: 1 },
      9,
    ],
    ['an IPv6 prefix of 129 bits', `80 0f 15 0002 01 81 ${'00'.repeat(17)}`, { afi: 2, safi: 1 }, 10],
    ['an IPv6 prefix that overruns', '80 0f 07 0002 01 30 200100', { afi: 2, safi: 1 }, 10],
    ['a family that was not negotiated', '80 0f 07 0001 80 18 0a0000', { afi: 1, safi: 128 }, 9],
  ])('for %s', (_, attribute, afiSafi, subcode) => {
    const { message, problems } = understood({ attributes: `${attribute} ${MANDATORY}`, nlri: NLRI });
    expect(problems).toMatchObject([{ disposition: 'afi-safi-disable', code: 3, subcode, afiSafi }]);
    expect(message.reach).toBeUndefined();
    expect(message.unreach).toBeUndefined();
    expect(message.announced).toHaveLength(1);
  });

  it('of IPv6 when the session has IPv4 only', () => {
    const { problems } = understood({ attributes: REACH6 }, { ...PLAIN, families: [4] });
    expect(problems).toMatchObject([{ disposition: 'afi-safi-disable', afiSafi: { afi: 2, safi: 1 } }]);
  });
});

describe('session reset', () => {
  const rows: [string, UpdateParts, number][] = [
    ['an IPv4 prefix of 33 bits', { attributes: MANDATORY, nlri: '21 c633640700' }, 10],
    ['an IPv4 prefix that overruns', { attributes: MANDATORY, nlri: '20 c63364' }, 10],
    ['a withdrawn prefix that overruns', { withdrawn: '20 c63364' }, 10],
    ['a well-known attribute that is unknown', { attributes: withAttribute('40 63 00'), nlri: NLRI }, 2],
    ['MP_REACH_NLRI twice', { attributes: `${REACH6} ${REACH6} ${MANDATORY}` }, 1],
    ['MP_UNREACH_NLRI twice', { attributes: '80 0f 03 0002 01 80 0f 03 0002 01' }, 1],
    ['MP_REACH_NLRI without a whole next hop', { attributes: `80 0e 05 0002 01 10 20 ${MANDATORY}` }, 9],
    ['MP_UNREACH_NLRI without a whole family', { attributes: '80 0f 02 0002' }, 9],
  ];

  it.each(rows)('for %s', (_, parts, subcode) => {
    const expected = { ok: false, problem: { disposition: 'session-reset', code: 3, subcode } };
    expect(decode(update(parts), PLAIN)).toMatchObject(expected);
  });

  it('for lengths that exceed the message', () => {
    for (const body of ['0001 0000', '0000 0001', '0003 0000 08']) {
      const bytes = update({ nlri: '' });
      const broken = Uint8Array.from([
        ...bytes.subarray(0, 19),
        ...Buffer.from(body.replaceAll(' ', ''), 'hex'),
      ]);
      broken[17] = broken.length;
      expect(decode(broken, PLAIN), body).toMatchObject({ ok: false, problem: { code: 3, subcode: 1 } });
    }
  });

  it('for a ROUTE-REFRESH of the wrong length, which is sent back (RFC 7313)', () => {
    const bytes = Uint8Array.from([...new Uint8Array(16).fill(255), 0, 22, 5, 0, 1, 0]);
    const decoded = decode(bytes, PLAIN);
    expect(decoded).toMatchObject({ ok: false, problem: { code: 7, subcode: 1 } });
    expect(!decoded.ok && toHex(decoded.problem.data)).toBe(toHex(bytes));
  });
});

describe('what is well-formed', () => {
  it('is understood with any flag bits that do not matter and a longer length than needed', () => {
    const attributes = `${ORIGIN} ${AS_PATH} ${NEXT_HOP} ${LOCAL_PREF} f0 08 0004 fde80064`;
    const { message, problems } = understood({ attributes, nlri: NLRI });
    expect(problems).toEqual([]);
    expect(message.attributes.communities?.map(({ text }) => text)).toEqual(['65000:100']);
  });

  it('loses the bits behind a prefix length', () => {
    const { message } = understood({ attributes: MANDATORY, nlri: '19 c63364ff 00' });
    expect(message.announced.map(({ prefix }) => prefix.text)).toEqual(['198.51.100.128/25', '0.0.0.0/0']);
  });

  it('has AS numbers of two octets on a session without the capability', () => {
    const session: Negotiated = { ...PLAIN, asnOctets: 2 };
    const attributes = `${ORIGIN} 40 02 04 02 01 fde9 ${NEXT_HOP} ${LOCAL_PREF} c0 11 06 02 01 0000fde9`;
    const { message, problems } = understood({ attributes, nlri: NLRI }, session);
    expect(problems).toEqual([]);
    expect(message.attributes.asPath).toEqual([{ kind: 'sequence', asns: [65001] }]);
    expect(message.attributes.unknown).toMatchObject([{ type: 17 }]);
  });

  it('is no End-of-RIB when it withdraws', () => {
    expect(endOfRibFamily(understood({ withdrawn: '08 0a' }).message)).toBeUndefined();
  });
});

function understood(
  parts: UpdateParts,
  session: Negotiated = PLAIN,
): { message: UpdateMessage; problems: readonly unknown[] } {
  const decoded = decode(update(parts), session);
  if (!decoded.ok || decoded.message.kind !== 'update') {
    throw new Error(decoded.ok ? decoded.message.kind : decoded.problem.text);
  }
  return { message: decoded.message, problems: decoded.problems };
}
