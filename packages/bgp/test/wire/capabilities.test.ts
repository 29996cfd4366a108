// Each capability and its octets, both ways, with the limits of every field and the lengths that it cannot have.

import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { decode, encode, type Capability, type OpenMessage } from '../../src/index.ts';
import { decodeCapability, encodeCapability } from '../../src/wire/capability.ts';
import { hex, message, PLAIN, toHex } from '../octets.ts';

type Pair = [name: string, capability: Capability, octets: string];

const FAMILIES: readonly Pair[] = [
  ['multiprotocol IPv4 unicast (RFC 4760)', { kind: 'multiprotocol', afi: 1, safi: 1 }, '01 04 0001 00 01'],
  ['multiprotocol IPv6 unicast', { kind: 'multiprotocol', afi: 2, safi: 1 }, '01 04 0002 00 01'],
  ['multiprotocol IPv4 VPN', { kind: 'multiprotocol', afi: 1, safi: 128 }, '01 04 0001 00 80'],
  [
    'multiprotocol, the highest numbers',
    { kind: 'multiprotocol', afi: 65535, safi: 255 },
    '01 04 ffff 00 ff',
  ],
  ['ADD-PATH for no family', { kind: 'add-path', families: [] }, '45 00'],
  [
    'ADD-PATH, receive (RFC 7911)',
    { kind: 'add-path', families: [{ afi: 1, safi: 1, mode: 'receive' }] },
    '45 04 0001 01 01',
  ],
  ['ADD-PATH, send', { kind: 'add-path', families: [{ afi: 2, safi: 1, mode: 'send' }] }, '45 04 0002 01 02'],
  [
    'ADD-PATH, both, for two families',
    {
      kind: 'add-path',
      families: [
        { afi: 1, safi: 1, mode: 'both' },
        { afi: 2, safi: 128, mode: 'both' },
      ],
    },
    '45 08 0001 01 03 0002 80 03',
  ],
];

const FLAGS: readonly Pair[] = [
  ['route refresh (RFC 2918)', { kind: 'route-refresh' }, '02 00'],
  ['extended message (RFC 8654)', { kind: 'extended-message' }, '06 00'],
  ['enhanced route refresh (RFC 7313)', { kind: 'enhanced-route-refresh' }, '46 00'],
  ['four-octet AS number 1 (RFC 6793)', { kind: 'four-octet-asn', asn: 1 }, '41 04 00000001'],
  ['four-octet AS number 4200000000', { kind: 'four-octet-asn', asn: 4_200_000_000 }, '41 04 fa56ea00'],
  ['four-octet AS number, the highest', { kind: 'four-octet-asn', asn: 0xffffffff }, '41 04 ffffffff'],
];

function restart(fields: Partial<Extract<Capability, { kind: 'graceful-restart' }>>): Capability {
  return {
    kind: 'graceful-restart',
    restarting: false,
    notification: false,
    restartTimeSeconds: 0,
    families: [],
    ...fields,
  };
}

const RESTARTS: readonly Pair[] = [
  ['graceful restart, helper only (RFC 4724)', restart({}), '40 02 0000'],
  ['graceful restart, R bit', restart({ restarting: true }), '40 02 8000'],
  ['graceful restart, N bit (RFC 8538)', restart({ notification: true }), '40 02 4000'],
  ['graceful restart, 120 seconds', restart({ restartTimeSeconds: 120 }), '40 02 0078'],
  ['graceful restart, the longest time', restart({ restartTimeSeconds: 4095 }), '40 02 0fff'],
  [
    'graceful restart, F bit for one of two families',
    restart({
      families: [
        { afi: 1, safi: 1, forwarding: true },
        { afi: 2, safi: 1, forwarding: false },
      ],
    }),
    '40 0a 0000 0001 01 80 0002 01 00',
  ],
  [
    'graceful restart with everything',
    restart({
      restarting: true,
      notification: true,
      restartTimeSeconds: 0xabc,
      families: [{ afi: 2, safi: 1, forwarding: true }],
    }),
    '40 06 cabc 0002 01 80',
  ],
  [
    'long-lived graceful restart (RFC 9494)',
    {
      kind: 'long-lived-graceful-restart',
      families: [{ afi: 1, safi: 1, forwarding: false, staleTimeSeconds: 1 }],
    },
    '47 07 0001 01 00 000001',
  ],
  [
    'long-lived graceful restart, the longest time, two families',
    {
      kind: 'long-lived-graceful-restart',
      families: [
        { afi: 1, safi: 1, forwarding: true, staleTimeSeconds: 0xffffff },
        { afi: 2, safi: 1, forwarding: false, staleTimeSeconds: 0x010203 },
      ],
    },
    '47 0e 0001 01 80 ffffff 0002 01 00 010203',
  ],
  [
    'long-lived graceful restart for no family',
    { kind: 'long-lived-graceful-restart', families: [] },
    '47 00',
  ],
];

