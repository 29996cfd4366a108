import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { decode, encode, type Capability } from '../../src/index.ts';
import { hex, message, PLAIN, toHex } from '../octets.ts';

const FIXED = '04 fde8 001e 0a000002';

describe('an OPEN that is refused', () => {
  it.each([
    { name: 'version 3', body: '03 fde8 001e 0a000002 00', subcode: 1, data: '0004' },
    { name: 'AS 0', body: '04 0000 001e 0a000002 00', subcode: 2, data: '' },
    { name: 'AS 0 in the capability', body: `${FIXED} 08 02 06 41 04 00000000`, subcode: 2, data: '' },
    { name: 'identifier 0.0.0.0', body: '04 fde8 001e 00000000 00', subcode: 3, data: '' },
    {
      name: 'an optional parameter that is no capability',
      body: `${FIXED} 03 01 01 00`,
      subcode: 4,
      data: '',
    },
    { name: 'hold time 1', body: '04 fde8 0001 0a000002 00', subcode: 6, data: '' },
    { name: 'hold time 2', body: '04 fde8 0002 0a000002 00', subcode: 6, data: '' },
    { name: 'parameters longer than the message', body: `${FIXED} 05 02 02 02 00`, subcode: 0, data: '' },
    { name: 'octets behind the parameters', body: `${FIXED} 00 00`, subcode: 0, data: '' },
    { name: 'a parameter longer than all of them', body: `${FIXED} 04 02 07 02 00`, subcode: 0, data: '' },
    { name: 'a capability longer than its parameter', body: `${FIXED} 04 02 02 40 02`, subcode: 0, data: '' },
    { name: 'multiprotocol of 3 octets', body: `${FIXED} 07 02 05 01 03 000100`, subcode: 0, data: '' },
    { name: 'route refresh with a value', body: `${FIXED} 05 02 03 02 01 00`, subcode: 0, data: '' },
    { name: 'extended message with a value', body: `${FIXED} 05 02 03 06 01 00`, subcode: 0, data: '' },
    { name: 'enhanced refresh with a value', body: `${FIXED} 05 02 03 46 01 00`, subcode: 0, data: '' },
    { name: 'four-octet AS of 2 octets', body: `${FIXED} 06 02 04 41 02 fde8`, subcode: 0, data: '' },
    { name: 'graceful restart of 1 octet', body: `${FIXED} 05 02 03 40 01 00`, subcode: 0, data: '' },
    {
      name: 'graceful restart, half a family',
      body: `${FIXED} 08 02 06 40 04 0078 0001`,
      subcode: 0,
      data: '',
    },
    { name: 'ADD-PATH of 3 octets', body: `${FIXED} 07 02 05 45 03 000101`, subcode: 0, data: '' },
    {
      name: 'long-lived restart of 4 octets',
      body: `${FIXED} 08 02 06 47 04 00010180`,
      subcode: 0,
      data: '',
    },
  ])('for $name', ({ body, subcode, data }) => {
    const decoded = decode(message(1, body), PLAIN);
    expect(decoded).toMatchObject({ ok: false, problem: { disposition: 'session-reset', code: 2, subcode } });
    expect(!decoded.ok && toHex(decoded.problem.data)).toBe(data);
  });
});

function capabilities(body: string): readonly Capability[] | undefined {
  const decoded = decode(message(1, body), PLAIN);
  return decoded.ok && decoded.message.kind === 'open' ? decoded.message.capabilities : undefined;
}

describe('an OPEN that is understood', () => {
  it('takes capabilities from several parameters', () => {
    expect(capabilities(`${FIXED} 0c 02 02 02 00 02 06 41 04 0000fde8`)).toEqual([
      { kind: 'route-refresh' },
      { kind: 'four-octet-asn', asn: 65000 },
    ]);
  });

  it('takes the real AS number from the capability', () => {
    const decoded = decode(message(1, '04 5ba0 001e 0a000002 08 02 06 41 04 fa56ea01'), PLAIN);
    expect(decoded).toMatchObject({ ok: true, message: { asn: 4_200_000_001 } });
  });

  it('leaves out ADD-PATH tuples of an unknown mode (RFC 7911)', () => {
    expect(capabilities(`${FIXED} 0c 02 0a 45 08 0001 01 04 0002 01 01`)).toEqual([
      { kind: 'add-path', families: [{ afi: 2, safi: 1, mode: 'receive' }] },
    ]);
  });

  it('takes the last of several AS numbers, as for every capability', () => {
    const decoded = decode(message(1, `${FIXED} 0e 02 0c 41 04 0000fde8 41 04 fa56ea01`), PLAIN);
    expect(decoded).toMatchObject({ ok: true, message: { asn: 4_200_000_001 } });
  });

  it.each([
    ['ff', 'ff 0005', true],
    ['01', 'ff 0005', true],
    ['08', 'ff 0005', true],
    ['00', 'ff 0005', false],
    ['ff', 'ff 0004', false],
    ['ff', 'ff 0006', false],
    ['ff', 'fe 0005', false],
    ['ff', 'ff 00', false],
    ['ff', 'ff', false],
    ['ff', '', false],
  ])('reads the longer form of RFC 9072, whatever its first length %s says: "%s"', (first, head, isRead) => {
    const inner = head.length > 5 ? '02 0002 02 00' : '';
    const decoded = capabilities(`${FIXED} ${first} ${head} ${inner}`);
    expect(decoded).toEqual(isRead ? [{ kind: 'route-refresh' }] : undefined);
  });

  it('tells the longer form by its type even where the first length happens to be right', () => {
    const octets = new Uint8Array(247);
    const inner = `02 00f9 80 f7 ${toHex(octets)}`;
    expect(capabilities(`${FIXED} ff ff 00fc ${inner}`)).toEqual([{ kind: 'unknown', code: 128, octets }]);
  });

  it.each([
    [251, false],
    [252, true],
  ])('with a capability of %i octets is in the longer form: %s', (length, isLonger) => {
    const open = {
      kind: 'open',
      asn: 65000,
      holdTimeSeconds: 90,
      identifier: address('10.0.0.2'),
      capabilities: [{ kind: 'unknown', code: 128, octets: new Uint8Array(length) }],
    } as const;
    const bytes = encode(open, PLAIN);
    expect([bytes[28], bytes[29]]).toEqual(isLonger ? [255, 255] : [255, 2]);
    expect(decode(bytes, PLAIN)).toMatchObject({ ok: true, message: { capabilities: open.capabilities } });
  });

  it('writes the longer form when the capabilities need it, and reads it back', () => {
    const many = Array.from({ length: 60 }, (_, i): Capability => {
      return { kind: 'unknown', code: 128 + i, octets: hex('00112233') };
    });
    for (const count of [1, 42, 43, 60]) {
      const open = {
        kind: 'open',
        asn: 65000,
        holdTimeSeconds: 90,
        identifier: address('10.0.0.2'),
        capabilities: many.slice(0, count),
      } as const;
      const bytes = encode(open, PLAIN);
      const decoded = decode(bytes, PLAIN);
      expect(decoded.ok && decoded.message, `${count}`).toMatchObject({ capabilities: open.capabilities });
      expect(bytes[28] === 255, `${count} in the longer form`).toBe(count >= 43);
    }
  });
});
