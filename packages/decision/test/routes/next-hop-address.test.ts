// Which address of a node a router is given: type x CIDRs x family x the order in which the node lists them,
// on the rule itself and through whole decisions.

import { prefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import type { PeerNextHop } from '@herald/api';
import { decide, emptyMemory } from '../../src/index.ts';
import { NextHopRule, annotatedAddresses, ruleKey } from '../../src/routes/next-hop-address.ts';
import { decideScene, node, peer, sceneWorld, told } from './small-world.ts';
import type { NodeSpec } from './small-world.ts';

const hop = (type: PeerNextHop['type'], cidrs = '', annotation?: string): PeerNextHop => ({
  type,
  annotation,
  cidrs: cidrs.split(' ').filter(Boolean).map(prefix),
});

function given(spec: PeerNextHop, of: NodeSpec): string {
  const found = new NextHopRule(spec, 0).addressesOf(node('a', of));
  return `${found[4]?.text ?? '-'} ${found[6]?.text ?? '-'}`;
}

const FULL: NodeSpec = {
  ips: '10.0.0.1 fd00::1 10.1.0.1 fd00:1::1',
  external: '198.18.0.1 2001:db8:ee::1',
  annotations: { fabric: '10.9.0.1, fd09::1 10.9.1.1', empty: '', junk: 'x 10.9.0.300 ::ffff:1.2.3.4' },
};

describe('an address of a node', () => {
  const rows: (readonly [string, PeerNextHop, string])[] = [
    ['internal', hop('InternalIP'), '10.0.0.1 fd00::1'],
    ['internal, in the second network', hop('InternalIP', '10.1.0.0/16'), '10.1.0.1 -'],
    ['internal, in both second networks', hop('InternalIP', '10.1.0.0/16 fd00:1::/64'), '10.1.0.1 fd00:1::1'],
    ['internal, in a network of one family', hop('InternalIP', 'fd00:1::/64'), '- fd00:1::1'],
    ['internal, in no network', hop('InternalIP', '192.168.0.0/16'), '- -'],
    ['internal, anywhere in IPv4', hop('InternalIP', '0.0.0.0/0'), '10.0.0.1 -'],
    ['internal, anywhere', hop('InternalIP', '0.0.0.0/0 ::/0'), '10.0.0.1 fd00::1'],
    ['internal, one host', hop('InternalIP', '10.1.0.1/32'), '10.1.0.1 -'],
    ['internal, a neighbour of the host', hop('InternalIP', '10.1.0.2/32'), '- -'],
    ['internal, networks in another order', hop('InternalIP', '10.1.0.0/16 10.0.0.0/16'), '10.0.0.1 -'],
    ['external', hop('ExternalIP'), '198.18.0.1 2001:db8:ee::1'],
    ['external, in the network of internal ones', hop('ExternalIP', '10.0.0.0/8'), '- -'],
    ['external, IPv6 only', hop('ExternalIP', '2001:db8:ee::/64'), '- 2001:db8:ee::1'],
    ['annotated', hop('Annotation', '', 'fabric'), '10.9.0.1 fd09::1'],
    ['annotated, in a network', hop('Annotation', '10.9.1.0/24', 'fabric'), '10.9.1.1 -'],
    ['annotated, nothing in it', hop('Annotation', '', 'empty'), '- -'],
    ['annotated, nothing that can be read', hop('Annotation', '', 'junk'), '- -'],
    ['annotated, not there', hop('Annotation', '', 'missing'), '- -'],
    ['annotated, a name from the prototype', hop('Annotation', '', 'toString'), '- -'],
    ['annotated, without a name', hop('Annotation'), '- -'],
  ];
  test.each(rows)('%s', (_name, spec, expected) => {
    expect(given(spec, FULL)).toBe(expected);
  });
});

describe('the order in which a node lists its addresses', () => {
  const rows: (readonly [string, string])[] = [
    ['10.0.0.1 fd00::1', '10.0.0.1 fd00::1'],
    ['fd00::1 10.0.0.1', '10.0.0.1 fd00::1'],
    ['10.0.0.2 10.0.0.1', '10.0.0.2 -'],
    ['10.0.0.1 10.0.0.2', '10.0.0.1 -'],
    ['fd00::2 fd00::1 10.0.0.9', '10.0.0.9 fd00::2'],
    ['10.0.0.1', '10.0.0.1 -'],
    ['fd00::1', '- fd00::1'],
    ['', '- -'],
  ];
  test.each(rows)('%s', (ips, expected) => {
    expect(given(hop('InternalIP'), { ips })).toBe(expected);
  });
});

describe('an address that can never be a next hop is passed over', () => {
  const rows: (readonly [string, string, string])[] = [
    ['unspecified', '0.0.0.0 10.0.0.1', '10.0.0.1 -'],
    ['unspecified v6', ':: fd00::1', '- fd00::1'],
    ['loopback', '127.0.0.1 10.0.0.1', '10.0.0.1 -'],
    ['loopback beyond .1', '127.9.0.1 10.0.0.1', '10.0.0.1 -'],
    ['loopback v6', '::1 fd00::1', '- fd00::1'],
    ['link-local', '169.254.1.1 10.0.0.1', '10.0.0.1 -'],
    ['link-local v6', 'fe80::1 fd00::1', '- fd00::1'],
    ['link-local v6, end of the range', 'febf::1 fd00::1', '- fd00::1'],
    ['multicast', '224.0.0.5 10.0.0.1', '10.0.0.1 -'],
    ['multicast v6', 'ff02::1 fd00::1', '- fd00::1'],
    ['all of them, and nothing else', '127.0.0.1 169.254.0.1 fe80::1 ::1', '- -'],
  ];
  test.each(rows)('%s', (_name, ips, expected) => {
    expect(given(hop('InternalIP'), { ips })).toBe(expected);
    expect(given(hop('InternalIP', '0.0.0.0/0 ::/0'), { ips })).toBe(expected);
    expect(given(hop('Annotation', '', 'x'), { annotations: { x: ips } })).toBe(expected);
  });
});

describe('an annotation', () => {
  const rows: (readonly [string, string])[] = [
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1,10.0.0.2', '10.0.0.1 10.0.0.2'],
    ['10.0.0.1, 10.0.0.2', '10.0.0.1 10.0.0.2'],
    [' 10.0.0.1\t10.0.0.2\n', '10.0.0.1 10.0.0.2'],
    [',,10.0.0.1,,', '10.0.0.1'],
    ['10.0.0.1/24', ''],
    ['node-1.example', ''],
    ['10.0.0.1 nonsense fd00::1', '10.0.0.1 fd00::1'],
    ['', ''],
  ];
  test.each(rows)('%j', (text, expected) => {
    const found = annotatedAddresses(node('a', { annotations: { x: text } }), 'x');
    expect(found.map((each) => each.text).join(' ')).toBe(expected);
  });
});

describe('rules', () => {
  const specs = [
    hop('InternalIP'),
    hop('ExternalIP'),
    hop('InternalIP', '10.0.0.0/8'),
    hop('InternalIP', '10.0.0.0/9'),
    hop('ExternalIP', '10.0.0.0/8'),
    hop('Annotation', '', 'fabric'),
    hop('Annotation', '', 'other'),
    hop('Annotation', '10.0.0.0/8', 'fabric'),
  ];

  test('that differ have different keys', () => {
    expect(new Set(specs.map(ruleKey)).size).toBe(specs.length);
  });

  test('that are equal have one key', () => {
    specs.forEach((spec) => expect(new NextHopRule({ ...spec }, 7).key).toBe(ruleKey(spec)));
  });

  test('name the annotation that they read, and none otherwise', () => {
    expect(specs.map((spec) => new NextHopRule(spec, 0).annotation)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'fabric',
      'other',
      'fabric',
    ]);
  });
});

