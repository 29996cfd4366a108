/**
 * The rights of the chart's service account, proven from both sides: everything that Herald asks of the API server in its
 * life is granted, and everything that is granted is asked for (by the audit log); and without a right something
 * breaks that Herald says by name, nothing that is announced is lost, and it recovers when the right is back.
 *
 * Every right is taken once, several at a time where what breaks is told apart. The API server is restarted where a right
 * is asked for only when a watch begins anew.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { notYet, openRouter, waitFor, type AuditedRequest, type Cluster } from '@herald/lab';

import {
  ACCOUNT,
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
import { replicaOf, replaced } from '../../support/replica-roles.ts';
import { replicaPods, replicaProcesses, replicaStatuses } from '../../support/replica-status.ts';
import {
  ADDRESS,
  PASSWORD,
  assignedAddresses,
  eventsOfSecond,
  rightsScene,
  secondIs,
  secondReaddressed,
  setSecond,
} from '../../support/rights-scene.ts';
import { CAN_RUN } from '../../support/shared-cluster.ts';
import { faultsAreSaid, nothingIsSaid } from '../../support/told-faults.ts';

const RECOVERY_MS = 100_000;
const IDLE_MS = 60_000;
const SETTLED_MS = 180_000;
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const LEASE = `${LEASES}/${RELEASE}`;

const isRenewal = ({ verb, uri, status }: AuditedRequest): boolean =>
  uri.split('?')[0] === LEASE && verb === 'update' && status === 200;
const isRead = ({ verb }: Right): boolean => verb === 'list' || verb === 'watch';

const KINDS = ['Nodes', 'Services', 'Namespaces', 'EndpointSlices', 'BGPPeers', 'IPAddressPools'];
const COLLECTIONS = [...KINDS, 'BGPAdvertisements', `Secret ${NAMESPACE}/herald-bgp`, 'HeraldReplicas'].map(
  (kind) => new RegExp(`^${kind} cannot be read, .*403`),
);
const UNWATCHED = new RegExp(
  `^Lease ${NAMESPACE}/${RELEASE} may not be watched, and is listed instead: GET .*403`,
);
const leaseSentence = (method: string): RegExp =>
  new RegExp(`^Lease ${NAMESPACE}/${RELEASE} may not be read or written: ${method} .*403`);
const eventSentence = (method: string): RegExp => new RegExp(`^Event: .* was not written: ${method} .*403`);

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

  async function recovers(): Promise<void> {
    await granted.giveBack();
    await nothingIsSaid(cluster, RECOVERY_MS);
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

  /** Requests but watches and renewals of the Lease, as sentences. */
  async function askedFor(sinceMs: number): Promise<readonly string[]> {
    const all = await cluster.requestsOf(ACCOUNT, sinceMs);
    const others = all.filter((request) => request.verb !== 'watch' && !isRenewal(request));
    return others.map(({ verb, uri, status }) => `${verb} ${uri} ${status}`);
  }

  /** Requests for the Lease, watches included. */
  async function ofLease(sinceMs: number): Promise<readonly string[]> {
    const all = await cluster.requestsOf(ACCOUNT, sinceMs);
    return all.filter(({ uri }) => uri.startsWith(LEASES)).map(({ verb, status }) => `${verb} ${status}`);
  }

  test('cost an idle cluster nothing: for a minute nothing is asked but Lease renewals and watches', async () => {
    const since = await waitFor(
      'what is owed was written, and then a minute has passed',
      async () => {
        const minuteAgo = Date.now() - IDLE_MS;
        const asked = await askedFor(minuteAgo);
        return asked.length === 0 ? minuteAgo : notYet(asked);
      },
      SETTLED_MS,
    );
    const all = await cluster.requestsOf(ACCOUNT, since);
    expect(all.filter(isRenewal).length).toBeGreaterThan(IDLE_MS / 10_000);
    expect(all.filter(({ verb, status }) => verb === 'watch' && status !== 200)).toEqual([]);
  });

  test('are all used in a life with peers, a password, Services, a scrape, a restart, and no other is missed', async () => {
    expect(await scrape()).toBe('403');
    // The same Event again, which is a higher count on the first.
    await secondReaddressed(cluster);
    await replaced(cluster, await replicaOf(cluster, 'leader'));
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

  test('to list: without them each collection and the Lease is said, and nothing is withdrawn', async () => {
    await granted.without(({ verb }) => verb === 'list');
    await restartApiServer(cluster.controlPlane);
    await faultsAreSaid(cluster, [...COLLECTIONS, leaseSentence('GET')], RECOVERY_MS);
    await announces();
    await recovers();
    await replicaOf(cluster, 'leader');
  });

  test('to watch: without them each collection is said, the Lease is listed, and nothing is withdrawn', async () => {
    await granted.without(({ verb }) => verb === 'watch');
    await restartApiServer(cluster.controlPlane);
    await faultsAreSaid(cluster, [...COLLECTIONS, UNWATCHED], RECOVERY_MS);
    const since = Date.now();
    await waitFor('the Lease is listed again and again', async () => {
      const asked = await ofLease(since);
      return asked.filter((request) => request === 'list 200').length > 2 || notYet(asked);
    });
    expect(await ofLease(since)).toContain('watch 403');
    await announces();
    await recovers();
    await waitFor('the Lease is watched', async () => (await ofLease(since)).includes('watch 200'));
  });

  test('to write statuses, and to make that of a new replica: without them each kind is said, and what is there stays', async () => {
    expect(await assignedAddresses(cluster)).toBe('2');
    await granted.without(
      ({ verb, resource }) =>
        resource.endsWith('/status') || (resource === 'heraldreplicas' && verb === 'create'),
    );
    await setSecond(cluster, 'ClusterIP');
    await cluster.kubectl(['patch', 'bgppeer', 'frr', '--type=merge', '-p', '{"spec":{"connectTime":"2s"}}']);
    const kinds = ['Service', 'BGPPeer', 'IPAddressPool', 'BGPAdvertisement', 'HeraldReplica'];
    const sentences = kinds.map((kind) => new RegExp(`^${kind}\\b.* was not written: PATCH .*/status: 403`));
    await faultsAreSaid(cluster, sentences, RECOVERY_MS);
    await replaced(cluster, await replicaOf(cluster, 'standby'));
    await faultsAreSaid(cluster, [/^HeraldReplica .* was not written: POST .*403/], RECOVERY_MS);
    expect(await assignedAddresses(cluster)).toBe('2');
    await announces();
    await recovers();
    await waitFor(
      'the pool counts again',
      async () => (await assignedAddresses(cluster)) === '1',
      RECOVERY_MS,
    );
    await setSecond(cluster, 'LoadBalancer');
    await secondIs(cluster, 'LoadBalancer');
    await sessionsUp(cluster);
  });

  test('to tell Events: without them there are none, and that is said', async () => {
    await secondReaddressed(cluster);
    await granted.without(({ resource }) => resource === 'events');
    await secondReaddressed(cluster);
    await faultsAreSaid(cluster, [eventSentence('PATCH')], RECOVERY_MS);
    await cluster.kubectl(['delete', 'service', 'second']);
    await apply(cluster, ...rightsScene(cluster.router('frr').ipv4));
    await secondIs(cluster, 'LoadBalancer');
    await faultsAreSaid(cluster, [eventSentence('POST')], RECOVERY_MS);
    expect(await eventsOfSecond(cluster)).toEqual([]);
    await announces();
    await recovers();
    expect(await eventsOfSecond(cluster)).toContain('AddressGiven');
  });

  test('to keep and make the Lease: without them nobody leads, and that is said', async () => {
    await granted.without(({ verb, resource }) => resource === 'leases' && /update|create/.test(verb));
    await cluster.kubectl(['delete', 'lease', RELEASE, '-n', NAMESPACE]);
    await faultsAreSaid(cluster, [leaseSentence('PUT'), leaseSentence('POST')], RECOVERY_MS);
    await waitFor(
      'nobody leads',
      async () => !(await replicaStatuses(cluster)).some(({ replica }) => replica.leading),
      RECOVERY_MS,
    );
    await announces();
    await recovers();
    await replicaOf(cluster, 'leader');
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

  test('were each taken away above', () => {
    expect(granted.neverTaken.map(rightText)).toEqual([]);
  });
});
