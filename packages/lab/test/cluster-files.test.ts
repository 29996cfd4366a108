// Files that a cluster makes or reads: certificates, kubeconfig, images, audit log, facts; and calls between processes.

import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAuditLine, requestsOf } from '../src/cluster/audit-log.ts';
import { CertificateAuthority } from '../src/cluster/certificates.ts';
import { publishFacts, readFacts, withdrawFacts } from '../src/cluster/cluster-facts.ts';
import type { ClusterFacts } from '../src/cluster/cluster-facts.ts';
import { openRouter } from '../src/cluster/cluster-keeper.ts';
import { nodePlans } from '../src/cluster/cluster-plan.ts';
import { isReadyNode, statusText } from '../src/cluster/cluster-status.ts';
import { writeKubeconfig } from '../src/cluster/kubeconfig.ts';
import { writeOciArchive } from '../src/cluster/oci-archive.ts';
import { remoteObject, serveCalls } from '../src/cluster/remote-calls.ts';
import { run } from '../src/command.ts';
import { processStartTime } from '../src/ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('certificates', () => {
  let authority: CertificateAuthority;
  beforeAll(async () => {
    authority = await CertificateAuthority.create(join(folder, 'pki'));
  });

  test('what is signed names its subject and is accepted under the authority', async () => {
    const pair = await authority.sign({
      name: 'kubelet',
      commonName: 'system:node:worker-0',
      organization: 'system:nodes',
      alternativeNames: ['DNS:worker-0', 'IP:192.0.2.101', 'IP:2001:db8:2::101'],
    });
    const ca = new X509Certificate(readFileSync(authority.certificate));
    const leaf = new X509Certificate(readFileSync(pair.certificate));
    expect([ca.ca, leaf.ca]).toEqual([true, false]);
    expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.subject).toBe('O=system:nodes\nCN=system:node:worker-0');
    expect([leaf.checkHost('worker-0'), leaf.checkIP('192.0.2.101')]).toEqual(['worker-0', '192.0.2.101']);
    expect(leaf.checkIP('192.0.2.102')).toBeUndefined();
    // Client and server authentication, RFC 5280 section 4.2.1.12.
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
  });

  test('keys are for root only', () => {
    const keys = readdirSync(join(folder, 'pki')).filter((name) => name.endsWith('.key'));
    expect(keys).toEqual(expect.arrayContaining(['ca.key', 'service-account.key']));
    expect(keys.map((name) => statSync(join(folder, 'pki', name)).mode & 0o077)).toEqual(keys.map(() => 0));
  });

  test('a kubeconfig carries everything in itself and is for root only', async () => {
    const user = await authority.sign({ name: 'admin', commonName: 'admin', organization: 'system:masters' });
    const server = 'https://127.0.0.1:1234';
    const path = writeKubeconfig(join(folder, 'kubeconfig'), {
      server,
      authority: authority.certificate,
      user,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const config = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const ca = readFileSync(authority.certificate).toString('base64');
    const key = readFileSync(user.key).toString('base64');
    expect(config).toMatchObject({
      clusters: [{ cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ user: { 'client-key-data': key } }],
    });
  });
});

