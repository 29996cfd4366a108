// Which spec an object has that the source shows: beside the objects, so that it is no change of them.

import { describe, expect, it } from 'vitest';
import type { ApiObject } from './api-server.ts';
import { POOLS, syncedRig } from './rig.ts';

function pool(name: string, generation: number, ...addresses: readonly string[]): ApiObject {
  return {
    apiVersion: 'heraldbgp.io/v1alpha1',
    kind: 'IPAddressPool',
    metadata: { name, generation },
    spec: { addresses },
  };
}

describe('the generation of an object', () => {
  it('goes up with its spec, is no part of it, and goes with the object', async () => {
    const first = pool('p', 1, '192.0.2.0/24');
    await using rig = await syncedRig({ prepare: (server) => server.put(POOLS, first) });
    const before = rig.source.snapshot().pools.get('p');
    expect(rig.source.generation('IPAddressPool', 'p')).toBe(1);
    rig.server.put(POOLS, pool('p', 2, '192.0.2.0/24'));
    rig.server.put(POOLS, pool('later', 1, '198.51.100.0/24'));
    await rig.until(() => rig.source.snapshot().pools.size === 2);
    expect(rig.source.generation('IPAddressPool', 'p')).toBe(2);
    expect(rig.source.snapshot().pools.get('p')).toBe(before);
    rig.server.remove(POOLS, 'p');
    await rig.until(() => rig.source.snapshot().pools.size === 1);
    expect(rig.source.generation('IPAddressPool', 'p')).toBeUndefined();
  });

  it('is that of what the faults are about', async () => {
    const first = pool('p', 1, '192.0.2.0/24');
    await using rig = await syncedRig({ prepare: (server) => server.put(POOLS, first) });
    rig.server.put(POOLS, pool('p', 2, '192.0.2.0/24', '192.0.2.0/25'));
    await rig.until(() => rig.source.faults().length > 0);
    expect(rig.source.snapshot().pools.size).toBe(1);
    expect(rig.source.generation('IPAddressPool', 'p')).toBe(2);
  });
});
