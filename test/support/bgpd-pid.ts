// The daemon itself, below the program of its container, in a pod of the lab.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Pod } from '@herald/lab';

export function bgpdPid({ sharedDirectory }: Pod): number {
  return Number(readFileSync(join(sharedDirectory, 'frr/bgpd.pid'), 'utf8'));
}
