// What the four daemons say -> one form of sessions and paths. The texts are real answers, shortened.

import { describe, expect, test } from 'vitest';
import { birdPaths, birdPeers, birdSessions } from '../src/routers/bird-output.ts';
import { frrPaths, frrSessions } from '../src/routers/frr-output.ts';
import type { FrrTable } from '../src/routers/frr-output.ts';
import { gobgpPaths, gobgpSessions } from '../src/routers/gobgp-output.ts';
import { openbgpdPaths, openbgpdSessions } from '../src/routers/openbgpd-output.ts';
import type { RouterPath } from '../src/routers/router.ts';

const path = (fields: Partial<RouterPath>): RouterPath => ({
  prefix: '203.0.113.1/32',
  nextHop: '192.0.2.101',
  peer: '192.0.2.2',
  asPath: [65_001],
  communities: [],
  pathId: undefined,
  med: undefined,
  localPref: undefined,
  isBest: false,
  ...fields,
});

const frrPath = (fields: object): object => ({
  aspath: { string: '65001', segments: [{ type: 'as-sequence', list: [65_001] }], length: 1 },
  nexthops: [{ ip: '192.0.2.101', afi: 'ipv4', used: true }],
  peer: { peerId: '192.0.2.2', type: 'external' },
  ...fields,
});

describe('FRR', () => {
  const paths = [
    frrPath({
      metric: 5,
      bestpath: { overall: true },
      addpathRxId: 6,
      community: { string: '65000:1', list: ['65000:1'] },
      largeCommunity: { list: ['65000:1:2'] },
    }),
    frrPath({ locPrf: 200, nexthops: [{ ip: '192.0.2.102' }] }),
  ];
  const expected = [
    path({ med: 5, isBest: true, pathId: 6, communities: ['65000:1', '65000:1:2'] }),
    path({ nextHop: '192.0.2.102', localPref: 200 }),
  ];

  const shapes: [version: string, table: unknown][] = [
    [
      '8.4: a list whose first entry is the prefix itself',
      [{ prefix: '203.0.113.1/32', version: 1 }, ...paths],
    ],
    ['10.3: an object with paths', { prefix: '203.0.113.1/32', version: 1, paths }],
  ];
  test.each(shapes)('table of %s', (_version, entry) => {
    const table = { routes: { '203.0.113.1/32': entry } } as unknown as FrrTable;
    expect(frrPaths(table)).toEqual(expected);
  });

  test('the global next hop is told, not the link-local one that goes with it', () => {
    const nexthops = [
      { ip: 'fe80::1', scope: 'link-local', used: true },
      { ip: '2001:db8:2::2', scope: 'global' },
    ];
    const table = { routes: { '2001:db8:53::1/128': [frrPath({ nexthops })] } } as unknown as FrrTable;
    expect(frrPaths(table)[0]?.nextHop).toBe('2001:db8:2::2');
    expect(frrPaths({})).toEqual([]);
  });

  const addPath: [what: string, said: object, families: number[]][] = [
    ['we offer, they send', { ipv4Unicast: { rxAdvertised: true, txReceived: true } }, [4]],
    [
      'both do both',
      {
        ipv4Unicast: { rxAdvertisedAndReceived: true, txAdvertisedAndReceived: true },
        ipv6Unicast: { rxAdvertisedAndReceived: true, txReceived: true },
      },
      [4, 6],
    ],
    ['both only offer to receive', { ipv4Unicast: { rxAdvertisedAndReceived: true } }, []],
    ['they send, we do not offer', { ipv6Unicast: { txReceived: true, rxReceived: true } }, []],
  ];
  test.each(addPath)('several paths are received: %s', (_what, said, families) => {
    const neighbor = {
      remoteAs: 65_001,
      bgpState: 'Established',
      connectionsDropped: 3,
      neighborCapabilities: { addPath: said },
    };
    expect(frrSessions({ '192.0.2.2': neighbor })).toEqual([
      {
        peer: '192.0.2.2',
        asn: 65_001,
        state: 'Established',
        isEstablished: true,
        connectionsDropped: 3,
        addPathReceive: families,
      },
    ]);
  });

  test('an idle neighbour, and fields that are no neighbour', () => {
    const sessions = frrSessions({ '192.0.2.3': { bgpState: 'Active' }, vrfId: {} });
    expect(sessions).toMatchObject([{ peer: '192.0.2.3', isEstablished: false, connectionsDropped: 0 }]);
  });
});

