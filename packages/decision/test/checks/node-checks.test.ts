// Every check of a node alone, in pairs and all together, in the order in which they are asked; and that the
// two settings switch just their own check.

import { describe, expect, test } from 'vitest';
import type { Reason } from '@herald/api';
import { decide, emptyMemory, explain } from '../../src/index.ts';
import type { DecisionSettings } from '../../src/index.ts';
import { firstFailure, outcomes } from '../../src/checks/check.ts';
import { NODE_CHECKS } from '../../src/checks/node-checks.ts';
import { decideScene, node, sceneWorld, told } from '../routes/small-world.ts';
import type { NodeSpec, Scene } from '../routes/small-world.ts';

const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
const taint = (key: string): Pick<NodeSpec, 'taints'> => ({
  taints: [{ key, effect: 'NoSchedule' }],
});

interface Fault {
  readonly reason: Reason;
  readonly spec: NodeSpec;
}

const FAULTS: readonly Fault[] = [
  { reason: 'NodeDeleted', spec: { deleting: true } },
  { reason: 'NodeNotReady', spec: { ready: 'False' } },
  { reason: 'NetworkUnavailable', spec: { networkUnavailable: true } },
  { reason: 'ExcludedByLabel', spec: { labels: { [EXCLUDE]: '' } } },
  { reason: 'TaintedForRemoval', spec: taint('karpenter.sh/disrupted') },
  { reason: 'TaintedOutOfService', spec: taint('node.kubernetes.io/out-of-service') },
  { reason: 'Cordoned', spec: { unschedulable: true } },
];

const STRICT: Partial<DecisionSettings> = { cordonedNodesLeave: true };
const ORDER = FAULTS.map(({ reason }) => reason);

function withFaults(...faults: readonly Fault[]): NodeSpec {
  return faults.reduce<NodeSpec>(
    (spec, fault) => ({
      ...spec,
      ...fault.spec,
      taints: [...(spec.taints ?? []), ...(fault.spec.taints ?? [])],
    }),
    {},
  );
}

const sceneOf = (spec: NodeSpec, settings = STRICT): Scene => ({
  nodes: { a: spec, b: {} },
  services: { web: { on: 'a b' } },
  settings,
});

function judged(scene: Scene, name = 'a') {
  const found = explain(sceneWorld(scene), emptyMemory(), 'default/web');
  return found?.nodes.find((each) => each.node === name);
}

const subject = (spec: NodeSpec, settings = STRICT) => ({
  node: node('a', spec),
  settings: sceneWorld({ settings }).settings,
});

describe('the list of checks', () => {
  test('is asked in this order', () => {
    expect(NODE_CHECKS.map(({ reason }) => reason)).toEqual(ORDER);
  });

  test('passes as a whole for a good node, with as many outcomes as checks', () => {
    expect(firstFailure(NODE_CHECKS, subject({}))).toBeUndefined();
    expect(outcomes(NODE_CHECKS, subject({}))).toEqual(ORDER.map((reason) => ({ reason, passed: true })));
  });
});

describe('one fault', () => {
  test.each(FAULTS)('$reason: is the reason of the node', ({ reason, spec }) => {
    expect(firstFailure(NODE_CHECKS, subject(spec))).toBe(reason);
    expect(outcomes(NODE_CHECKS, subject(spec)).filter(({ passed }) => !passed)).toEqual([
      { reason, passed: false },
    ]);
  });

  test.each(FAULTS)('$reason: the node is no next hop, and an explanation says why', ({ reason, spec }) => {
    const scene = sceneOf(spec);
    expect(told(decideScene(scene).decision)).toEqual({ '203.0.113.1/32': 'b' });
    expect(judged(scene)).toMatchObject({ reason, usableEndpoints: { 4: 1, 6: 1 } });
    expect(judged(scene, 'b')?.reason).toBeUndefined();
  });

  test.each(FAULTS)('$reason: takes the only node away, and says so of the Service', ({ spec }) => {
    const { decision } = decideScene({ ...sceneOf(spec), services: { web: { on: 'a' } } });
    expect(told(decision)).toEqual({});
    expect(decision.services.get('default/web')).toMatchObject({ announced: false, reason: 'NoNextHop' });
  });

  test.each(FAULTS)('$reason: comes and goes with the node, under Local and from all nodes', ({ spec }) => {
    for (const scene of [
      { ...sceneOf({}), services: { web: { on: 'a b', policy: 'Local' as const } } },
      { ...sceneOf({}), ads: { it: { nextHops: { from: 'AllNodes' as const } } } },
    ]) {
      const world = sceneWorld(scene);
      const start = decide(world, emptyMemory());
      const broken = decide({ ...world, nodes: world.nodes.set('a', node('a', spec)) }, start.memory);
      const mended = decide(world, broken.memory);
      expect(told(start.decision)).toEqual({ '203.0.113.1/32': 'a b' });
      expect(told(broken.decision)).toEqual({ '203.0.113.1/32': 'b' });
      expect(told(mended.decision)).toEqual({ '203.0.113.1/32': 'a b' });
    }
  });
});

