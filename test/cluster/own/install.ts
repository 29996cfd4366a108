/**
 * The README's quick start, run as it stands on an empty cluster, and what an owner of a cluster does afterwards: helm
 * test, upgrade, rollback, uninstall with objects present, installing again, and all of it without Helm.
 *
 * The version to upgrade to is made from this one (next-version.ts): there is no earlier release to come from. Router
 * and client are real; so is the configuration of the router, which is the README's.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WEB_IMAGE, WEB_PORT, notYet, waitFor, type Cluster } from '@herald/lab';
import { list, sessionsUp } from '../../support/cluster-herald.ts';
import { CHART } from '../../support/helm.ts';
import { heraldLeftovers } from '../../support/herald-leftovers.ts';
import { servedUnder } from '../../support/flow-schemas.ts';
import { IMAGE_REPOSITORY, builtArchive } from '../../support/image-build.ts';
import { bareCluster } from '../../support/bare-cluster.ts';
import {
  NEXT_DESCRIPTION,
  NEXT_TAG,
  nextChart,
  nextImage,
  poolDescription,
} from '../../support/next-version.ts';
import { podsReadyAt } from '../../support/pods-ready.ts';
import { QuickStart, kubectlTables, readmeBlock } from '../../support/quick-start.ts';
import { runningImages } from '../../support/running-images.ts';
import { CAN_RUN } from '../../support/shared-cluster.ts';
import { nothingIsSaid } from '../../support/told-faults.ts';

const NAMESPACE = 'herald-system';
const ADDRESS = '203.0.113.10';
const ROUTER_ASN = 64_601;
const ANSWER_WITHIN_MS = 2_000;
const SETTLED_MS = 30_000;
const FLOW_SCHEMA = `herald-${NAMESPACE}-leases`;

/** What an uninstall leaves. */
const EXPECTED_LEFTOVERS = [
  'bgpadvertisement.heraldbgp.io/default',
  'bgppeer.heraldbgp.io/tor-1',
  ...['bgpadvertisements', 'bgppeers', 'heraldreplicas', 'ipaddresspools'].map(
    (kind) => `customresourcedefinition.apiextensions.k8s.io/${kind}.heraldbgp.io`,
  ),
  'ipaddresspool.heraldbgp.io/public',
  'lease.coordination.k8s.io/herald',
  'namespace/herald-system',
];