const BIRD_PROTOCOLS = `BIRD 2.0.12 ready.
Name       Proto      Table      State  Since         Info
device1    Device     ---        up     21:31:30.404
peer0      BGP        ---        up     21:31:31.236  Established
  BGP state:          Established
    Neighbor address: 192.0.2.1
    Neighbor AS:      65000
    Local AS:         65001
    Local capabilities
      ADD-PATH
        RX: ipv4 ipv6
        TX:
    Neighbor capabilities
      ADD-PATH
        RX: ipv4 ipv6
        TX: ipv4
    Session:          external AS4
  Channel ipv4
    State:          UP
peer1      BGP        ---        start  21:31:31.236  Active        Socket: Connection refused
  BGP state:          Active
    Neighbor address: fe80::1%eth0
    Neighbor AS:      65002
range0     BGP        ---        start  21:31:31.236  Passive
  BGP state:          Passive
    Neighbor range:   192.0.2.0/24

`;
const BIRD_LOG = `2026-12-01 21:31:30.404 <TRACE> peer0: State changed to start
2026-12-01 21:31:31.236 <TRACE> peer0: State changed to up
2026-12-01 21:31:32.000 <TRACE> peer1: State changed to up
2026-12-01 21:31:40.000 <TRACE> peer0: State changed to stop
2026-12-01 21:31:40.001 <TRACE> peer0: State changed to down
2026-12-01 21:31:40.002 <TRACE> peer0: State changed to start
2026-12-01 21:31:41.000 <TRACE> peer0: State changed to up`;
const BIRD_ROUTES = `BIRD 2.0.12 ready.
Table master4:
203.0.113.1/32       unicast [peer0 21:31:30.404] * (100) [AS65001i]
	via 192.0.2.101 on eth0
	Type: BGP univ
	BGP.origin: IGP
	BGP.as_path: 65001 65002
	BGP.next_hop: 192.0.2.101
	BGP.med: 5
	BGP.local_pref: 100
	BGP.community: (65000,1) (65535,65281)
	BGP.large_community: (65000, 1, 2)
                     unicast [peer1 21:31:30.404 from 192.0.2.9] (100) [AS65001i]
	via 192.0.2.102 on eth0
	Type: BGP univ
	BGP.as_path: 65001
	BGP.next_hop: 192.0.2.102
203.0.113.9/32       blackhole [s4 21:31:30.404] * (200)
	Type: static univ
`;

describe('BIRD', () => {
  test('sessions; a range that only listens is none', () => {
    expect(birdSessions(BIRD_PROTOCOLS, BIRD_LOG)).toEqual([
      {
        peer: '192.0.2.1',
        asn: 65_000,
        state: 'Established',
        isEstablished: true,
        connectionsDropped: 1,
        addPathReceive: [4],
      },
      {
        peer: 'fe80::1',
        asn: 65_002,
        state: 'Active',
        isEstablished: false,
        connectionsDropped: 0,
        addPathReceive: [],
      },
    ]);
  });

  test('paths: a second path repeats no prefix, a static route is no path', () => {
    expect(birdPaths(BIRD_ROUTES, birdPeers(BIRD_PROTOCOLS))).toEqual([
      path({
        peer: '192.0.2.1',
        asPath: [65_001, 65_002],
        med: 5,
        localPref: 100,
        isBest: true,
        communities: ['65000:1', '65535:65281', '65000:1:2'],
      }),
      path({ peer: 'fe80::1', nextHop: '192.0.2.102' }),
    ]);
    expect(birdPaths('BIRD 2.0.12 ready.\n', new Map())).toEqual([]);
  });
});

const addPathCapability = (...tuples: [afi: number, mode: number][]): object => ({
  type_url: 'type.googleapis.com/apipb.AddPathCapability',
  value: Buffer.from(tuples.flatMap(([afi, mode]) => [10, 8, 10, 4, 8, afi, 16, 1, 16, mode])).toString(
    'base64',
  ),
});
const RECEIVE = 1;
const SEND = 2;
const BOTH = 3;

const peerDown = (key: string, state: string): string =>
  `time="2026-12-01T22:00:00Z" level=info msg="Peer Down" Key=${key} Reason="x" State=${state} Topic=Peer`;