describe('writeOciArchive', () => {
  interface Index {
    readonly manifests: readonly [{ digest: string; annotations: Record<string, string> }];
  }

  async function archive(name: string): Promise<{ index: Index; list: string[]; file: string }> {
    const rootFolder = join(folder, `${name}-root`);
    mkdirSync(join(rootFolder, 'bin'), { recursive: true });
    writeFileSync(join(rootFolder, 'bin', 'hello'), 'hello', { mode: 0o755 });
    const file = join(folder, `${name}.tar`);
    await writeOciArchive(file, join(folder, `${name}-layout`), {
      name: 'lab.local/hello:1',
      rootFolder,
      entrypoint: ['/bin/hello'],
      user: '65532',
      ports: [8080],
    });
    const index = JSON.parse(await run(['tar', '-xOf', file, 'index.json'])) as Index;
    return { index, file, list: (await run(['tar', '-tf', file])).trim().split('\n') };
  }

  test('every digest leads to its content', async () => {
    const { index, file, list } = await archive('first');
    expect(index.manifests[0].annotations['io.containerd.image.name']).toBe('lab.local/hello:1');
    const blob = async (digest: string): Promise<Record<string, unknown>> =>
      JSON.parse(await run(['tar', '-xOf', file, `blobs/${digest.replace(':', '/')}`])) as never;
    const manifest = (await blob(index.manifests[0].digest)) as {
      config: { digest: string };
      layers: { digest: string }[];
    };
    const config = await blob(manifest.config.digest);
    const layers = manifest.layers.map(({ digest }) => digest);
    expect(config).toMatchObject({
      os: 'linux',
      config: { Entrypoint: ['/bin/hello'], User: '65532', ExposedPorts: { '8080/tcp': {} } },
      rootfs: { type: 'layers', diff_ids: layers },
    });
    expect(list).toContain(`blobs/${layers[0]?.replace(':', '/')}`);
    expect(list.filter((name) => /blobs\/sha256\/\w/.test(name))).toHaveLength(3);
  });

  test('same content, same digest, whenever it is written', async () => {
    const [one, other] = [await archive('one'), await archive('other')];
    expect(one.index.manifests[0].digest).toBe(other.index.manifests[0].digest);
  });
});

function event(user: string, userAgent: string, second: number, verb = 'patch'): string {
  return JSON.stringify({
    kind: 'Event',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/services',
    verb,
    user: { username: user },
    userAgent,
    responseStatus: { code: 200 },
    requestReceivedTimestamp: `2026-01-01T00:00:0${second}.500000Z`,
  });
}

describe('audit log', () => {
  const herald = 'system:serviceaccount:herald-system:herald';
  const log = join(folder, 'audit.log');
  beforeAll(() => {
    const lines = [
      event(herald, 'herald/0.1.0', 1, 'list'),
      event('system:node:worker-0', 'kubelet/v1.36.3', 1),
      event(`${herald}-test`, 'kubectl/v1.36.3', 2),
      event(herald, 'herald/0.1.0', 3),
      '{"kind":"Event","stage":"Response',
    ];
    writeFileSync(log, lines.join('\n'));
  });

  test.each([
    ['a user is meant whole', herald, 0, ['list', 'patch']],
    ['a user agent by its beginning', 'herald/', 0, ['list', 'patch']],
    ['only what was received since then', herald, Date.parse('2026-01-01T00:00:02Z'), ['patch']],
    ['nobody', 'calico', 0, []],
  ])('%s', async (_what, who, since, verbs) => {
    expect((await requestsOf(log, who, since)).map(({ verb }) => verb)).toEqual(verbs);
  });

  test('a line says who, what, when and how it ended', () => {
    expect(parseAuditLine(event('u', 'a', 1))).toEqual({
      timeMs: Date.parse('2026-01-01T00:00:01.500Z'),
      stage: 'ResponseComplete',
      verb: 'patch',
      user: 'u',
      pod: '',
      userAgent: 'a',
      uri: '/api/v1/services',
      status: 200,
    });
  });

  test('a line says which pod had the token', () => {
    const extra = { 'authentication.kubernetes.io/pod-name': ['herald-a'] };
    const line = { ...(JSON.parse(event('u', 'a', 1)) as object), user: { username: 'u', extra } };
    expect(parseAuditLine(JSON.stringify(line))).toMatchObject({ user: 'u', pod: 'herald-a' });
  });
});

