// Waits until an FRR router holds as many paths of a pod as it should. The count is read from the summary over
// the router's vty socket: printing the table would cost more than what is being measured.

import { join } from 'node:path';

import { notYet, vtyJson, waitFor, type Router } from '@herald/lab';

interface Summary {
  readonly peers?: Readonly<Record<string, { readonly pfxRcd?: number }>>;
}

const ARRIVAL_MS = 240_000;

export async function pathsAtRouter(
  router: Router,
  pod: string,
  isEnough: (held: number) => boolean,
): Promise<void> {
  const socket = join(router.directory, 'bgpd.vty');
  await waitFor(
    `${router.name} holds the paths of ${pod}`,
    async () => {
      const { peers } = await vtyJson<Summary>(socket, 'show bgp ipv4 unicast summary json');
      const held = peers?.[pod]?.pfxRcd ?? 0;
      return isEnough(held) || notYet(held);
    },
    ARRIVAL_MS,
  );
}
