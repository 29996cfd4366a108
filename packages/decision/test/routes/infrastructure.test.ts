// A prefix that touches a node, a peer, a next hop or a pod range is never announced: edges of each, aggregates
// of each length, and every way in which one comes later or goes again.

import fc from 'fast-check';
import { address, comparePrefixes, hostPrefix, overlaps, prefix } from '@herald/net';
import type { Prefix } from '@herald/net';
import { describe, expect, test } from 'vitest';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import type { World } from '../../src/index.ts';
import { coversInfrastructure } from '../../src/routes/infrastructure.ts';
import { decideScene, node, peer, reasons, sceneWorld, told } from './small-world.ts';
import type { NodeSpec, PeerSpec, Scene } from './small-world.ts';

const fabric: Pick<PeerSpec, 'nextHop'> = {
  nextHop: { type: 'Annotation', annotation: 'fabric', cidrs: [] },
};

/** The Service's address and what lies about; told 'b', which has an endpoint too, or nothing. */
const around = (ips: string, of: NodeSpec, peers: Scene['peers'] = { tor: {} }): Scene => ({
  nodes: { b: {}, c: of },
  services: { web: { on: 'b', ips } },
  peers: peers ?? {},
});

const withPods = (text: string): NodeSpec => ({ ips: '10.0.0.3', pods: text });

describe('an address', () => {
  const rows: (readonly [string, Scene, boolean])[] = [
    ['of a node', around('203.0.113.9', { ips: '203.0.113.9' }), true],
    ['beside a node, below', around('203.0.113.8', { ips: '203.0.113.9' }), false],
    ['beside a node, above', around('203.0.113.10', { ips: '203.0.113.9' }), false],
    ['external of a node', around('203.0.113.9', { ips: '10.0.0.3', external: '203.0.113.9' }), true],
    ['of a node that is not ready', around('203.0.113.9', { ips: '203.0.113.9', ready: 'False' }), true],
    ['of a node that is being deleted', around('203.0.113.9', { ips: '203.0.113.9', deleting: true }), true],
    ['the second of a node', around('203.0.113.9', { ips: '10.0.0.3 203.0.113.9' }), true],
    ['first of a pod range', around('203.0.113.16', withPods('203.0.113.16/28')), true],
    ['last of a pod range', around('203.0.113.31', withPods('203.0.113.16/28')), true],
    ['before a pod range', around('203.0.113.15', withPods('203.0.113.16/28')), false],
    ['after a pod range', around('203.0.113.32', withPods('203.0.113.16/28')), false],
    ['in the second pod range', around('203.0.113.17', withPods('172.16.0.0/24 203.0.113.16/28')), true],
    ['in the pod range of everything', around('203.0.113.9', withPods('0.0.0.0/0')), true],
    ['of IPv6 of a node', around('2001:db8::9', { ips: '2001:db8::9' }), true],
    ['in the pod range of IPv6', around('2001:db8::9', { ips: 'fd00::3', pods: '2001:db8::/112' }), true],
    ['of IPv6, the pod range of IPv4 is everything', around('2001:db8::9', withPods('0.0.0.0/0')), false],
    ['of a peer', around('203.0.113.9', {}, { tor: { address: '203.0.113.9' } }), true],
    ['beside a peer', around('203.0.113.8', {}, { tor: { address: '203.0.113.9' } }), false],
    ['of another peer', around('203.0.113.9', {}, { tor: {}, x: { address: '203.0.113.9' } }), true],
    [
      'of a peer that is shut down',
      around('203.0.113.9', {}, { tor: {}, x: { address: '203.0.113.9', shutdown: true } }),
      true,
    ],
    [
      'of a peer that another replica speaks to',
      around(
        '203.0.113.9',
        {},
        {
          tor: {},
          x: { address: '203.0.113.9', replicaSelector: { matchLabels: { no: 'no' }, matchExpressions: [] } },
        },
      ),
      true,
    ],
    [
      'of a next hop by annotation',
      around(
        '203.0.113.9',
        { ips: '10.0.0.3', annotations: { fabric: '203.0.113.9' } },
        { tor: {}, x: fabric },
      ),
      true,
    ],
    [
      'in an annotation that no peer reads',
      around('203.0.113.9', { ips: '10.0.0.3', annotations: { fabric: '203.0.113.9' } }),
      false,
    ],
    ['of nothing', around('203.0.113.9', {}), false],
  ];
  test.each(rows)('%s', (_name, scene, covered) => {
    const { decision } = decideScene(scene);
    expect(Object.keys(told(decision))).toHaveLength(covered ? 0 : 1);
    expect(reasons(decision)['web']).toBe(covered ? 'CoversInfrastructure' : 'Advertised');
  });

  test.each(rows.filter(([, , covered]) => covered))(
    '%s: an explanation says so for every peer',
    (_name, scene) => {
      const [found] = explain(sceneWorld(scene), emptyMemory(), 'default/web')?.prefixes ?? [];
      expect(found?.peers.length).toBeGreaterThan(0);
      found?.peers.forEach(({ reason, nextHops }) => {
        expect(reason).toBe('CoversInfrastructure');
        expect(nextHops).toEqual([]);
      });
    },
  );
});

