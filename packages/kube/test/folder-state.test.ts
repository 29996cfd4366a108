// What a source leaves behind, and what a state file that cannot be written may cost.

import { rm, writeFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { address } from '@herald/net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderSource, type AddressWrite } from '../src/index.ts';
import { documents, folder, node, service, until } from './manifests.ts';

const WATCH_ONLY = { rescanMs: 600_000 };

function given(source: FolderSource, key: string, text: string): AddressWrite {
  const decidedFrom = source.snapshot().services.get(key);
  if (decidedFrom === undefined) {
    throw new Error(`there is no Service ${key}`);
  }
  return { serviceKey: key, uid: decidedFrom.uid, addresses: [address(text)], decidedFrom, term: 1 };
}

describe('a state file that cannot be written', () => {
  it('keeps no change back: a Service that is gone is gone, and what came with it is there', async () => {
    await using at = await folder({ 'a.yaml': documents(service('a'), service('b')) });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([given(source, 'default/a', '203.0.113.1')]);
    await rm(at.stateDir, { recursive: true });
    await writeFile(at.stateDir, 'a file in its place');
    await at.replace('a.yaml', documents(service('b'), node('n')));
    await until(source, () => source.snapshot().nodes.has('n'));
    expect([...source.snapshot().services.keys()]).toEqual(['default/b']);
    await until(source, () => source.faults().length > 0);
    expect(source.faults()).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/addresses\.json could not be written \(E/) }),
    ]);
  });

  it('forgets the address as soon as it can be', async () => {
    await using at = await folder({ 'a.yaml': documents(service('a'), service('b')) });
    const source = await at.source(WATCH_ONLY);
    await source.applyAllocations([given(source, 'default/a', '203.0.113.1')]);
    await rm(at.stateDir, { recursive: true });
    await writeFile(at.stateDir, 'a file in its place');
    await at.replace('a.yaml', service('b'));
    await until(source, () => source.faults().length > 0);
    await rm(at.stateDir);
    await at.write('c.yaml', node('n'));
    await until(source, () => source.snapshot().nodes.has('n') && source.faults().length === 0);
    await at.replace('a.yaml', documents(service('a'), service('b')));
    await until(source, () => source.snapshot().services.has('default/a'));
    expect(source.snapshot().services.get('default/a')?.ingress).toEqual([]);
  });
});

describe('a source that is closed leaves no timer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('when it had just been started', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = new FolderSource({ path: at.root, stateDir: at.stateDir });
    const started = source.start();
    await source.close();
    await started;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('when it was about to look at a missing file again', async () => {
    await using at = await folder({ 'a.yaml': service('a') });
    const source = new FolderSource({ path: at.root, stateDir: at.stateDir, times: WATCH_ONLY });
    await source.start();
    const before = vi.getTimerCount();
    await at.remove('a.yaml');
    while (vi.getTimerCount() === before) {
      await turn();
    }
    vi.advanceTimersByTime(100);
    await source.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