describe('routers side by side', () => {
  const scene = {
    nodes: { a: { ...FULL, ips: '10.0.0.1 fd00::1 10.0.0.130 fd00:1::1' }, b: {} },
    services: { web: { on: 'a b', ips: '203.0.113.1 2001:db8::1' } },
    peers: {
      inside: {},
      second: { nextHop: hop('InternalIP', '10.0.0.128/25 fd00:1::/64') },
      outside: { nextHop: hop('ExternalIP') },
      fabric: { nextHop: hop('Annotation', '', 'fabric') },
      nowhere: { nextHop: hop('InternalIP', '172.31.0.0/16') },
    },
  };
  const { decision } = decideScene(scene);

  const rows: (readonly [string, Record<string, string>])[] = [
    ['inside', { '203.0.113.1/32': 'a b', '2001:db8::1/128': 'a b' }],
    ['second', { '203.0.113.1/32': 'n130', '2001:db8::1/128': 'fd00:1::1' }],
    ['outside', { '203.0.113.1/32': '198.18.0.1', '2001:db8::1/128': '2001:db8:ee::1' }],
    ['fabric', { '203.0.113.1/32': '10.9.0.1', '2001:db8::1/128': 'fd09::1' }],
    ['nowhere', {}],
  ];
  test.each(rows)('%s', (name, expected) => {
    expect(told(decision, name)).toEqual(expected);
  });

  test('the Service counts each next hop once, whichever router has it', () => {
    expect(decision.services.get('default/web')?.nextHops).toBe(10);
  });
});

describe('what changes at a node', () => {
  const world = sceneWorld({
    nodes: { a: { annotations: { fabric: '10.9.0.1', other: 'x' } }, b: {} },
    services: { web: { on: 'a b' } },
    peers: { tor: {}, fab: { nextHop: hop('Annotation', '', 'fabric') } },
  });
  const start = decide(world, emptyMemory());

  const rows: (readonly [string, NodeSpec, string, string | undefined])[] = [
    ['another address', { ips: '10.0.0.9', annotations: { fabric: '10.9.0.1' } }, 'b i', '10.9.0.1'],
    ['no address', { ips: '', annotations: { fabric: '10.9.0.1' } }, 'b', '10.9.0.1'],
    ['only IPv6', { ips: 'fd00::1', annotations: { fabric: '10.9.0.1' } }, 'b', '10.9.0.1'],
    ['another annotation', { annotations: { fabric: '10.9.0.2' } }, 'a b', '10.9.0.2'],
    ['no annotation', { annotations: {} }, 'a b', undefined],
    [
      'an annotation that nobody reads',
      { annotations: { fabric: '10.9.0.1', other: 'y' } },
      'a b',
      '10.9.0.1',
    ],
  ];
  test.each(rows)('%s', (_name, spec, tor, fab) => {
    const { decision } = decide({ ...world, nodes: world.nodes.set('a', node('a', spec)) }, start.memory);
    expect(told(decision)['203.0.113.1/32']).toBe(tor);
    expect(told(decision, 'fab')['203.0.113.1/32']).toBe(fab);
  });

  test('a router whose rule changes is told other addresses, the other one the same objects', () => {
    const moved = peer('fab', { nextHop: hop('ExternalIP') }, 1);
    const { decision } = decide({ ...world, peers: world.peers.set('fab', moved) }, start.memory);
    expect(told(decision, 'fab')).toEqual({});
    expect(told(decision)).toEqual({ '203.0.113.1/32': 'a b' });
  });
});

test('a mapped address is never a next hop', () => {
  expect(given(hop('Annotation', '', 'x'), { annotations: { x: '::ffff:10.0.0.1' } })).toBe('- -');
});
