// A folder of manifests behind the loop: this replica is alone, so it leads, in a term that its state directory
// remembers. Nobody is told anything; given addresses are kept beside the term.

import type { Settings } from '@herald/api';
import { FolderSource } from '@herald/kube';

import type { Backend } from './backend.ts';
import { NOBODY_ELSE } from './company.ts';
import type { ReplicaIdentity } from './replica-identity.ts';
import { loadTerm } from './term.ts';

type FolderPlace = Extract<Settings['source'], { kind: 'folder' }>;

export async function folderBackend(
  { path }: FolderPlace,
  { stateDir }: Settings,
  { name }: ReplicaIdentity,
  onChange: () => void,
): Promise<Backend> {
  const source = new FolderSource({ path, stateDir });
  const leadership = { leading: true, term: await loadTerm(stateDir, Date.now()) };
  const leader = { holder: name, sinceMs: Date.now() };
  const unsubscribe = source.onChange(onChange);
  return {
    source,
    addresses: source,
    leadership,
    leader,
    company: NOBODY_ELSE,
    replicas: new Map(),
    kubernetes: undefined,
    tokens: undefined,
    others: [],
    sawTerm: () => undefined,
    faults: () => [],
    start: () => source.start(),
    publish: () => undefined,
    release: () => Promise.resolve(),
    close: async () => {
      unsubscribe();
      await source.close();
    },
  };
}
