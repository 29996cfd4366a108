// Numbers are the walls between peers: a route tagged for one must never match another, not even one that
// comes after it. The property is stated on tags, which is what bgpd compares.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportTag, hash32 } from '@herald/net';
import { numberPeers } from '../../src/peers/peer-numbers.ts';
import type { PeerNumbers } from '../../src/peers/peer-numbers.ts';
import { PlanningReplica, peer } from './peer-objects.ts';

const TAG_FOR_ALL = exportTag(0).text;

// Two UIDs with one hash, found by search.
const [TWIN_A, TWIN_B] = collidingUids();

function collidingUids(): [string, string] {
  const seen = new Map<number, string>();
  for (let i = 0; ; i++) {
    const uid = `uid-${i}`;
    const twin = seen.get(hash32(uid));
    if (twin !== undefined) {
      return [twin, uid];
    }
    seen.set(hash32(uid), uid);
  }
}

const twins = [
  peer('older', { uid: TWIN_A }),
  peer('younger', { uid: TWIN_B, createdAt: 1, at: '10.0.0.2' }),
];

describe('numbers', () => {
  test('come from the UID, the same after a restart and on every replica', () => {
    const replica = new PlanningReplica().peers(peer('tor', { uid: 'b7' }));
    expect(replica.plan().peers).toMatchObject([{ number: hash32('b7') }]);
    expect(replica.restart().plan().peers).toMatchObject([{ number: hash32('b7') }]);
  });

  test('of colliding UIDs: the older has the hash, the younger the next', () => {
    const numbers = numberPeers(twins, new Map());
    expect([...numbers]).toEqual([
      [TWIN_A, hash32(TWIN_A)],
      [TWIN_B, hash32(`${TWIN_B}#1`)],
    ]);
  });

  test('stay when the older twin goes, and are not passed on', () => {
    const replica = new PlanningReplica().peers(...twins);
    const [, before] = replica.plan().peers;
    const [after] = replica.remove('older').plan().peers;
    expect(after).toBe(before);
    const [, heir] = replica.peers(peer('heir', { uid: `${TWIN_A}-again`, at: '10.0.0.3' })).plan().peers;
    expect(heir?.number).not.toBe(hash32(TWIN_A));
  });

  test('a peer without a UID is known by its name', () => {
    const replica = new PlanningReplica().peers(
      peer('a', { uid: '' }),
      peer('b', { uid: '', at: '10.0.0.2' }),
    );
    expect(new Set(replica.plan().peers.map(({ number }) => number)).size).toBe(2);
  });

  test('are known again by reference', () => {
    const numbers = numberPeers(twins, new Map());
    expect(numberPeers(twins.slice(1), numbers)).toBe(numbers);
  });
});

/** Adds (a number of the pool of UIDs) or removes all peers of one name. */
const steps = fc.array(
  fc.tuple(fc.constantFrom('add', 'remove'), fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3)),
  { maxLength: 40 },
);

describe('for every history of peers', () => {
  test('the tag of a new peer was never on a route before, and is not the tag for all', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const replica = new PlanningReplica();
        const tagOwners = new Map<string, string>();
        history.forEach(([action, name, age], generation) => {
          if (action === 'remove') {
            replica.remove(name);
          } else {
            const uid = generation === 0 ? TWIN_A : generation === 1 ? TWIN_B : `uid-${name}-${generation}`;
            replica.peers(peer(name, { uid, createdAt: age, at: `10.0.0.${name.charCodeAt(0)}` }));
          }
          for (const resolved of replica.plan().peers) {
            const tag = exportTag(resolved.number).text;
            expect(tag).not.toBe(TAG_FOR_ALL);
            expect(tagOwners.get(tag) ?? resolved.peer.uid).toBe(resolved.peer.uid);
            tagOwners.set(tag, resolved.peer.uid);
          }
        });
      }),
    );
  });

  test('live peers never share a number, whatever numbers were given before', () => {
    const known = fc.dictionary(fc.string(), fc.nat());
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 30 }), known, (uids, given) => {
        const before: PeerNumbers = new Map(Object.entries(given).filter(([uid]) => !uids.includes(uid)));
        const after = numberPeers(
          uids.map((uid) => peer('p', { uid })),
          before,
        );
        const fresh = uids.map((uid) => after.get(uid));
        expect(new Set(fresh).size).toBe(uids.length);
        expect(fresh.some((number) => [...before.values()].includes(number ?? 0))).toBe(false);
      }),
    );
  });
});
