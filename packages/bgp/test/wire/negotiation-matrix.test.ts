// What two OPENs agree on, as matrices: every ADD-PATH mode against every other in both families, families, hold
// times, and the flags of graceful restart. And what holds for any two OPENs.

import { address, type Family } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BEFORE_OPEN,
  capabilityOf,
  negotiate,
  unicast,
  unicastFamily,
  type AddPathMode,
  type Capability,
  type OpenMessage,
} from '../../src/index.ts';
import { aMessage } from '../arbitrary.ts';

function open(capabilities: readonly Capability[], fields: Partial<OpenMessage> = {}): OpenMessage {
  const base = { kind: 'open', asn: 65000, holdTimeSeconds: 30, identifier: address('10.0.0.2') } as const;
  return { ...base, ...fields, capabilities };
}

const carries = (...families: Family[]): Capability[] =>
  families.map((family) => ({ kind: 'multiprotocol', ...unicast(family) }));

type Mode = AddPathMode | 'none';

function addPath(ipv4: Mode, ipv6: Mode): Capability {
  const families = ([4, 6] as const).flatMap((family) => {
    const mode = family === 4 ? ipv4 : ipv6;
    return mode === 'none' ? [] : [{ ...unicast(family), mode }];
  });
  return { kind: 'add-path', families };
}

const MODES: readonly Mode[] = ['none', 'receive', 'send', 'both'];

/** RFC 7911 section 4: local mode -> remote mode -> do we send, do we receive path identifiers. */
const AGREED: Record<Mode, Record<Mode, string>> = {
  none: { none: '', receive: '', send: '', both: '' },
  receive: { none: '', receive: '', send: 'receive', both: 'receive' },
  send: { none: '', receive: 'send', send: '', both: 'send' },
  both: { none: '', receive: 'send', send: 'receive', both: 'send receive' },
};

const MODE_ROWS = MODES.flatMap((local) =>
  MODES.map((remote) => ({ local, remote, agreed: AGREED[local][remote] })),
);

describe('ADD-PATH', () => {
  it.each(MODE_ROWS)('for IPv4: we $local, the peer $remote: "$agreed"', ({ local, remote, agreed }) => {
    const { addPathSend, addPathReceive } = negotiate(
      open([...carries(4, 6), addPath(local, 'none')]),
      open([...carries(4, 6), addPath(remote, 'none')]),
    );
    expect(addPathSend).toEqual(agreed.includes('send') ? [4] : []);
    expect(addPathReceive).toEqual(agreed.includes('receive') ? [4] : []);
  });

  it.each(MODE_ROWS)(
    'for IPv6, IPv4 the other way round: $local, $remote: "$agreed"',
    ({ local, remote, agreed }) => {
      const { addPathSend, addPathReceive } = negotiate(
        open([...carries(4, 6), addPath('send', local)]),
        open([...carries(4, 6), addPath('receive', remote)]),
      );
      expect(addPathSend).toEqual(agreed.includes('send') ? [4, 6] : [4]);
      expect(addPathReceive).toEqual(agreed.includes('receive') ? [6] : []);
    },
  );

  it.each([
    ['IPv4 only', [4], [4, 6], [4]],
    ['IPv6 only', [6], [4, 6], [6]],
    ['none in common', [4], [6], []],
  ] as const)('is for families that are carried: %s', (_, local, remote, expected) => {
    const { addPathSend } = negotiate(
      open([...carries(...local), addPath('both', 'both')]),
      open([...carries(...remote), addPath('both', 'both')]),
    );
    expect(addPathSend).toEqual(expected);
  });

  it('is for unicast: other SAFIs do not count', () => {
    const multicast: Capability = { kind: 'add-path', families: [{ afi: 1, safi: 2, mode: 'both' }] };
    expect(negotiate(open([addPath('both', 'both')]), open([multicast])).addPathSend).toEqual([]);
  });
});

/** RFC 4760 section 8: who says nothing speaks IPv4 unicast. */
const meant = (said: readonly Family[]): readonly Family[] => (said.length === 0 ? [4] : said);

describe('the families', () => {
  const sets: (readonly Family[])[] = [[], [4], [6], [4, 6], [6, 4]];
  const rows = sets.flatMap((local) => sets.map((remote) => [local, remote] as const));

  it.each(rows)('%o and %o', (local, remote) => {
    const { families } = negotiate(open(carries(...local)), open(carries(...remote)));
    expect(families).toEqual(
      ([4, 6] as const).filter((family) => meant(local).includes(family) && meant(remote).includes(family)),
    );
  });

  it('do not include IPv4 for who says another family only', () => {
    const vpn: Capability = { kind: 'multiprotocol', afi: 1, safi: 128 };
    expect(negotiate(open(carries(4)), open([vpn])).families).toEqual([]);
  });

  it('are named by their numbers', () => {
    expect([unicast(4), unicast(6)]).toEqual([
      { afi: 1, safi: 1 },
      { afi: 2, safi: 1 },
    ]);
    const names = [
      [1, 1],
      [2, 1],
      [1, 2],
      [2, 128],
      [3, 1],
      [0, 1],
    ].map(([afi = 0, safi = 0]) => unicastFamily({ afi, safi }));
    expect(names).toEqual([4, 6, undefined, undefined, undefined, undefined]);
  });
});