describe.skipIf(!CAN_RUN)('an owner of a cluster', () => {
  let cluster: Cluster<'frr'>;
  let quickStart: QuickStart;
  let tag = '';

  beforeAll(async () => {
    const own = await bareCluster({ name: 'install', controlPlanes: 2, workers: 2 });
    ({ cluster, tag } = own);
    const router = cluster.router('frr');
    await router.start({ asn: ROUTER_ASN, routerId: router.ipv4, extra: readmeBlock('frr') });
    quickStart = new QuickStart(cluster, cluster.client('frr').namespace.name, {
      IMAGE: IMAGE_REPOSITORY,
      TAG: tag,
      ROUTER: router.ipv4,
      ROUTER_ASN,
      WEB: WEB_IMAGE,
      WEB_PORT,
    });
  });
  afterAll(() => (cluster as Cluster | undefined)?.stop());

  /** What has to stay what it was. */
  async function uids(...kinds: readonly string[]): Promise<string[]> {
    const objects = await Promise.all(kinds.map((kind) => list(cluster, kind, '--all-namespaces')));
    return objects.flat().map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
  }
  const configured = (): Promise<string[]> => uids('bgppeers', 'ipaddresspools', 'bgpadvertisements');
  const certificate = (): Promise<string> =>
    cluster.kubectl(['get', 'secret', 'herald-tls', '-n', NAMESPACE, '-o', 'jsonpath={.data}']);

  /** Requests go on during the work; every one was answered. */
  async function withoutLoss(work: () => Promise<unknown>): Promise<void> {
    const client = cluster.client('frr');
    await cluster.forgetHalfOpen();
    await client.start({ targets: [ADDRESS], ratePerSecond: 50 });
    await work();
    const { answered, lost, lostByCause } = await client.stop();
    expect({ lost, lostByCause }).toEqual({ lost: 0, lostByCause: {} });
    expect(answered).toBeGreaterThan(50);
  }

  test.each([
    ['into kube-system', 'kube-system', {}, /Herald is not installed into kube-system/],
    ['with a wrong value', NAMESPACE, { settings: { asn: -1 } }, /settings\/asn|settings\.asn/],
    ['with a value that there is not', NAMESPACE, { replica: 3 }, /replica/],
    ['without an image', NAMESPACE, { image: { repository: '' } }, /image\.repository is required/],
  ])('is refused an install %s, with the reason', async (_, namespace, values, reason) => {
    const wanted = { image: { repository: IMAGE_REPOSITORY, tag }, settings: { asn: 64_512 }, ...values };
    const install = ['install', 'herald', CHART, '--namespace', namespace, '--values', '-'];
    await expect(cluster.helm(install, JSON.stringify(wanted))).rejects.toThrow(reason);
    expect(await list(cluster, 'secrets', '--all-namespaces', '--selector', 'owner=helm')).toEqual([]);
  });

  test('installs by the README’s lines, and helm test finds every replica ready', async () => {
    const said = await quickStart.step('install');
    expect(said).toMatch(/Phase: +Succeeded/);
    expect(said).not.toMatch(/Phase: +Failed/);
    const pods = await list(cluster, 'pods', '-n', NAMESPACE);
    expect(pods.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'])).toEqual([
      'herald',
      'herald',
    ]);
    expect(await configured()).toEqual([expect.stringMatching(/^default /)]);
  });

  test('configures one peer and one pool, and the sessions are there', async () => {
    await quickStart.step('configure');
    await sessionsUp(cluster);
    const wait = ['wait', '--for=condition=AddPath', 'bgppeer/tor-1', '--timeout=30s'];
    await cluster.kubectl(wait);
    await sessionsUp(cluster);
  });

  test('is answered through the router within 2 s of the pods being ready', async () => {
    const client = cluster.client('frr');
    const ready = podsReadyAt(cluster, 'app=hello', 2);
    await client.start({ targets: [ADDRESS], ratePerSecond: 20 });
    const answered = waitFor('an answer', async () => (await client.totals()).answered > 0, 120_000).then(
      () => Date.now(),
    );
    await quickStart.step('serve');
    const [readyAt, answeredAt] = await Promise.all([ready, answered]);
    await waitFor('both pods answer', async () => {
      const { answers } = await client.totals();
      return Object.keys(answers).length === 2 || notYet(answers);
    });
    const { lostAtMs } = await client.stop();
    process.stderr.write(`answered ${answeredAt - readyAt} ms after the last pod was ready\n`);
    expect(answeredAt - readyAt).toBeLessThan(ANSWER_WITHIN_MS);
    expect(lostAtMs.filter((atMs) => atMs > readyAt + ANSWER_WITHIN_MS)).toEqual([]);
    await forwarded();
    expect(await quickStart.step('ask')).toMatch(/^hello-/);
  });

  test('reads in the tables what has happened', async () => {
    const tables = await waitFor(
      'the sums are written',
      async () => {
        const seen = kubectlTables(await quickStart.step('look'));
        return seen.get('bgppeer.heraldbgp.io/tor-1')?.['PATHS'] === '2' ? seen : notYet(seen);
      },
      30_000,
    );
    expect(tables.get('service/hello')).toMatchObject({ TYPE: 'LoadBalancer', 'EXTERNAL-IP': ADDRESS });
    expect(tables.get('bgppeer.heraldbgp.io/tor-1')).toMatchObject({
      ADDRESS: cluster.router('frr').ipv4,
      ASN: String(ROUTER_ASN),
      SESSIONS: '2/2',
      ADDPATH: 'Yes',
      PATHS: '2',
    });
    expect(tables.get('ipaddresspool.heraldbgp.io/public')).toMatchObject({
      ADDRESSES: '["203.0.113.10-203.0.113.99"]',
      'AUTO ASSIGN': 'true',
      'ASSIGNED IPV4': '1',
      'FREE IPV4': '89',
      VALID: 'True',
    });
  });

  test('reads the same columns in the README', () => {
    const shown = kubectlTables(readmeBlock('text'));
    expect([...shown.keys()]).toEqual([
      'service/hello',
      'service/kubernetes',
      'bgppeer.heraldbgp.io/tor-1',
      'ipaddresspool.heraldbgp.io/public',
    ]);
    expect(shown.get('bgppeer.heraldbgp.io/tor-1')).toMatchObject({
      SESSIONS: '2/2',
      ADDPATH: 'Yes',
      PATHS: '2',
    });
  });

  test('upgrades, kinds included, with another image and other values: nothing is lost', async () => {
    const before = { objects: await configured(), certificate: await certificate() };
    const { directory } = cluster.facts;
    await cluster.importImage(await nextImage(builtArchive(tag), directory));
    const release = ['upgrade', 'herald', nextChart(directory), '--namespace', NAMESPACE];
    const values = `image.tag=${NEXT_TAG},settings.logLevel=debug,flowControl.enabled=true`;
    const upgrade = [...release, '--reset-then-reuse-values', '--set', values, '--wait'];
    const [image] = await runningImages(cluster);
    await withoutLoss(() => cluster.helm(upgrade));
    expect(await poolDescription(cluster)).toBe(NEXT_DESCRIPTION);
    const id = expect.not.stringContaining(image?.id ?? '');
    expect(await runningImages(cluster)).toEqual([{ name: `${IMAGE_REPOSITORY}:${NEXT_TAG}`, id }]);
    expect({ objects: await configured(), certificate: await certificate() }).toEqual(before);
    await sessionsUp(cluster);
  });

  test('has its Lease renewals served as elections are, by the FlowSchema of the values', async () => {
    await cluster.kubectl(['wait', '--for=condition=Dangling=False', `flowschema/${FLOW_SCHEMA}`]);
    const before = await servedUnder(cluster, FLOW_SCHEMA);
    await waitFor('one more is served', async () => {
      const { 'leader-election': served = 0 } = await servedUnder(cluster, FLOW_SCHEMA);
      return served > (before['leader-election'] ?? 0) || notYet(served);
    });
  });

  test('rolls back: the kinds, the image and the settings of before, nothing is lost', async () => {
    const before = await configured();
    await withoutLoss(() => cluster.helm(['rollback', 'herald', '1', '--namespace', NAMESPACE, '--wait']));
    expect(await poolDescription(cluster)).not.toBe(NEXT_DESCRIPTION);
    expect(await configured()).toEqual(before);
    expect(await cluster.kubectl(['get', 'cm', 'herald', '-n', NAMESPACE, '-o', 'yaml'])).not.toMatch(
      /debug/,
    );
    const [image, ...others] = await runningImages(cluster);
    expect([image?.name, others]).toEqual([`${IMAGE_REPOSITORY}:${tag}`, []]);
    expect(await list(cluster, 'flowschemas', '--selector', 'app.kubernetes.io/name=herald')).toEqual([]);
    await sessionsUp(cluster);
  });

  test('uninstalls: what was configured stays, and of Herald nothing else but the Lease', async () => {
    const before = await configured();
    await quickStart.step('uninstall');
    expect(await configured()).toEqual(before);
    await waitFor(
      'nothing of it is left',
      async () => {
        const left = await heraldLeftovers(cluster);
        return JSON.stringify(left) === JSON.stringify(EXPECTED_LEFTOVERS) || notYet(left);
      },
      60_000,
    );
    await cluster.router('frr').forwardsTo(`${ADDRESS}/32`, []);
    const { lost } = await cluster.client('frr').send({ targets: [ADDRESS], count: 5 });
    expect(lost).toBe(5);
    expect(await externalAddress()).toBe(ADDRESS);
  });

  test('installs again and goes on where it was', async () => {
    const before = await configured();
    const values = { image: { repository: IMAGE_REPOSITORY, tag }, settings: { asn: 64_512 } };
    const install = ['install', 'herald', CHART, '--namespace', NAMESPACE, '--values', '-', '--wait'];
    await cluster.helm(install, JSON.stringify(values));
    expect(await configured()).toEqual(before);
    await forwarded();
    expect(await externalAddress()).toBe(ADDRESS);
    expect(await quickStart.step('ask')).toMatch(/^hello-/);
  });

  test('takes everything away', async () => {
    await quickStart.step('uninstall');
    await quickStart.step('remove');
    expect(await heraldLeftovers(cluster)).toEqual([]);
  });

  test('installs without Helm, by the lines beside the manifests, and is answered', async () => {
    await quickStart.applyManifests(`${IMAGE_REPOSITORY}:${tag}`);
    const ready = '--for=jsonpath={.status.readyReplicas}=2';
    await cluster.kubectl(['wait', ready, 'deployment/herald', '--namespace', NAMESPACE, '--timeout=60s']);
    await quickStart.step('configure');
    await quickStart.step('serve');
    await forwarded();
    expect(await quickStart.step('ask')).toMatch(/^hello-/);
    await sessionsUp(cluster);
    await nothingIsSaid(cluster, SETTLED_MS);
  });

  async function forwarded(): Promise<void> {
    const nextHops = cluster.workers.map(({ plan }) => plan.ipv4);
    await cluster.router('frr').forwardsTo(`${ADDRESS}/32`, nextHops, SETTLED_MS);
  }

  async function externalAddress(): Promise<string> {
    const path = '{.status.loadBalancer.ingress[0].ip}';
    return await cluster.kubectl(['get', 'service', 'hello', '-o', `jsonpath=${path}`]);
  }
});