describe('facts of the cluster that is up', () => {
  const [plan] = nodePlans(0, 1);
  const facts = (id: string, pid = process.pid): ClusterFacts => ({
    id,
    keeper: { pid, startTime: processStartTime(process.pid) ?? '' },
    directory: '/run/herald-lab/x',
    kubeconfig: '/run/herald-lab/x/kubeconfig',
    programs: { web: '/w', helm: '/h', containerd: '/c', kubernetes: '/k' },
    auditLog: '/a',
    api: {
      namespace: 'x-api',
      access: { port: 1, authority: '/ca', user: { certificate: '/crt', key: '/key' } },
    },
    podTraffic: 'routed',
    nodes: plan === undefined ? [] : [{ plan, namespace: 'x-worker-0' }],
    routers: [
      {
        name: 'frr',
        kind: 'frr',
        namespace: 'x-frr',
        directory: '/d',
        clientNamespace: 'x-client',
        ipv4: '192.0.2.1',
        ipv6: '2001:db8:2::1',
      },
    ],
    startedAtMs: 1,
  });

  test('are there while the keeper lives, and go only with their own cluster', () => {
    const file = join(folder, 'up');
    expect(readFacts(file)).toBeUndefined();
    publishFacts(facts('a'), file);
    expect(readFacts(file)).toEqual(facts('a'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    withdrawFacts(facts('b'), file);
    expect(readFacts(file)?.id).toBe('a');
    withdrawFacts(facts('a'), file);
    expect(readFacts(file)).toBeUndefined();
    publishFacts(facts('a', 1), file);
    expect(readFacts(file)).toBeUndefined();
  });

  test('are shown with the way to everything', () => {
    const nodes = [
      { name: 'worker-0', role: 'worker', ipv4: '192.0.2.101', ipv6: '2001:db8:2::101', isReady: true },
    ];
    const text = statusText({ state: 'up', facts: facts('a'), nodes });
    for (const part of [
      /worker-0 +worker +192\.0\.2\.101 +Ready/,
      /export KUBECONFIG=\/run\/herald-lab\/x\/kubeconfig/,
      /vtysh --vty_socket \/d -c 'show bgp summary'/,
      /nsenter --net=\/run\/netns\/x-client curl/,
    ])
      expect(text).toMatch(part);
    expect(statusText({ state: 'down' })).toContain('cluster up');
  });

  test.each([
    ['Ready', [{ type: 'Ready', status: 'True' }], true],
    ['not heard of', [{ type: 'Ready', status: 'Unknown' }], false],
    ['another condition', [{ type: 'DiskPressure', status: 'True' }], false],
    ['not joined', undefined, false],
  ])('a node that is %s', (_what, conditions, expected) => {
    const status = conditions === undefined ? {} : { conditions };
    expect(isReadyNode({ metadata: { name: 'n' }, status })).toBe(expected);
  });

  test('routers accept peers from nodes and pods of both families', () => {
    const ranges = openRouter({ ipv4: '192.0.2.1' }).listenRanges ?? [];
    expect(ranges.map(({ range }) => range)).toEqual([
      '10.244.0.0/16',
      'fd00:244::/32',
      '192.0.2.0/24',
      '2001:db8:2::/64',
    ]);
  });
});

describe('remote calls', () => {
  const target = {
    table: (family: number) => new Map([['203.0.113.1/32', [family, undefined]]]),
    fail: () => Promise.reject(new Error('it is off')),
    notAMethod: 7,
  };
  const path = join(folder, 'calls.sock');
  interface Remote {
    readonly name: string;
    table(family: number): Promise<Map<string, unknown>>;
    fail(): Promise<void>;
    notAMethod(): Promise<void>;
    missing(): Promise<void>;
  }

  test('values survive as they are, failures come with their sentence', async () => {
    const server = await serveCalls(path, new Map([['router frr', target]]));
    const remote = remoteObject(path, 'router frr', { name: 'frr' }) as Remote;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(remote.name).toBe('frr');
    expect(await remote.table(4)).toEqual(new Map([['203.0.113.1/32', [4, undefined]]]));
    await expect(remote.fail()).rejects.toThrow('router frr.fail: it is off');
    await expect(remote.missing()).rejects.toThrow('no method missing of router frr');
    await expect(remote.notAMethod()).rejects.toThrow('no method notAMethod of router frr');
    const nobody = remoteObject(path, 'router bird', {}) as Remote;
    await expect(nobody.table(4)).rejects.toThrow('no method table of router bird');
    // Handed out by an async function it must not be mistaken for a promise.
    expect(await Promise.resolve(remote)).toBe(remote);
    server.close();
  });

  test('nobody there is an error, not silence', async () => {
    const remote = remoteObject(join(folder, 'nobody.sock'), 'x', {}) as Remote;
    await expect(remote.table(4)).rejects.toThrow('ENOENT');
  });
});