describe('GoBGP', () => {
  const capabilities: [what: string, local: object[], remote: object[], families: number[]][] = [
    ['nothing', [], [], []],
    ['we receive, they send', [addPathCapability([1, RECEIVE])], [addPathCapability([1, SEND])], [4]],
    [
      'both families',
      [addPathCapability([1, BOTH], [2, RECEIVE])],
      [addPathCapability([1, BOTH], [2, SEND])],
      [4, 6],
    ],
    ['we only send', [addPathCapability([1, SEND])], [addPathCapability([1, BOTH])], []],
    ['they only receive', [addPathCapability([2, RECEIVE])], [addPathCapability([2, RECEIVE])], []],
  ];
  test.each(capabilities)('several paths are received: %s', (_what, local, remote, families) => {
    const state = { neighbor_address: '192.0.2.1', peer_asn: 65_000, session_state: 6 };
    const json = JSON.stringify([{ state: { ...state, local_cap: local, remote_cap: remote } }]);
    expect(gobgpSessions(json, '')).toEqual([
      {
        peer: '192.0.2.1',
        asn: 65_000,
        state: 'established',
        isEstablished: true,
        connectionsDropped: 0,
        addPathReceive: families,
      },
    ]);
  });

  test('only sessions that stood count as dropped, and only this peer', () => {
    const log = [
      peerDown('192.0.2.1', 'BGP_FSM_ESTABLISHED'),
      peerDown('192.0.2.1', 'BGP_FSM_OPENSENT'),
      peerDown('192.0.2.11', 'BGP_FSM_ESTABLISHED'),
    ].join('\n');
    const json = JSON.stringify([{ conf: { neighbor_address: '192.0.2.1' }, state: { session_state: 1 } }]);
    expect(gobgpSessions(json, log)).toMatchObject([
      { state: 'idle', isEstablished: false, connectionsDropped: 1 },
    ]);
    expect(gobgpSessions('', '')).toEqual([]);
  });

  test('paths of both families', () => {
    const json = JSON.stringify({
      '203.0.113.1/32': [
        {
          best: true,
          attrs: [
            { type: 2, as_paths: [{ segment_type: 2, num: 1, asns: [65_001] }] },
            { type: 3, nexthop: '192.0.2.101' },
            { type: 4, metric: 77 },
            { type: 5, value: 300 },
            { type: 8, communities: [4_259_840_001, 0xffffff01] },
            { type: 32, value: [{ ASN: 65_000, LocalData1: 1, LocalData2: 2 }] },
          ],
          'neighbor-ip': '192.0.2.2',
        },
      ],
      '2001:db8:53::7/128': [{ attrs: [{ type: 14, nexthop: '2001:db8:2::1', afi: 2, safi: 1 }] }],
    });
    expect(gobgpPaths(json)).toEqual([
      path({
        med: 77,
        localPref: 300,
        isBest: true,
        communities: ['65000:1', '65535:65281', '65000:1:2'],
      }),
      path({ prefix: '2001:db8:53::7/128', nextHop: '2001:db8:2::1', peer: '', asPath: [] }),
    ]);
    expect(gobgpPaths('')).toEqual([]);
  });
});

describe('OpenBGPD', () => {
  test('sessions and their drops', () => {
    const log = [
      'neighbor 192.0.2.4: state change OpenConfirm -> Established, reason: KEEPALIVE message received',
      'neighbor 192.0.2.4: state change Established -> Idle, reason: NOTIFICATION received',
      'neighbor 192.0.2.5: state change Established -> Idle, reason: NOTIFICATION received',
    ].join('\n');
    const json = '{"neighbors":[{"remote_as":"64600","remote_addr":"192.0.2.4","state":"Idle"}]}';
    expect(openbgpdSessions(json, log)).toEqual([
      {
        peer: '192.0.2.4',
        asn: 64_600,
        state: 'Idle',
        isEstablished: false,
        connectionsDropped: 1,
        addPathReceive: undefined,
      },
    ]);
    expect(openbgpdSessions('{}', '')).toEqual([]);
  });

  test('paths of the family asked for', () => {
    const entry = {
      prefix: '203.0.113.1/32',
      best: true,
      aspath: '65001',
      exit_nexthop: '192.0.2.101',
      metric: 12,
      localpref: 100,
      path_id: 3,
      neighbor: { remote_addr: '192.0.2.2' },
      communities: ['65000:1'],
      large_communities: ['65000:1:2'],
    };
    const json = JSON.stringify({ rib: [entry, { ...entry, prefix: '2001:db8:53::1/128' }] });
    expect(openbgpdPaths(json, 4)).toEqual([
      path({ isBest: true, pathId: 3, med: 12, localPref: 100, communities: ['65000:1', '65000:1:2'] }),
    ]);
    expect(openbgpdPaths(json, 6).map((one) => one.prefix)).toEqual(['2001:db8:53::1/128']);
    expect(openbgpdPaths('{}', 4)).toEqual([]);
  });
});
