// A Node with something malformed at each of its places: what cannot be read is absent, the rest stays.

import { address, prefix } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { projectNode, type Node } from '../src/index.ts';
import { NO_FLAG, NO_LIST, NO_MAPPING, NO_TEXT, casesOf, withValue, type Shape } from './cases/shape.ts';

const ZONE = 'topology.kubernetes.io/zone';

const WHOLE = {
  metadata: {
    name: 'w1',
    uid: 'u-1',
    creationTimestamp: '2026-03-01T10:00:00Z',
    labels: { rack: 'a', [ZONE]: 'z1' },
    annotations: { 'example.com/ip': '192.0.2.1' },
    deletionTimestamp: '2026-03-02T10:00:00Z',
  },
  spec: {
    unschedulable: true,
    taints: [
      { key: 'a', effect: 'NoExecute' },
      { key: 'b', effect: 'NoSchedule' },
    ],
    podCIDR: '10.1.0.0/24',
    podCIDRs: ['10.1.0.0/24', '2001:db8:1::/64'],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'NetworkUnavailable', status: 'True' },
    ],
    addresses: [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'ExternalIP', address: '203.0.113.1' },
    ],
  },
};

const PROJECTED: Node = {
  kind: 'Node',
  name: 'w1',
  uid: 'u-1',
  createdAt: Date.UTC(2026, 2, 1, 10),
  labels: { rack: 'a', [ZONE]: 'z1' },
  deleting: true,
  ready: 'True',
  networkUnavailable: true,
  unschedulable: true,
  taints: [
    { key: 'a', effect: 'NoExecute' },
    { key: 'b', effect: 'NoSchedule' },
  ],
  addresses: [
    { type: 'InternalIP', address: address('192.0.2.1') },
    { type: 'ExternalIP', address: address('203.0.113.1') },
  ],
  annotations: { 'example.com/ip': '192.0.2.1' },
  podCidrs: [prefix('10.1.0.0/24'), prefix('2001:db8:1::/64')],
  zone: 'z1',
};

const [NO_EXECUTE, NO_SCHEDULE] = PROJECTED.taints;
const [INTERNAL, EXTERNAL] = PROJECTED.addresses;
const V4_RANGE = prefix('10.1.0.0/24');
const V6_RANGE = prefix('2001:db8:1::/64');
const NOTHING_OF_STATUS: Partial<Node> = { ready: 'Unknown', networkUnavailable: false, addresses: [] };
const NOTHING_OF_SPEC: Partial<Node> = { unschedulable: false, taints: [], podCidrs: [] };

const METADATA: readonly Shape<Node>[] = [
  { place: 'metadata uid', values: NO_TEXT, differs: { uid: '' } },
  { place: 'metadata creationTimestamp', values: NO_TEXT, differs: { createdAt: 0 } },
  { place: 'metadata creationTimestamp', values: ['', 'yesterday', '2026-13-01'], differs: { createdAt: 0 } },
  {
    place: 'metadata creationTimestamp',
    values: ['2026-03-01T11:00:00+01:00', '2026-03-01T10:00:00.000Z'],
    differs: {},
  },
  { place: 'metadata labels', values: NO_MAPPING, differs: { labels: {}, zone: '' } },
  { place: 'metadata labels rack', values: NO_TEXT, differs: { labels: { [ZONE]: 'z1' } } },
  { place: `metadata labels ${ZONE}`, values: NO_TEXT, differs: { labels: { rack: 'a' }, zone: '' } },
  {
    place: `metadata labels ${ZONE}`,
    values: [''],
    differs: { labels: { rack: 'a', [ZONE]: '' }, zone: '' },
  },
  { place: 'metadata annotations', values: NO_MAPPING, differs: { annotations: {} } },
  { place: 'metadata annotations example.com/ip', values: NO_TEXT, differs: { annotations: {} } },
  { place: 'metadata deletionTimestamp', values: [undefined, null], differs: { deleting: false } },
  { place: 'metadata deletionTimestamp', values: ['', 0, 'soon', {}], differs: {} },
];

