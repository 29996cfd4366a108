import { projectObject, type Node } from '@herald/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../src/stores/object-set.ts';
import { Stores } from '../src/stores/stores.ts';

function node(name: string, zone = ''): KubeObject {
  const labels = { 'topology.kubernetes.io/zone': zone };
  const result = projectObject(
    { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name, labels } },
    'manifest',
  );
  if (result?.ok !== true) {
    throw new Error('not a node');
  }
  return result.value;
}

function namespace(name: string): KubeObject {
  const result = projectObject(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: name } },
    'manifest',
  );
  if (result?.ok !== true) {
    throw new Error('not a namespace');
  }
  return result.value;
}

function counting(stores: Stores): { signals: number } {
  const count = { signals: 0 };
  stores.onChange(() => count.signals++);
  return count;
}

describe('stores', () => {
  it('put each kind into its map', () => {
    const stores = new Stores();
    stores.apply([node('a'), namespace('b')]);
    expect([...stores.snapshot().nodes.keys()]).toEqual(['a']);
    expect([...stores.snapshot().namespaces.keys()]).toEqual(['b']);
  });

  it('keep the reference of what is equal, and then say nothing', () => {
    const stores = new Stores();
    stores.apply([node('a')]);
    const before = stores.snapshot();
    const count = counting(stores);
    stores.apply([node('a')]);
    expect(stores.snapshot()).toBe(before);
    expect(count.signals).toBe(0);
  });

  it('say once that many things changed, and leave the other maps alone', () => {
    const stores = new Stores();
    stores.apply([node('a'), node('b'), namespace('n')]);
    const before = stores.snapshot();
    const count = counting(stores);
    stores.apply([node('a', 'z1'), node('c')], [{ kind: 'Node', key: 'b' }]);
    const after = stores.snapshot();
    expect(count.signals).toBe(1);
    expect(after.nodes.changedKeys(before.nodes).sort()).toEqual(['a', 'b', 'c']);
    expect(after.namespaces).toBe(before.namespaces);
    expect([...before.nodes.keys()].sort()).toEqual(['a', 'b']);
  });

  it('take no notice of the removal of what is not there', () => {
    const stores = new Stores();
    const count = counting(stores);
    stores.apply([], [{ kind: 'BGPPeer', key: 'x' }]);
    expect(count.signals).toBe(0);
  });

  it('say once that they are synced', () => {
    const stores = new Stores();
    const count = counting(stores);
    expect(stores.synced).toBe(false);
    stores.markSynced();
    stores.markSynced();
    expect([stores.synced, count.signals]).toEqual([true, 1]);
  });

  it('stop telling who has unsubscribed', () => {
    const stores = new Stores();
    let told = 0;
    const stop = stores.onChange(() => told++);
    stop();
    stores.apply([node('a')]);
    expect(told).toBe(0);
  });

  it('hold what a plain map would hold, whatever comes', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.record({ name, zone: fc.constantFrom('', 'z1', 'z2'), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const stores = new Stores();
        const model = new Map<string, string>();
        for (const { name: key, zone, gone } of steps) {
          const removed: ObjectRef[] = gone ? [{ kind: 'Node', key }] : [];
          stores.apply(gone ? [] : [node(key, zone)], removed);
          if (gone) {
            model.delete(key);
          } else {
            model.set(key, zone);
          }
        }
        const held = [...stores.snapshot().nodes].map(([key, value]: [string, Node]) => [key, value.zone]);
        expect(Object.fromEntries(held)).toEqual(Object.fromEntries(model));
      }),
    );
  });
});
