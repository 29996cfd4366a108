import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import {
  capabilityOf,
  negotiate,
  type Capability,
  type Negotiated,
  type OpenMessage,
} from '../../src/index.ts';

function open(capabilities: readonly Capability[], fields: Partial<OpenMessage> = {}): OpenMessage {
  const base = { kind: 'open', asn: 65000, holdTimeSeconds: 30, identifier: address('10.0.0.2') } as const;
  return { ...base, ...fields, capabilities };
}

const IPV4: Capability = { kind: 'multiprotocol', afi: 1, safi: 1 };
const IPV6: Capability = { kind: 'multiprotocol', afi: 2, safi: 1 };
const VPN: Capability = { kind: 'multiprotocol', afi: 1, safi: 128 };
const FOUR: Capability = { kind: 'four-octet-asn', asn: 65000 };
const EXTENDED: Capability = { kind: 'extended-message' };
const addPath = (mode: 'send' | 'receive' | 'both', afi = 1): Capability => {
  return { kind: 'add-path', families: [{ afi, safi: 1, mode }] };
};
const restart = (restartTimeSeconds: number): Capability => {
  return {
    kind: 'graceful-restart',
    restarting: false,
    notification: true,
    restartTimeSeconds,
    families: [],
  };
};

interface Row {
  readonly name: string;
  readonly local: OpenMessage;
  readonly remote: OpenMessage;
  readonly expected: Partial<Negotiated>;
}

const ROWS: readonly Row[] = [
  {
    name: 'the shorter hold time',
    local: open([]),
    remote: open([], { holdTimeSeconds: 9 }),
    expected: { holdTimeSeconds: 9 },
  },
  {
    name: 'no hold time if one has none',
    local: open([]),
    remote: open([], { holdTimeSeconds: 0 }),
    expected: { holdTimeSeconds: 0 },
  },
  { name: 'an internal peer', local: open([]), remote: open([]), expected: { peering: 'internal' } },
  {
    name: 'an external peer',
    local: open([]),
    remote: open([], { asn: 65001 }),
    expected: { peering: 'external' },
  },
  { name: 'IPv4 if nobody says a family', local: open([]), remote: open([]), expected: { families: [4] } },
  {
    name: 'both families',
    local: open([IPV4, IPV6]),
    remote: open([IPV6, IPV4]),
    expected: { families: [4, 6] },
  },
  {
    name: 'only what both offer',
    local: open([IPV4, IPV6]),
    remote: open([IPV6, VPN]),
    expected: { families: [6] },
  },
  { name: 'no family in common', local: open([IPV4]), remote: open([IPV6]), expected: { families: [] } },
  {
    name: 'IPv4 with a peer that says nothing',
    local: open([IPV4, IPV6]),
    remote: open([]),
    expected: { families: [4] },
  },
  {
    name: 'path ids sent to who receives them',
    local: open([IPV4, addPath('send')]),
    remote: open([IPV4, addPath('receive')]),
    expected: { addPathSend: [4], addPathReceive: [] },
  },
  {
    name: 'path ids both ways',
    local: open([IPV4, addPath('both')]),
    remote: open([IPV4, addPath('both')]),
    expected: { addPathSend: [4], addPathReceive: [4] },
  },
  {
    name: 'no path ids between two senders',
    local: open([IPV4, addPath('send')]),
    remote: open([IPV4, addPath('send')]),
    expected: { addPathSend: [], addPathReceive: [] },
  },
  {
    name: 'no path ids in a family that is not carried',
    local: open([IPV4, addPath('send', 2)]),
    remote: open([IPV4, addPath('receive', 2)]),
    expected: { addPathSend: [] },
  },
  {
    name: 'long messages if both offer',
    local: open([EXTENDED]),
    remote: open([EXTENDED]),
    expected: { maximumLength: 65535 },
  },
  {
    name: 'short messages if one does not',
    local: open([EXTENDED]),
    remote: open([]),
    expected: { maximumLength: 4096 },
  },
  {
    name: 'AS numbers of four octets',
    local: open([FOUR]),
    remote: open([FOUR]),
    expected: { asnOctets: 4 },
  },
  { name: 'AS numbers of two octets', local: open([FOUR]), remote: open([]), expected: { asnOctets: 2 } },
  {
    name: 'the graceful restart of the peer',
    local: open([restart(4095)]),
    remote: open([restart(120)]),
    expected: { gracefulRestart: restart(120) as Extract<Capability, { kind: 'graceful-restart' }> },
  },
  {
    name: 'no graceful restart alone',
    local: open([]),
    remote: open([restart(120)]),
    expected: { gracefulRestart: undefined },
  },
];

describe('two OPENs agree on', () => {
  it.each(ROWS)('$name', ({ local, remote, expected }) => {
    expect(negotiate(local, remote)).toMatchObject(expected);
  });

  it('the last of repeated capabilities', () => {
    expect(capabilityOf(open([restart(1), restart(2)]), 'graceful-restart')?.restartTimeSeconds).toBe(2);
  });
});
