/**
 * The rights of the chart's service account, proven from both sides: everything that Herald asks of the API server in its
 * life is granted, and everything that is granted is asked for (by the audit log); and without a right something
 * breaks that Herald says by name, nothing that is announced is lost, and it recovers when the right is back.
 *
 * Rights are taken several at a time where what breaks is told apart. The API server is restarted where a right
 * is asked for only when a watch begins anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, openRouter, waitFor, type AuditedRequest, type Cluster } from '@herald/lab';

import {
  NAMESPACE,
  RELEASE,
  apply,
  restrictedNamespace,
  sessionsUp,
  valuesFor,
} from '../../support/cluster-herald.ts';
import { secretsInTheOpen } from '../../support/container-processes.ts';
import { restartApiServer } from '../../support/control-plane-trouble.ts';
import { GrantedRights, grants, rightText, usedRights, type Right } from '../../support/granted-rights.ts';
import { CHART } from '../../support/helm.ts';
import { bareCluster } from '../../support/bare-cluster.ts';
import {
  faultMessages,
  replicaPods,
  replicaProcesses,
  replicaStatuses,
} from '../../support/replica-status.ts';
import { ADDRESS, PASSWORD, rightsScene } from '../../support/rights-scene.ts';
import { CAN_RUN } from '../../support/shared-cluster.ts';

const RECOVERY_MS = 100_000;
const IDLE_MS = 60_000;
/** What is owed is written within this: sums each 10 s, conditions of a Service a little later. */
const QUIET_MS = 25_000;
const SETTLED_MS = 180_000;
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${RELEASE}`;
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${RELEASE}`;

const isRenewal = ({ verb, uri, status }: AuditedRequest): boolean =>
  uri.split('?')[0] === LEASE && verb === 'update' && status === 200;
const isRead = ({ verb }: Right): boolean => verb === 'list' || verb === 'watch';

