// Where bgpd keeps a peer and for which families it sends several paths. bgpd applies the out policy to the
// best path only when a router does not receive ADD-PATH (RFC 7911), so such a peer needs a view of its own.
//
// A router that has not been seen yet counts as receiving everything: its peer starts in the shared
// instance and moves, once, when a session shows otherwise. A view keeps all paths of the families that the
// router does receive several paths for.

import type { Peer } from '@herald/api';
import type { Address, Family } from '@herald/net';
import type { PerFamily } from '../world.ts';
import { EVERYTHING } from './observe-offers.ts';
import type { Instance } from './resolved-peer.ts';

export interface Placement {
  readonly instance: Instance;
  readonly addPath: PerFamily<boolean>;
  /** Families that the router takes one path for although more were offered. */
  readonly lacking: readonly Family[];
}

export interface Place {
  readonly number: number;
  readonly feedAddress: Address;
  /** What the router receives, or undefined as long as no session has shown it. */
  readonly offer: PerFamily<boolean> | undefined;
}

const NOTHING: PerFamily<boolean> = { 4: false, 6: false };

export function placePeer(peer: Peer, { number, feedAddress, offer }: Place): Placement {
  const auto = peer.addPaths.mode === 'Auto';
  const receive = auto ? (offer ?? EVERYTHING) : NOTHING;
  const single = peer.families.filter((family) => !receive[family]);
  return {
    instance:
      single.length === 0 ? { kind: 'shared' } : { kind: 'view', name: `plain-${number}`, feedAddress },
    addPath: {
      4: peer.families.includes(4) && receive[4],
      6: peer.families.includes(6) && receive[6],
    },
    lacking: auto ? single : [],
  };
}
