// A community that is added to a policy: from the request that changes the BGPAdvertisement until the FRR router has
// it on every path, and the sessions that any router lost meanwhile. The kernel does not know communities, so the
// router is asked, again and again, over its vty socket; the figure includes the pause between two questions.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { notYet, vtyJson, waitFor, type Router } from '@herald/lab';

import { removeService, steadyService } from './cluster-endpoints.ts';
import { BENCH, PATHS, STEADY } from './cluster-objects.ts';
import type { ClusterStage } from './cluster-stage.ts';

interface Prefix {
  readonly paths?: readonly { readonly community?: { readonly string?: string } }[];
}

export interface CommunityTimes {
  readonly addedMs: readonly number[];
  readonly sessionsLost: number;
}

const POLICY = `${PATHS.advertisements}/${BENCH}`;
const COMMUNITY_ASN = 64_512;
const PAUSE_MS = 5;
const ARRIVAL_MS = 20_000;

export async function communityAdded(stage: ClusterStage, samples: number): Promise<CommunityTimes> {
  await steadyService(stage, 'community', 'Cluster');
  const dropped = await sessionsLost(stage.routers);
  const addedMs: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const community = `${COMMUNITY_ASN}:${1000 + sample}`;
    addedMs.push(await added(stage, community));
    await stage.api.change(POLICY, { spec: { communities: [] } });
    await waitFor('no path has it', async () => {
      const texts = await pathCommunities(stage);
      return texts.every((text) => !text.includes(community)) || notYet(texts);
    });
  }
  const lost = (await sessionsLost(stage.routers)) - dropped;
  await removeService(stage, 'community');
  return { addedMs, sessionsLost: lost };
}

async function added(stage: ClusterStage, community: string): Promise<number> {
  const sentMs = performance.now();
  await stage.api.change(POLICY, { spec: { communities: [community] } });
  for (const endMs = sentMs + ARRIVAL_MS; performance.now() < endMs; await sleep(PAUSE_MS)) {
    const texts = await pathCommunities(stage);
    if (texts.length > 0 && texts.every((text) => text.includes(community))) {
      return performance.now() - sentMs;
    }
  }
  throw new Error(`${community} did not come to every path`);
}

async function pathCommunities({ cluster, kernels }: ClusterStage): Promise<readonly string[]> {
  const socket = join(cluster.router('frr').directory, 'bgpd.vty');
  const [address = ''] = kernels.addresses(STEADY);
  const { paths = [] } = await vtyJson<Prefix>(socket, `show bgp ipv4 unicast ${address}/32 json`);
  return paths.map(({ community }) => community?.string ?? '');
}

async function sessionsLost(routers: readonly Router[]): Promise<number> {
  const sessions = (await Promise.all(routers.map((router) => router.sessions()))).flat();
  return sessions.reduce((sum, { connectionsDropped }) => sum + connectionsDropped, 0);
}