const OTHERS: readonly Pair[] = [
  [
    'a capability that we do not know',
    { kind: 'unknown', code: 73, octets: hex('0276 6d00') },
    '49 04 02766d00',
  ],
  ['an unknown one without a value', { kind: 'unknown', code: 255, octets: hex('') }, 'ff 00'],
  [
    'an unknown one of 255 octets',
    { kind: 'unknown', code: 128, octets: hex('5a'.repeat(255)) },
    `80 ff ${'5a'.repeat(255)}`,
  ],
];

const PAIRS = [...FAMILIES, ...FLAGS, ...RESTARTS, ...OTHERS];

describe('a capability', () => {
  it.each(PAIRS)('is written: %s', (_, capability, octets) => {
    expect(toHex(encodeCapability(capability))).toBe(toHex(hex(octets)));
  });

  it.each(PAIRS)('is read: %s', (_, capability, octets) => {
    const [code = 0, , ...value] = hex(octets);
    expect(decodeCapability(code, Uint8Array.from(value))).toEqual(capability);
  });

  it.each(PAIRS.filter(([, , octets]) => hex(octets).length < 250))(
    'stands in an OPEN: %s',
    (_, capability) => {
      const open: OpenMessage = {
        kind: 'open',
        asn: 64496,
        holdTimeSeconds: 90,
        identifier: address('192.0.2.1'),
        capabilities: [{ kind: 'route-refresh' }, capability, { kind: 'extended-message' }],
      };
      const decoded = decode(encode(open, PLAIN), PLAIN);
      expect(decoded).toMatchObject({ ok: true, message: { capabilities: open.capabilities } });
    },
  );
});

describe('what is ignored in a capability', () => {
  const rows: [string, string, Capability][] = [
    ['the reserved octet of multiprotocol', '01 04 0001 ff 01', { kind: 'multiprotocol', afi: 1, safi: 1 }],
    ['the reserved bits of graceful restart', '40 02 3005', restart({ restartTimeSeconds: 5 })],
    [
      'the reserved bits of a family',
      '40 06 0000 0001 01 7f',
      restart({ families: [{ afi: 1, safi: 1, forwarding: false }] }),
    ],
    [
      'ADD-PATH modes 0, 4 and 255 (RFC 7911 section 4)',
      '45 10 0001 01 00 0002 01 04 0001 80 ff 0001 02 02',
      { kind: 'add-path', families: [{ afi: 1, safi: 2, mode: 'send' }] },
    ],
  ];

  it.each(rows)('%s', (_, octets, capability) => {
    const [code = 0, , ...value] = hex(octets);
    expect(decodeCapability(code, Uint8Array.from(value))).toEqual(capability);
  });
});

describe('the length of a capability', () => {
  const fitting: [name: string, code: number, fits: (length: number) => boolean][] = [
    ['multiprotocol', 1, (length) => length === 4],
    ['route refresh', 2, (length) => length === 0],
    ['extended message', 6, (length) => length === 0],
    ['graceful restart', 64, (length) => length >= 2 && (length - 2) % 4 === 0],
    ['four-octet AS number', 65, (length) => length === 4],
    ['ADD-PATH', 69, (length) => length % 4 === 0],
    ['enhanced route refresh', 70, (length) => length === 0],
    ['long-lived graceful restart', 71, (length) => length % 7 === 0],
    ['unknown', 72, () => true],
  ];

  it.each(fitting)('is checked for every length: %s', (_, code, fits) => {
    for (let length = 0; length <= 30; length++) {
      expect(decodeCapability(code, new Uint8Array(length)) !== undefined, `${length} octets`).toBe(
        fits(length),
      );
    }
  });

  it.each(fitting.filter(([name]) => name !== 'unknown'))(
    'ends the session with 2/0 when it is wrong: %s',
    (_, code, fits) => {
      const length = [1, 3, 5].find((each) => !fits(each)) ?? 0;
      const capability = `${code.toString(16).padStart(2, '0')}0${length}${'00'.repeat(length)}`;
      const body = `04 fde8 001e 0a000002 0${length + 4} 02 0${length + 2} ${capability}`;
      expect(decode(message(1, body), PLAIN)).toMatchObject({
        ok: false,
        problem: {
          disposition: 'session-reset',
          code: 2,
          subcode: 0,
          text: `capability ${code} cannot have ${length} octets`,
        },
      });
    },
  );
});

describe('a capability that is kept', () => {
  it('does not hold on to the octets that it was read from', () => {
    const buffer = hex('0102 0304');
    const capability = decodeCapability(99, buffer.subarray(1, 3));
    buffer.fill(0);
    expect(capability).toEqual({ kind: 'unknown', code: 99, octets: hex('0203') });
  });
});