describe('two faults', () => {
  const pairs = FAULTS.flatMap((first, i) =>
    FAULTS.slice(i + 1).map((second): [Reason, Reason, NodeSpec] => [
      first.reason,
      second.reason,
      withFaults(first, second),
    ]),
  );

  test.each(pairs)('%s goes before %s', (first, second, spec) => {
    expect(firstFailure(NODE_CHECKS, subject(spec))).toBe(first);
    const failed = outcomes(NODE_CHECKS, subject(spec)).filter(({ passed }) => !passed);
    expect(failed.map(({ reason }) => reason)).toEqual([first, second]);
  });

  test('all at once: mended from the first on, each becomes the reason in its turn', () => {
    const reasons = FAULTS.map((_, i) => firstFailure(NODE_CHECKS, subject(withFaults(...FAULTS.slice(i)))));
    expect(reasons).toEqual(ORDER);
  });
});

describe('values', () => {
  const rows: (readonly [string, NodeSpec, Reason | undefined])[] = [
    ['ready True', { ready: 'True' }, undefined],
    ['ready False', { ready: 'False' }, 'NodeNotReady'],
    ['ready Unknown', { ready: 'Unknown' }, 'NodeNotReady'],
    ['exclude label true', { labels: { [EXCLUDE]: 'true' } }, 'ExcludedByLabel'],
    ['exclude label false: present is enough', { labels: { [EXCLUDE]: 'false' } }, 'ExcludedByLabel'],
    [
      'exclude label of another domain',
      { labels: { 'exclude-from-external-load-balancers': '' } },
      undefined,
    ],
    ['exclude label as an annotation', { annotations: { [EXCLUDE]: '' } }, undefined],
    ['taint of the cluster autoscaler', taint('ToBeDeletedByClusterAutoscaler'), 'TaintedForRemoval'],
    ['taint that only may be deleted', taint('DeletionCandidateOfClusterAutoscaler'), undefined],
    ['taint of Karpenter', taint('karpenter.sh/disrupted'), 'TaintedForRemoval'],
    ['taint of Karpenter before it registers', taint('karpenter.sh/unregistered'), undefined],
    ['taint out of service', taint('node.kubernetes.io/out-of-service'), 'TaintedOutOfService'],
    ['taint of the control plane', taint('node-role.kubernetes.io/control-plane'), undefined],
    [
      'taint not ready: the condition says it, not the taint',
      taint('node.kubernetes.io/not-ready'),
      undefined,
    ],
    ['taint unschedulable: the field says it', taint('node.kubernetes.io/unschedulable'), undefined],
    [
      'a harmless taint before a telling one',
      { taints: [...(taint('x').taints ?? []), ...(taint('karpenter.sh/disrupted').taints ?? [])] },
      'TaintedForRemoval',
    ],
  ];
  test.each(rows)('%s', (_name, spec, reason) => {
    expect(firstFailure(NODE_CHECKS, subject(spec))).toBe(reason);
    expect(told(decideScene(sceneOf(spec)).decision)).toEqual({ '203.0.113.1/32': reason ? 'b' : 'a b' });
  });
});

describe('settings', () => {
  const settings = [
    { excludeLabelHonoured: true, cordonedNodesLeave: true },
    { excludeLabelHonoured: true, cordonedNodesLeave: false },
    { excludeLabelHonoured: false, cordonedNodesLeave: true },
    { excludeLabelHonoured: false, cordonedNodesLeave: false },
  ];

  test.each(settings)('label honoured $excludeLabelHonoured, cordoned leave $cordonedNodesLeave', (of) => {
    const failing = FAULTS.filter(({ spec }) => firstFailure(NODE_CHECKS, subject(spec, of)) !== undefined);
    expect(failing.map(({ reason }) => reason)).toEqual(
      ORDER.filter(
        (reason) =>
          (reason !== 'ExcludedByLabel' || of.excludeLabelHonoured) &&
          (reason !== 'Cordoned' || of.cordonedNodesLeave),
      ),
    );
  });

  test('a setting that changes is felt at once', () => {
    const world = sceneWorld(sceneOf({ unschedulable: true }, { cordonedNodesLeave: false }));
    const { decision, memory } = decide(world, emptyMemory());
    const strict = { ...world.settings, cordonedNodesLeave: true };
    expect(told(decision)).toEqual({ '203.0.113.1/32': 'a b' });
    expect(told(decide({ ...world, settings: strict }, memory).decision)).toEqual({ '203.0.113.1/32': 'b' });
  });
});
