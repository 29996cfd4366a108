// Namespace object -> Namespace.

import type { Projected } from '../fault.ts';
import type { Namespace } from '../model/namespace.ts';
import { Reading, clusterMeta } from './reading.ts';

export function projectNamespace(object: unknown): Projected<Namespace> {
  const reading = new Reading('Namespace', object);
  return reading.finish({ kind: 'Namespace', ...clusterMeta(reading.meta) });
}
