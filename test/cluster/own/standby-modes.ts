// What a replica that does not lead does in each standby mode, in front of a real router, with a real API server and
// Lease: Warm has a session and announces nothing, Cold has none. Whoever ends on purpose hands over without a lost
// request in either; whoever vanishes is followed when its Lease has run out.

import { notYet, waitFor } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { BundledHerald } from '../../support/bundled-herald.ts';
import { CAN_RUN } from '../../support/shared-cluster.ts';
import { hasTold, toldRoutes } from '../../support/told-routes.ts';
import { SoakScene } from '../../soak/soak-scene.ts';

const NEXT_HOPS = 2;
const RATE_PER_SECOND = 100;
const FOLLOWED_MS = 30_000;

describe.skipIf(!CAN_RUN).each([
  { mode: 'Warm', sessions: 2 },
  { mode: 'Cold', sessions: 1 },
] as const)('standby mode $mode', ({ mode, sessions }) => {
  let scene: SoakScene;
  let paths = 0;

  beforeAll(async () => {
    scene = await SoakScene.open('frr', mode);
    paths = scene.services.length * NEXT_HOPS;
  });
  afterAll(() => scene?.close());

  async function roles(): Promise<readonly [leader: BundledHerald, standby: BundledHerald]> {
    const leader = await scene.leader();
    const standby = scene.replicas.find((replica) => replica !== leader);
    if (standby === undefined) {
      throw new Error('there is no standby');
    }
    return [leader, standby];
  }

  async function established(): Promise<readonly string[]> {
    const router = scene.stage.topology.router('r1');
    return (await router.sessions()).flatMap(({ peer, isEstablished }) => (isEstablished ? [peer] : []));
  }

  /** Only who leads is heard, and as many sessions are there as the mode says. */
  async function onlyLeaderSpeaks(): Promise<void> {
    const router = scene.stage.topology.router('r1');
    const [leader, standby] = await roles();
    await hasTold(router, leader.address, paths, FOLLOWED_MS);
    expect(await toldRoutes(router, standby.address)).toEqual([]);
    await waitFor(
      `${sessions} sessions, of which the leader has one`,
      async () => {
        const found = await established();
        return (found.length === sessions && found.includes(leader.address)) || notYet(found);
      },
      FOLLOWED_MS,
    );
  }

  /** What clients lose while it happens. */
  async function lostDuring(act: () => Promise<unknown>): Promise<number> {
    const targets = scene.services.map(({ address }) => address);
    await scene.client.start({ targets, ratePerSecond: RATE_PER_SECOND });
    await act();
    return (await scene.client.stop()).lost;
  }

  test('only the leader announces', async () => {
    await onlyLeaderSpeaks();
  });

  test('who ends on purpose hands over: no request is lost', async () => {
    const [leader, standby] = await roles();
    const lost = await lostDuring(async () => {
      await leader.endController('SIGTERM');
      await leader.killBgpd();
      await hasTold(scene.stage.topology.router('r1'), standby.address, paths, FOLLOWED_MS);
    });
    expect(lost).toBe(0);
    leader.start();
    await scene.calm();
    await onlyLeaderSpeaks();
  });

  test('who vanishes is followed when its Lease has run out', async () => {
    const [leader, standby] = await roles();
    await leader.kill();
    await hasTold(scene.stage.topology.router('r1'), standby.address, paths, FOLLOWED_MS);
    leader.start();
    await scene.calm();
    await onlyLeaderSpeaks();
  });
});