const aggregated = (length: number, of: NodeSpec, peers: Scene['peers'] = { tor: {} }): Scene => ({
  ...around('203.0.113.65', of, peers),
  ads: { it: { aggregation: { length, unassigned: 'RouterDiscards' } } },
});

describe('an aggregate gives way to the specific, whatever is inside', () => {
  const lengths = [8, 16, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];

  // The node at 203.0.113.100 and the address at .65 share a prefix up to /26.
  test.each(lengths)('a node in a /%d', (length) => {
    const { decision } = decideScene(aggregated(length, { ips: '203.0.113.100' }));
    const [text = ''] = Object.keys(told(decision));
    expect(text.endsWith(length <= 26 ? '/32' : `/${length}`)).toBe(true);
  });

  test.each(lengths)('a pod range 203.0.113.96/27 in a /%d', (length) => {
    const { decision } = decideScene(aggregated(length, { ips: '10.0.0.3', pods: '203.0.113.96/27' }));
    const [text = ''] = Object.keys(told(decision));
    expect(text.endsWith(length <= 26 ? '/32' : `/${length}`)).toBe(true);
  });

  test.each(lengths)('a peer in a /%d', (length) => {
    const { decision } = decideScene(aggregated(length, {}, { tor: { address: '203.0.113.127' } }));
    const [text = ''] = Object.keys(told(decision));
    expect(text.endsWith(length <= 26 ? '/32' : `/${length}`)).toBe(true);
  });

  test('and the Service is announced, with the remark', () => {
    const { decision } = decideScene(aggregated(24, { ips: '203.0.113.100' }));
    expect(decision.services.get('default/web')).toMatchObject({
      announced: true,
      reason: 'Advertised',
      prefixes: ['203.0.113.65/32'],
    });
    expect(decision.services.get('default/web')?.remarks).toContain('CoversInfrastructure');
  });
});

const withNode =
  (of: NodeSpec) =>
  (from: World): World => ({ ...from, nodes: from.nodes.set('e', node('e', of)) });

