import { describe, expect, it } from 'vitest';
import { fault } from '@herald/api';
import { troubleFault, withOneUnreachable } from '../../src/cluster/trouble-fault.ts';
import { oldestByResource } from '../../src/cluster/watch-freshness.ts';
import type { TroubleKind } from '../../src/watch/collection.ts';
import { node, NODES, syncedRig } from './rig.ts';

const unreachable = (title: string) =>
  troubleFault(title, { kind: 'unreachable', rule: 'cannot be followed' });

describe('an API server that is away', () => {
  it('is one fault, and what was known stays', async () => {
    await using rig = await syncedRig({ prepare: (server) => server.put(NODES, node('a')) });
    await rig.server.stop();
    await rig.until(
      () => rig.source.faults().length === 1 && rig.source.faults()[0]?.object === 'API server',
    );
    expect(rig.source.faults()).toEqual([
      {
        object: 'API server',
        field: '',
        reason: 'ApiUnreachable',
        message: 'API server does not answer; what was last known of it stays.',
      },
    ]);
    expect(rig.nodes()).toEqual(['a']);
  });

  const other = fault('Pools', '', 'cannot be read', 'Forbidden');

  it.each([
    ['nothing', [], []],
    ['another trouble', [other], ['Pools']],
    ['one watch alone: it is named', [unreachable('Nodes'), other], ['Nodes', 'Pools']],
    ['several watches', [unreachable('Nodes'), other, unreachable('Services')], ['API server', 'Pools']],
  ])('%s', (_, faults, objects) => {
    const said = withOneUnreachable(faults);
    expect(said.map(({ object }) => object)).toEqual(objects);
    // Said again with those of other parts.
    expect(withOneUnreachable([...said, unreachable('HeraldReplicas')]).length).toBeLessThanOrEqual(3);
  });
});

it.each<[TroubleKind, string]>([
  ['unreachable', 'ApiUnreachable'],
  ['forbidden', 'Forbidden'],
  ['suspect', 'SuspectList'],
  ['refused', 'Unreadable'],
  ['missing', 'Unreadable'],
  ['malformed', 'Unreadable'],
  ['incomplete', 'Unreadable'],
])('a trouble of kind %s is said as %s', (kind, reason) => {
  expect(troubleFault('Nodes', { kind, rule: 'x' })).toMatchObject({ object: 'Nodes', reason });
});

describe('the freshness of watches', () => {
  it('is that of each resource, once all are followed', async () => {
    const before = Date.now();
    await using rig = await syncedRig();
    const { watches } = rig.source;
    expect(watches.map(({ resource }) => resource).sort()).toEqual([
      'bgpadvertisements',
      'bgppeers',
      'endpointslices',
      'ipaddresspools',
      'namespaces',
      'nodes',
      'services',
    ]);
    expect(watches.every(({ freshAtMs }) => freshAtMs >= before)).toBe(true);
    expect(rig.client.requestCounts).toContainEqual({ verb: 'watch', outcome: '200', count: 7 });
  });

  it('of several watches is that of the oldest', () => {
    const [first, older] = [
      { resource: 'secrets', freshAtMs: 9 },
      { resource: 'secrets', freshAtMs: 4 },
    ];
    expect(oldestByResource([first, older])).toEqual([older]);
    expect(oldestByResource([older, first])).toEqual([older]);
  });
});