const SPEC: readonly Shape<Node>[] = [
  { place: 'spec', values: NO_MAPPING, differs: NOTHING_OF_SPEC },
  { place: 'spec unschedulable', values: NO_FLAG, differs: { unschedulable: false } },
  { place: 'spec unschedulable', values: [false], differs: { unschedulable: false } },
  { place: 'spec taints', values: NO_LIST, differs: { taints: [] } },
  { place: 'spec taints', values: [[]], differs: { taints: [] } },
  {
    place: 'spec taints 0',
    values: [null, 7, 'a', []],
    differs: { taints: [{ key: '', effect: '' }, NO_SCHEDULE!] },
  },
  {
    place: 'spec taints 0 key',
    values: NO_TEXT,
    differs: { taints: [{ key: '', effect: 'NoExecute' }, NO_SCHEDULE!] },
  },
  {
    place: 'spec taints 1 effect',
    values: NO_TEXT,
    differs: { taints: [NO_EXECUTE!, { key: 'b', effect: '' }] },
  },
  { place: 'spec podCIDRs', values: NO_LIST, differs: { podCidrs: [V4_RANGE] } },
  { place: 'spec podCIDRs', values: [[]], differs: { podCidrs: [V4_RANGE] } },
  { place: 'spec podCIDRs 0', values: [null, 7, true, [], {}, ''], differs: { podCidrs: [V6_RANGE] } },
  {
    place: 'spec podCIDRs 1',
    values: ['2001:db8:1::1/64', '2001:db8:1::/129', 'none', '2001:db8:1::', '10.2.0.0/33'],
    differs: { podCidrs: [V4_RANGE] },
    faults: ['spec.podCIDRs[1]'],
  },
  { place: 'spec podCIDR', values: [...NO_TEXT, '', 'none'], differs: {} },
];

const STATUS: readonly Shape<Node>[] = [
  { place: 'status', values: NO_MAPPING, differs: NOTHING_OF_STATUS },
  {
    place: 'status conditions',
    values: [...NO_LIST, []],
    differs: { ready: 'Unknown', networkUnavailable: false },
  },
  { place: 'status conditions 0', values: [null, 7, 'Ready', []], differs: { ready: 'Unknown' } },
  { place: 'status conditions 0 type', values: [...NO_TEXT, 'ready', ''], differs: { ready: 'Unknown' } },
  { place: 'status conditions 0 status', values: [...NO_TEXT, 'true', ''], differs: { ready: 'Unknown' } },
  { place: 'status conditions 0 status', values: ['False'], differs: { ready: 'False' } },
  { place: 'status conditions 1', values: [null, 7, 'x', []], differs: { networkUnavailable: false } },
  {
    place: 'status conditions 1 status',
    values: [...NO_TEXT, 'Unknown', 'False', 'true'],
    differs: { networkUnavailable: false },
  },
  { place: 'status addresses', values: [...NO_LIST, []], differs: { addresses: [] } },
  { place: 'status addresses 0', values: [null, 7, '192.0.2.1', []], differs: { addresses: [EXTERNAL!] } },
  {
    place: 'status addresses 0 type',
    values: [...NO_TEXT, 'Hostname', 'InternalDNS', 'internalIP', ''],
    differs: { addresses: [EXTERNAL!] },
  },
  {
    place: 'status addresses 1 address',
    values: [...NO_TEXT, '', 'w1', '203.0.113.1/32', '::ffff:203.0.113.1'],
    differs: { addresses: [INTERNAL!] },
    faults: ['status.addresses[1].address'],
  },
];

describe('a Node', () => {
  it('that is whole has everything', () => {
    expect(projectNode(WHOLE)).toEqual({ ok: true, value: PROJECTED, faults: [] });
  });

  it.each(casesOf([...METADATA, ...SPEC, ...STATUS]))(
    'with $written at $place',
    ({ place, value, differs, faults = [] }) => {
      const result = projectNode(withValue(WHOLE, place, value));
      expect(result).toMatchObject({ ok: true });
      expect(result.ok && result.value).toEqual({ ...PROJECTED, ...differs });
      expect(result.faults.map(({ field }) => field)).toEqual(faults);
    },
  );

  it.each(NO_MAPPING)('with %j for metadata is nobody', (metadata) => {
    const result = projectNode(withValue(WHOLE, 'metadata', metadata));
    expect(result.ok).toBe(false);
    expect(result.faults.map(({ message }) => message)).toEqual([
      'Node without a name: metadata.name is required.',
    ]);
  });

  it.each([...NO_TEXT, ''])('with %j for a name is nobody', (name) => {
    expect(projectNode(withValue(WHOLE, 'metadata name', name)).ok).toBe(false);
  });

  it('says every fault of several, in the order of the object', () => {
    const broken = withValue(
      withValue(WHOLE, 'spec podCIDRs', ['x', '10.1.0.0/24', 'y']),
      'status addresses 0 address',
      'z',
    );
    expect(
      projectNode(broken)
        .faults.map(({ field }) => field)
        .sort(),
    ).toEqual(['spec.podCIDRs[0]', 'spec.podCIDRs[2]', 'status.addresses[0].address']);
  });

  it('with two conditions of a type counts the first', () => {
    const conditions = [
      { type: 'Ready', status: 'False' },
      { type: 'Ready', status: 'True' },
    ];
    expect(projectNode(withValue(WHOLE, 'status conditions', conditions))).toMatchObject({
      value: { ready: 'False' },
    });
  });

  it('is not changed by being read', () => {
    const before = structuredClone(WHOLE);
    projectNode(WHOLE);
    expect(WHOLE).toEqual(before);
  });
});