describe('what comes later, and goes again', () => {
  const world = sceneWorld(around('203.0.113.9', {}, { tor: {}, fab: fabric }));
  const start = decide(world, emptyMemory());

  const rows: (readonly [string, (from: World) => World])[] = [
    ['a node', withNode({ ips: '203.0.113.9' })],
    ['a node that is not ready', withNode({ ips: '203.0.113.9', ready: 'Unknown' })],
    ['a node with a pod range', withNode({ pods: '203.0.113.0/28' })],
    ['a node with an external address', withNode({ external: '203.0.113.9' })],
    ['a node with an annotation that a peer reads', withNode({ annotations: { fabric: '203.0.113.9' } })],
    [
      'an address of a node',
      (from) => ({ ...from, nodes: from.nodes.set('c', node('c', { ips: '203.0.113.9' })) }),
    ],
    [
      'a pod range of a node',
      (from) => ({ ...from, nodes: from.nodes.set('c', node('c', { pods: '203.0.113.8/29' })) }),
    ],
    [
      'an annotation of a node',
      (from) => ({
        ...from,
        nodes: from.nodes.set('c', node('c', { annotations: { fabric: '203.0.113.9' } })),
      }),
    ],
    [
      'a peer',
      (from) => ({ ...from, peers: from.peers.set('late', peer('late', { address: '203.0.113.9' }, 5)) }),
    ],
    [
      'a peer that moves',
      (from) => ({
        ...from,
        peers: from.peers.set('fab', peer('fab', { ...fabric, address: '203.0.113.9' }, 1)),
      }),
    ],
  ];

  test.each(rows)('%s: withdrawn at once, and back when it goes', (_name, change) => {
    const covered = decide(change(world), start.memory);
    const free = decide(world, covered.memory);
    expect(told(start.decision)).toEqual({ '203.0.113.9/32': 'b' });
    expect(told(covered.decision)).toEqual({});
    expect(reasons(covered.decision)['web']).toBe('CoversInfrastructure');
    expect(told(free.decision)).toEqual({ '203.0.113.9/32': 'b' });
  });

  test.each(rows)('%s: the same as if it had always been there', (_name, change) => {
    const fresh = decide(change(world), emptyMemory());
    const later = decide(change(world), start.memory);
    expect(told(later.decision)).toEqual(told(fresh.decision));
    expect([...later.decision.services]).toEqual([...fresh.decision.services]);
  });

  test('a peer that begins to read an annotation makes it infrastructure', () => {
    const of = sceneWorld(around('203.0.113.9', { ips: '10.0.0.3', annotations: { fabric: '203.0.113.9' } }));
    const before = decide(of, emptyMemory());
    const reading = { ...of, peers: of.peers.set('tor', peer('tor', fabric, 0)) };
    expect(told(before.decision)).toEqual({ '203.0.113.9/32': 'b' });
    expect(reasons(decide(reading, before.memory).decision)['web']).toBe('CoversInfrastructure');
  });
});

/** Sorted, none inside another, as the real list is. */
function outermost(parts: readonly Prefix[]): Prefix[] {
  const sorted = parts.toSorted(comparePrefixes);
  return sorted.filter(
    (part, i) =>
      !sorted.some(
        (other, j) =>
          j !== i &&
          overlaps(other, part) &&
          (other.length < part.length || (other.length === part.length && j < i)),
      ),
  );
}

describe('for all parts', () => {
  const anyPrefix = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 24, max: 32 }))
    .map(([host, length]) =>
      prefix(`203.0.113.${length === 32 ? host : (host >> (32 - length)) << (32 - length)}/${length}`),
    );

  test('a search finds what a look at each of them finds', () => {
    fc.assert(
      fc.property(fc.array(anyPrefix, { maxLength: 12 }), anyPrefix, (parts, asked) => {
        expect(coversInfrastructure({ parts: outermost(parts) }, asked)).toBe(
          parts.some((part) => overlaps(part, asked)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('of one family say nothing about the other', () => {
    const parts = [hostPrefix(address('203.0.113.1')), hostPrefix(address('2001:db8::1'))];
    expect(coversInfrastructure({ parts }, prefix('2001:db8::/32'))).toBe(true);
    expect(coversInfrastructure({ parts }, prefix('2001:db9::/32'))).toBe(false);
    expect(coversInfrastructure({ parts }, prefix('203.0.112.0/24'))).toBe(false);
    expect(coversInfrastructure({ parts: [] }, prefix('::/0'))).toBe(false);
  });
});