describe.skipIf(!CAN_RUN)('the rights of Herald', () => {
  let cluster: Cluster<'frr'>;
  let granted: GrantedRights;

  beforeAll(async () => {
    const own = await bareCluster({ name: 'rights', controlPlanes: 2, workers: 1 });
    cluster = own.cluster;
    const open = openRouter(cluster.router('frr'));
    const listenRanges = open.listenRanges?.map((range) => ({ ...range, password: PASSWORD })) ?? [];
    await cluster.router('frr').start({ ...open, listenRanges });
    await restrictedNamespace(cluster);
    const install = ['install', 'herald', CHART, '--namespace', NAMESPACE, '--values', '-', '--wait'];
    await cluster.helm(install, JSON.stringify(valuesFor(own.tag)));
    granted = await GrantedRights.read(cluster);
    await apply(cluster, ...rightsScene(cluster.router('frr').ipv4));
    await sessionsUp(cluster);
    await cluster.router('frr').forwardsTo(`${ADDRESS}/32`, [cluster.node('worker-0').plan.ipv4], 60_000);
  });
  afterAll(() => (cluster as Cluster | undefined)?.stop());

  /** Some replica says each of these. */
  async function says(...sentences: readonly RegExp[]): Promise<void> {
    await waitFor(
      `it is said: ${sentences.map(String).join()}`,
      async () => {
        const all = await faultMessages(cluster);
        const missing = sentences.filter((sentence) => !all.some((message) => sentence.test(message)));
        return missing.length === 0 || notYet({ missing, all });
      },
      RECOVERY_MS,
    );
  }

  async function recovers(): Promise<void> {
    await granted.giveBack();
    await waitFor(
      'there is nothing to say any more',
      async () => {
        const all = await faultMessages(cluster);
        return all.length === 0 || notYet(all);
      },
      RECOVERY_MS,
    );
  }

  /** The routes are there and requests are answered whatever is missing. */
  async function announces(): Promise<void> {
    const { lost } = await cluster.client('frr').send({ targets: [ADDRESS], count: 50, ratePerSecond: 50 });
    expect(lost).toBe(0);
  }

  async function scrape(): Promise<string> {
    const token = (await cluster.kubectl(['create', 'token', 'default', '-n', NAMESPACE])).trim();
    const [pod] = await replicaPods(cluster);
    const flags = ['-sk', '-m', '10', '-o', '/dev/null', '-w', '%{http_code}'];
    const bearer = ['-H', `Authorization: Bearer ${token}`];
    const from = cluster.node('worker-0').namespace;
    return await from.run(['curl', ...flags, ...bearer, `https://${pod?.status.podIP}:8443/metrics`]);
  }

  const setType = (type: string): Promise<string> =>
    cluster.kubectl(['patch', 'service', 'second', '-p', JSON.stringify({ spec: { type } })]);

  async function leader(): Promise<string> {
    return await waitFor(
      'one leads',
      async () => (await replicaStatuses(cluster)).find(({ replica }) => replica.leading)?.name,
      30_000,
    );
  }

  async function replaced(name: string): Promise<void> {
    await cluster.kubectl(['delete', 'pod', name, '-n', NAMESPACE]);
    await waitFor(
      'its successor runs',
      async () => {
        const now = (await replicaPods(cluster)).map((pod) => ({
          name: pod.metadata.name,
          programs: replicaProcesses(pod).map(({ status }) => status['Name']),
        }));
        const isThere =
          now.length === 2 && now.every((pod) => pod.name !== name && pod.programs.includes('bgpd'));
        return (isThere && (await replicaStatuses(cluster)).length === 2) || notYet(now);
      },
      RECOVERY_MS,
    );
  }

  /** Requests but watches and renewals of the Lease, as sentences. */
  async function askedFor(sinceMs: number): Promise<readonly string[]> {
    const all = await cluster.requestsOf(ACCOUNT, sinceMs);
    const others = all.filter((request) => request.verb !== 'watch' && !isRenewal(request));
    return others.map(({ verb, uri, status }) => `${verb} ${uri} ${status}`);
  }

  test('cost an idle cluster nothing: for a minute nothing is asked but Lease renewals and watches', async () => {
    await waitFor(
      'what is owed was written',
      async () => {
        const asked = await askedFor(Date.now() - QUIET_MS);
        return asked.length === 0 || notYet(asked);
      },
      SETTLED_MS,
    );
    const since = Date.now();
    await sleep(IDLE_MS);
    expect(await askedFor(since)).toEqual([]);
    const all = await cluster.requestsOf(ACCOUNT, since);
    expect(all.filter(isRenewal).length).toBeGreaterThan(IDLE_MS / 10_000);
    expect(all.filter(({ verb, status }) => verb === 'watch' && status !== 200)).toEqual([]);
  });

  test('are all used in a life with peers, a password, Services, a scrape, a restart, and no other is missed', async () => {
    expect(await scrape()).toBe('403');
    // The same Event again, which is a higher count on the first.
    for (const type of ['ClusterIP', 'LoadBalancer']) {
      await setType(type);
      const has = ['get', 'service', 'second', '-o', 'jsonpath={.status.loadBalancer.ingress[*].ip}'];
      await waitFor(
        `second is a ${type}`,
        async () => ((await cluster.kubectl(has)) !== '') === (type !== 'ClusterIP'),
      );
    }
    await replaced(await leader());
    await sessionsUp(cluster);
    await restartApiServer(cluster.controlPlane);
    const unused = await waitFor(
      'every right was used',
      async () => {
        const used = await usedRights(cluster);
        const idle = granted.rights.filter((right) => !used.some((one) => grants(right, one)));
        return idle.length === 0 ? [] : notYet(idle.map(rightText));
      },
      RECOVERY_MS,
    );
    expect(unused).toEqual([]);
    const used = await usedRights(cluster);
    // An API server that has just started forbids everything for a moment.
    const missed = used.filter((one) => !granted.rights.some((right) => grants(right, one)));
    expect(missed).toEqual([]);
    await announces();
  });

  test('reach the password, which is told nowhere', async () => {
    const running = await replicaPods(cluster);
    const processes = running.flatMap(replicaProcesses);
    expect(processes.length).toBeGreaterThan(4);
    expect(processes.flatMap(({ pid }) => secretsInTheOpen(pid, [PASSWORD]))).toEqual([]);
    const logs = await Promise.all(
      running.map(({ metadata }) =>
        cluster.kubectl(['logs', metadata.name, '-n', NAMESPACE, '--all-containers']),
      ),
    );
    const told = [...logs, ...processes.map((one) => `${one.environment} ${one.commandLine}`)].join('\n');
    expect(told).toContain('session');
    expect(told).not.toContain(PASSWORD);
  });

  test.each(['list', 'watch'])(
    'to %s: without them each collection is said, and nothing is withdrawn',
    async (verb) => {
      await granted.without((right) => right.verb === verb && right.resource !== 'leases');
      await restartApiServer(cluster.controlPlane);
      const kinds = ['Nodes', 'Services', 'Namespaces', 'EndpointSlices', 'BGPPeers', 'IPAddressPools'];
      const all = [...kinds, 'BGPAdvertisements', `Secret ${NAMESPACE}/herald-bgp`, 'HeraldReplicas'];
      await says(...all.map((kind) => new RegExp(`^${kind} cannot be read, .*403`)));
      await announces();
      await recovers();
    },
  );

  test('to write: without them each object is said, and nothing is withdrawn', async () => {
    await granted.without(({ verb, resource }) => verb === 'patch' && resource !== 'events');
    await setType('ClusterIP');
    await cluster.kubectl(['patch', 'bgppeer', 'frr', '--type=merge', '-p', '{"spec":{"connectTime":"2s"}}']);
    await cluster.kubectl(['label', 'bgpadvertisement', 'default', 'touched=yes']);
    await says(/^Service.* was not written: .*403/, /^BGPPeer.*403/, /^IPAddressPool.*403/);
    await announces();
    await recovers();
  });

  test('to the Lease: without them it is named', async () => {
    await granted.without(({ resource, verb }) => resource === 'leases' && verb === 'update');
    await says(new RegExp(`^Lease ${NAMESPACE}/herald may not be read or written: .*403`));
    await announces();
    await recovers();
    await leader();
  });

  test('to review tokens: without either, who asks is told that it cannot be checked now', async () => {
    for (const resource of ['tokenreviews', 'subjectaccessreviews']) {
      await granted.without((right) => right.resource === resource);
      await waitFor(`no scrape without ${resource}`, async () => (await scrape()) === '503');
      await granted.giveBack();
      await waitFor(`a scrape again with ${resource}`, async () => (await scrape()) === '403');
    }
  });

  test('that are read are the only ones that are read', () => {
    const names = granted.rights.filter(isRead).filter(({ resource }) => resource === 'secrets');
    expect(names.map(rightText)).toEqual(['list secrets [herald-bgp]', 'watch secrets [herald-bgp]']);
  });
});
