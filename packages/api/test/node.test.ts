// Node objects as clusters have them -> what Herald reads of them.

import { address, prefix } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { projectNode, sameProjected, type Node } from '../src/index.ts';

function node(parts: { metadata?: object; spec?: unknown; status?: unknown }): Node {
  const result = projectNode({ ...parts, metadata: { name: 'w1', ...parts.metadata } });
  return result.ok ? result.value : expect.fail('the node is refused');
}

function withAddresses(...addresses: readonly unknown[]): { status: object } {
  return { status: { addresses } };
}

const internal = (text: string): object => ({ type: 'InternalIP', address: text });
const ready = (status: unknown): object => ({ status: { conditions: [{ type: 'Ready', status }] } });

const beat = (time: string): object => ({
  metadata: { resourceVersion: time, managedFields: [{ time }] },
  status: {
    conditions: [
      { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: time },
      { type: 'Ready', status: 'True', lastHeartbeatTime: time },
    ],
    images: [{ names: [time] }],
    addresses: [internal('192.0.2.1')],
  },
});

describe('a Node', () => {
  it('that says nothing is not known to be ready', () => {
    expect(node({})).toEqual({
      kind: 'Node',
      name: 'w1',
      uid: '',
      createdAt: 0,
      labels: {},
      deleting: false,
      ready: 'Unknown',
      networkUnavailable: false,
      unschedulable: false,
      taints: [],
      addresses: [],
      annotations: {},
      podCidrs: [],
      zone: '',
    });
  });

  it.each<[string, Parameters<typeof node>[0], Partial<Node>]>([
    ['ready', ready('True'), { ready: 'True' }],
    ['not ready', ready('False'), { ready: 'False' }],
    ['silent', ready('Unknown'), { ready: 'Unknown' }],
    ['with a condition that makes no sense', ready('maybe'), { ready: 'Unknown' }],
    ['with a boolean for a status', ready(true), { ready: 'Unknown' }],
    [
      'without a network',
      { status: { conditions: [{ type: 'NetworkUnavailable', status: 'True' }] } },
      { networkUnavailable: true },
    ],
    [
      'with a network',
      { status: { conditions: [{ type: 'NetworkUnavailable', status: 'False' }] } },
      { networkUnavailable: false },
    ],
    ['being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, { deleting: true }],
    ['with an empty deletion time', { metadata: { deletionTimestamp: null } }, { deleting: false }],
    ['cordoned', { spec: { unschedulable: true } }, { unschedulable: true }],
    [
      'tainted',
      { spec: { taints: [{ key: 'a', effect: 'NoExecute', value: 'x', timeAdded: 'y' }] } },
      { taints: [{ key: 'a', effect: 'NoExecute' }] },
    ],
    ['in a zone', { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1' } } }, { zone: 'z1' }],
    [
      'with pod ranges',
      { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', '2001:db8:1::/64'] } },
      { podCidrs: [prefix('10.1.0.0/24'), prefix('2001:db8:1::/64')] },
    ],
    [
      'with one pod range, as before dual stack',
      { spec: { podCIDR: '10.1.0.0/24' } },
      { podCidrs: [prefix('10.1.0.0/24')] },
    ],
    ['with wrong types everywhere', { spec: 7, status: [], metadata: { labels: [], annotations: 'x' } }, {}],
  ])('%s', (_, parts, expected) => {
    expect(node(parts)).toMatchObject(expected);
  });

  it.each([
    ['IPv4 first', ['192.0.2.1', '2001:db8::1']],
    ['IPv6 first', ['2001:db8::1', '192.0.2.1']],
    ['several of one family', ['192.0.2.9', '192.0.2.1', '2001:db8::9', '2001:db8::1']],
  ])('keeps the order of its addresses: %s', (_, texts) => {
    const { addresses } = node(withAddresses(...texts.map(internal)));
    expect(addresses).toEqual(texts.map((text) => ({ type: 'InternalIP', address: address(text) })));
  });

  it('has internal and external addresses, and no names', () => {
    const { addresses } = node(
      withAddresses(
        { type: 'Hostname', address: 'w1' },
        { type: 'ExternalIP', address: '203.0.113.1' },
        { type: 'InternalDNS', address: 'w1.example.com' },
        internal('192.0.2.1'),
      ),
    );
    expect(addresses).toEqual([
      { type: 'ExternalIP', address: address('203.0.113.1') },
      { type: 'InternalIP', address: address('192.0.2.1') },
    ]);
  });

  it.each([['::ffff:192.0.2.1'], ['192.0.2.01'], ['fe80::1%eth0'], ['w1'], ['']])(
    'leaves out the address %j and says so',
    (text) => {
      const object = { metadata: { name: 'w1' }, ...withAddresses(internal(text), internal('192.0.2.7')) };
      const result = projectNode(object);
      expect(result).toMatchObject({
        ok: true,
        value: { addresses: [{ address: { text: '192.0.2.7' } }] },
        faults: [{ object: 'Node w1', field: 'status.addresses[0].address', reason: 'Unreadable' }],
      });
      expect(result.faults[0]?.message).toContain(
        `Node w1: status.addresses[0].address is wrong: ${JSON.stringify(text)}`,
      );
    },
  );

  it('leaves out a pod range that cannot be read and says so', () => {
    const result = projectNode({
      metadata: { name: 'w1' },
      spec: { podCIDRs: ['10.1.0.1/24', '10.2.0.0/24'] },
    });
    expect(result).toMatchObject({ ok: true, value: { podCidrs: [prefix('10.2.0.0/24')] } });
    expect(result.faults.map(({ field }) => field)).toEqual(['spec.podCIDRs[0]']);
  });

  it('keeps short annotations only', () => {
    const annotations = {
      'example.com/ip': '192.0.2.1',
      exact: 'x'.repeat(1024),
      long: 'x'.repeat(1025),
      odd: 7,
    };
    expect(Object.keys(node({ metadata: { annotations } }).annotations)).toEqual(['example.com/ip', 'exact']);
  });

  it('is the same after a heartbeat', () => {
    expect(sameProjected(node(beat('1')), node(beat('2')))).toBe(true);
  });

  it.each([[{}], [null], ['node'], [{ metadata: { name: 7 } }], [{ metadata: [] }]])(
    'without a name is refused: %j',
    (object) => {
      expect(projectNode(object)).toEqual({
        ok: false,
        faults: [
          {
            object: 'Node without a name',
            field: 'metadata.name',
            reason: 'Invalid',
            message: 'Node without a name: metadata.name is required.',
          },
        ],
      });
    },
  );
});
