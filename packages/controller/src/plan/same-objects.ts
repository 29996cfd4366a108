// Manifests that are about to be applied -> the objects as they would then be. To an API server an object of the
// same kind and name is the same object: its UID and its age stay, whatever the manifest says or leaves out. What is
// new is younger than everything of its kind that is there. Without this, manifests compared with a dump of the
// cluster would lose every address and every view, and win every conflict, for lack of a UID and a date.
//
// Only the kinds whose identity or age decides something. Pure.

import type { Meta } from '@herald/api';
import type { ObjectSet } from '@herald/kube';
import { PersistentMap } from '@herald/net';

type Known = Pick<ObjectSet, 'services' | 'peers' | 'pools'>;

export function sameObjects(objects: ObjectSet, before: Known): ObjectSet {
  return {
    ...objects,
    services: continued(objects.services, before.services),
    peers: continued(objects.peers, before.peers),
    pools: continued(objects.pools, before.pools),
  };
}

function continued<T extends Meta>(objects: PersistentMap<T>, before: PersistentMap<T>): PersistentMap<T> {
  const birthMs = afterAll(before);
  return PersistentMap.from(
    [...objects].map(([key, object]) => [key, { ...object, ...identity(object, before.get(key), birthMs) }]),
  );
}

function identity(
  { uid, createdAt }: Meta,
  known: Meta | undefined,
  birthMs: number,
): Pick<Meta, 'uid' | 'createdAt'> {
  return known === undefined
    ? { uid, createdAt: createdAt === 0 ? birthMs : createdAt }
    : { uid: known.uid, createdAt: known.createdAt };
}

/** In milliseconds; 0 where nothing has an age, as in a folder: there the name decides, and goes on to do so. */
function afterAll(objects: PersistentMap<Meta>): number {
  const youngest = Array.from(objects.values()).reduce((most, { createdAt }) => Math.max(most, createdAt), 0);
  return youngest === 0 ? 0 : youngest + 1;
}
