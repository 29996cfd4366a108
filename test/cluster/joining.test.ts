// A Service that grows loses no request (CASES D14): from one node to three, again and again, with a client at a steady
// rate and other Services changing meanwhile. Both ways to know that a node is programmed are asked: its health port
// (externalTrafficPolicy Local) and the join delay (Cluster). What shrinking costs is up to pods and kube-proxies, and
// is not counted here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Cluster } from '@herald/lab';

import { apply } from '../support/cluster-herald.ts';
import { ClusterRoutes, hostRoutes } from '../support/cluster-routes.ts';
import { Workload, type WebPod } from '../support/cluster-workload.ts';
import { SITE_RANGES, sharedHerald, siteAddresses } from '../support/own-cluster.ts';
import { ServiceChurn } from '../support/service-churn.ts';
import { CAN_RUN, type RouterName } from '../support/shared-cluster.ts';
import { SteadyClient, type Counted } from '../support/steady-client.ts';

const ROUNDS = Number(process.env['JOINING_ROUNDS'] ?? 3);
/** Requests a second: the highest that this machine can give without losing any by itself. */
const RATES = (process.env['JOINING_RATES'] ?? '300,100,50').split(',').map(Number);
const CLUSTER = siteAddresses(1);
const LOCAL = siteAddresses(2);
const TARGETS = [...CLUSTER, ...LOCAL];
/** Outside what is looked at, as the churning ones. */
const BYSTANDER = ['203.0.113.199'];
/** They change all the time. */
const CHURNING = [0, 1, 2, 3].map((index) => [`churn-${index}`, [`203.0.113.${200 + index}`]] as const);
const WATCHED = ['203.0.113.0/25', SITE_RANGES[1]];
const LINGER_SECONDS = 6;
const TIMEOUT_MS = 1_800_000;

describe.skipIf(!CAN_RUN)('joining', () => {
  let cluster: Cluster<RouterName>;
  let workload: Workload;
  let routes: ClusterRoutes<RouterName>;

  beforeAll(async () => {
    cluster = await sharedHerald();
    workload = await Workload.open(cluster, 'shop');
    routes = new ClusterRoutes(cluster, { ranges: WATCHED });
    const pods = await workload.serve('web', { replicas: 1, lingerSeconds: LINGER_SECONDS });
    await workload.serve('bystander', { replicas: 1, lingerSeconds: LINGER_SECONDS });
    const spec = { externalTrafficPolicy: 'Local' };
    await apply(
      cluster,
      workload.service('cluster', { app: 'web', addresses: CLUSTER }),
      workload.service('local', { app: 'web', addresses: LOCAL, spec }),
      workload.service('bystander', { app: 'bystander', addresses: BYSTANDER }),
    );
    await reached(pods);
    await routes.answered(TARGETS, pods);
  });
  afterAll(async () => {
    await workload.close();
    await cluster.stop();
  });

  async function reached(pods: readonly WebPod[]): Promise<void> {
    const nodes = pods.map(({ node }) => node);
    await routes.become(hostRoutes(TARGETS, nodes));
  }

  /** The same work for the machine, for a Service that nobody asks. */
  async function bystander(): Promise<void> {
    await workload.scale('bystander', 3);
    await workload.scale('bystander', 1);
  }

  async function scaled(replicas: number): Promise<void> {
    await reached(await workload.scale('web', replicas));
  }

  async function grow(churn: ServiceChurn): Promise<{ client: SteadyClient; counted: readonly Counted[] }> {
    try {
      const client = await SteadyClient.start(cluster.client('frr'), TARGETS, RATES, bystander);
      const counted: Counted[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        counted.push(await client.during(`up ${round}`, () => scaled(3)));
        await scaled(1);
      }
      return { client, counted };
    } finally {
      await churn.stop();
    }
  }

  test(
    `D14: ${ROUNDS} times from one node to three, other Services changing: no request is lost`,
    async () => {
      const churn = await ServiceChurn.start(cluster, workload, { services: CHURNING, everyMs: 500 });
      const { client, counted } = await grow(churn);
      const sum = (of: keyof Pick<Counted, 'sent' | 'lost'>): number =>
        counted.reduce((total, row) => total + row[of], 0);
      process.stderr.write(
        `D14: ${ROUNDS} scale-ups at ${client.ratePerSecond}/s, ${churn.changes} changes of other Services: ` +
          `${sum('sent')} sent, ${sum('lost')} lost\n`,
      );
      expect(counted.filter(({ lost }) => lost > 0)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