describe('the hold time', () => {
  const times = [0, 3, 9, 30, 180, 65535];
  const rows = times.flatMap((local) =>
    times.map((remote) => [local, remote, Math.min(local, remote)] as const),
  );

  it.each(rows)('of %i s and %i s is %i s', (local, remote, expected) => {
    const ours = open([], { holdTimeSeconds: local });
    const theirs = open([], { holdTimeSeconds: remote });
    expect(negotiate(ours, theirs).holdTimeSeconds).toBe(expected);
  });
});

describe('graceful restart', () => {
  const flags = [true, false];
  const rows = flags.flatMap((restarting) =>
    flags.flatMap((notification) => flags.map((forwarding) => ({ restarting, notification, forwarding }))),
  );

  it.each(rows)('is what the peer says: R $restarting, N $notification, F $forwarding', (row) => {
    const { restarting, notification, forwarding } = row;
    const remote: Capability = {
      kind: 'graceful-restart',
      restarting,
      notification,
      restartTimeSeconds: 120,
      families: [{ afi: 1, safi: 1, forwarding }],
    };
    const local: Capability = {
      kind: 'graceful-restart',
      restarting: true,
      notification: true,
      restartTimeSeconds: 4095,
      families: [],
    };
    expect(negotiate(open([local]), open([remote])).gracefulRestart).toEqual(remote);
    expect(negotiate(open([remote]), open([local])).gracefulRestart).toEqual(local);
    expect(negotiate(open([]), open([remote])).gracefulRestart).toBeUndefined();
    expect(negotiate(open([local]), open([])).gracefulRestart).toBeUndefined();
  });
});

describe('what both have to offer', () => {
  const rows: [string, Capability, 'maximumLength' | 'asnOctets', number, number][] = [
    ['extended messages', { kind: 'extended-message' }, 'maximumLength', 65535, 4096],
    ['four-octet AS numbers', { kind: 'four-octet-asn', asn: 65000 }, 'asnOctets', 4, 2],
  ];

  it.each(rows)('%s', (...[, capability, field, both, otherwise]) => {
    const offered = open([capability]);
    const silent = open([]);
    expect(negotiate(offered, offered)[field]).toBe(both);
    expect(negotiate(offered, silent)[field]).toBe(otherwise);
    expect(negotiate(silent, offered)[field]).toBe(otherwise);
    expect(negotiate(silent, silent)[field]).toBe(otherwise);
  });

  it('is what holds before there are two OPENs', () => {
    const { families, maximumLength, asnOctets, addPathSend, holdTimeSeconds } = BEFORE_OPEN;
    expect({ families, maximumLength, asnOctets, addPathSend, holdTimeSeconds }).toEqual({
      families: [4],
      maximumLength: 4096,
      asnOctets: 2,
      addPathSend: [],
      holdTimeSeconds: 0,
    });
  });
});

describe('any two OPENs', () => {
  const anOpen = aMessage.filter((each): each is OpenMessage => each.kind === 'open');

  it('agree on the same from both sides', () => {
    fc.assert(
      fc.property(anOpen, anOpen, (one, other) => {
        const here = negotiate(one, other);
        const there = negotiate(other, one);
        expect(there.families).toEqual(here.families);
        expect(there.holdTimeSeconds).toBe(here.holdTimeSeconds);
        expect(there.maximumLength).toBe(here.maximumLength);
        expect(there.peering).toBe(here.peering);
        expect(there.addPathSend).toEqual(here.addPathReceive);
        expect(there.addPathReceive).toEqual(here.addPathSend);
      }),
      { numRuns: 60 },
    );
  });

  it('use path identifiers only in families that they carry', () => {
    fc.assert(
      fc.property(anOpen, anOpen, (one, other) => {
        const { families, addPathSend, addPathReceive } = negotiate(one, other);
        expect([...addPathSend, ...addPathReceive].filter((family) => !families.includes(family))).toEqual(
          [],
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a repeated capability', () => {
  it('counts the last time', () => {
    const asns = [1, 2, 3].map((asn): Capability => ({ kind: 'four-octet-asn', asn }));
    expect(capabilityOf(open(asns), 'four-octet-asn')?.asn).toBe(3);
    expect(capabilityOf(open([]), 'four-octet-asn')).toBeUndefined();
  });

  it('adds families where it is multiprotocol', () => {
    expect(negotiate(open([...carries(4, 6, 4)]), open(carries(6, 6, 4))).families).toEqual([4, 6]);
  });
});
