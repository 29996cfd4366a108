// Settings text -> settings, or everything that is wrong with it.

import { address } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseSettings, settingsJsonSchema, type Settings } from '../src/index.ts';

const smallest = { asn: 64512, routerId: '192.0.2.1' };

function settings(change: object, podAddress?: string): Settings {
  const result = parseSettings(stringify({ ...smallest, ...change }), { podAddress });
  return result.ok ? result.value : expect.fail(result.faults.map(({ message }) => message).join('\n'));
}

function messages(text: string, podAddress?: string): string[] {
  const result = parseSettings(text, { podAddress });
  expect(result.ok).toBe(false);
  return result.faults.map(({ message }) => message);
}

describe('settings', () => {
  it('with the fewest fields have every default', () => {
    expect(settings({})).toEqual({
      asn: 64512,
      routerId: address('192.0.2.1'),
      loadBalancerClass: undefined,
      ipam: true,
      compatibilityAnnotations: false,
      standbyMode: 'Hot',
      excludeLabelHonoured: true,
      cordonedNodesLeave: false,
      source: { kind: 'kubernetes', kubeconfig: undefined },
      election: { leaseName: 'herald', leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 1000 },
      podListener: undefined,
      stateDir: '/run/herald/state',
      bgpd: {
        binary: '/usr/lib/frr/bgpd',
        port: 1790,
        feedAddress: '127.0.0.2',
        vtyDir: '/run/herald/vty',
        vtysh: '/usr/bin/vtysh',
        configDir: '/run/herald/frr',
      },
      http: { address: '127.0.0.1', port: 8179 },
      probes: { mode: 'KubeProxy', port: 10256, intervalMs: 500, timeoutMs: 500, losses: 3, returns: 5 },
      guard: {
        deadNodesPercent: 50,
        silentNodeMs: 10_000,
        suspectListMs: 5000,
        joinDelayMs: 1000,
        staleMs: 6000,
        keptTableMs: 10_000,
      },
      exchange: { keyFile: undefined, replicas: [] },
      handOver: { patienceMs: 20_000 },
      logLevel: 'info',
    });
  });

  it.each<[object, Partial<Settings>]>([
    [{ asn: 4200000000 }, { asn: 4200000000 }],
    [{ loadBalancerClass: 'heraldbgp.io/herald' }, { loadBalancerClass: 'heraldbgp.io/herald' }],
    [
      { source: { kind: 'folder', path: '/etc/herald' } },
      { source: { kind: 'folder', path: '/etc/herald' } },
    ],
    [
      { ipam: false, standbyMode: 'Cold', logLevel: 'debug' },
      { ipam: false, standbyMode: 'Cold', logLevel: 'debug' },
    ],
    [
      { cordonedNodesLeave: true, excludeLabelHonoured: false },
      { cordonedNodesLeave: true, excludeLabelHonoured: false },
    ],
    [
      { compatibilityAnnotations: true, stateDir: '/x' },
      { compatibilityAnnotations: true, stateDir: '/x' },
    ],
    [{ http: { address: '::1' } }, { http: { address: '::1', port: 8179 } }],
    [
      { source: { kubeconfig: '/root/.kube/config' } },
      { source: { kind: 'kubernetes', kubeconfig: '/root/.kube/config' } },
    ],
    [
      { election: { leaseName: 'herald-b', leaseDuration: '15s' } },
      {
        election: {
          leaseName: 'herald-b',
          leaseDurationMs: 15_000,
          renewDeadlineMs: 4000,
          retryPeriodMs: 1000,
        },
      },
    ],
    [{ podListener: {} }, { podListener: { address: '::', port: 8443, tls: undefined } }],
    [
      { podListener: { certificate: '/tls/tls.crt', key: '/tls/tls.key' } },
      {
        podListener: { address: '::', port: 8443, tls: { certificate: '/tls/tls.crt', key: '/tls/tls.key' } },
      },
    ],
  ])('take %j', (change, expected) => {
    expect(settings(change)).toMatchObject(expected);
  });

  it('read durations', () => {
    const value = settings({
      probes: { interval: '1s500ms', timeout: '250ms', mode: 'Tcp' },
      guard: { joinDelay: '0s', suspectListDelay: '1m' },
    });
    expect(value.probes).toMatchObject({ mode: 'Tcp', intervalMs: 1500, timeoutMs: 250 });
    expect(value.guard).toMatchObject({ joinDelayMs: 0, suspectListMs: 60_000 });
  });

  it('may be JSON', () => {
    expect(parseSettings(JSON.stringify(smallest))).toMatchObject({ ok: true, value: { asn: 64512 } });
  });

  it.each([
    ['an IPv4 pod', '10.1.2.3', '10.1.2.3'],
    ['an IPv6 pod', '2001:db8::1', expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/)],
  ])('take the router id from %s', (_, podAddress, text) => {
    expect(settings({ routerId: undefined }, podAddress).routerId).toMatchObject({ family: 4, text });
    expect(settings({ routerId: 'FromPodAddress' }, podAddress)).toEqual(
      settings({ routerId: undefined }, podAddress),
    );
  });

  it('give two IPv6 pods two router ids', () => {
    const ids = ['2001:db8::1', '2001:db8::2'].map(
      (pod) => settings({ routerId: undefined }, pod).routerId.text,
    );
    expect(new Set(ids).size).toBe(2);
  });

  it.each([[undefined], ['pod-1']])('cannot take the router id from the pod address %j', (podAddress) => {
    expect(messages('asn: 64512', podAddress)).toEqual([
      "settings: routerId must be an IPv4 address here, as the pod's address is not known.",
    ]);
  });

  it.each<[object, string, string]>([
    [{ asn: undefined }, 'asn', 'is required'],
    [{ asn: '64512' }, 'asn', 'must be a whole number, not "64512"'],
    [{ asn: 1.1 }, 'asn', 'must be a whole number, not 1.1'],
    [{ asn: 0 }, 'asn', 'must be at least 1'],
    [{ asn: 23456 }, 'asn', 'must not be 23456 or 65535, which are reserved'],
    [{ asn: 65535 }, 'asn', 'must not be 23456 or 65535, which are reserved'],
    [{ asn: 4294967295 }, 'asn', 'must be at most 4294967294'],
    [{ routerId: '2001:db8::1' }, 'routerId', 'must be an IPv4 address of one machine, or FromPodAddress'],
    [{ routerId: '0.0.0.0' }, 'routerId', 'must be an IPv4 address of one machine'],
    [{ routerId: 'FromNode' }, 'routerId', 'must be an IPv4 address of one machine'],
    [{ routerId: 1 }, 'routerId', 'must be a text'],
    [{ loadBalancerClass: '' }, 'loadBalancerClass', 'must have at least 1 character'],
    [{ loadBalancerClass: 'c'.repeat(317) }, 'loadBalancerClass', 'must have at most 316 characters'],
    [{ ipam: 'yes' }, 'ipam', 'must be true or false'],
    [{ compatibilityAnnotations: 1 }, 'compatibilityAnnotations', 'must be true or false'],
    [{ standbyMode: 'hot' }, 'standbyMode', 'must be Hot, Warm or Cold, not "hot"'],
    [{ excludeLabelHonoured: 0 }, 'excludeLabelHonoured', 'must be true or false'],
    [{ cordonedNodesLeave: [] }, 'cordonedNodesLeave', 'must be true or false'],
    [{ source: { kind: 'etcd' } }, 'source.kind', 'must be kubernetes or folder'],
    [{ source: { kind: 'folder' } }, 'source.path', 'must be set when source.kind is folder'],
    [
      { source: { path: '/etc/herald' } },
      'source.path',
      'must be set when source.kind is folder, and only then',
    ],
    [{ source: { kind: 'folder', path: 'manifests' } }, 'source.path', 'must be an absolute path'],
    [{ source: 'folder' }, 'source', 'must be a mapping of fields'],
    [
      { source: { kind: 'folder', path: '/etc/herald', kubeconfig: '/k' } },
      'source.kubeconfig',
      'must be set only when source.kind is kubernetes',
    ],
    [{ election: { leaseName: 'Herald' } }, 'election.leaseName', 'must be lowercase letters'],
    [
      { election: { renewDeadline: '6s' } },
      'election.renewDeadline',
      'must be shorter than election.leaseDuration',
    ],
    [
      { election: { retryPeriod: '4s' } },
      'election.retryPeriod',
      'must be shorter than election.renewDeadline',
    ],
    [{ election: { leaseDuration: 'long' } }, 'election.leaseDuration', 'must be a duration from 1000ms'],
    [{ podListener: { key: '/k' } }, 'podListener.key', 'must be set together with podListener.certificate'],
    [{ podListener: { port: 0 } }, 'podListener.port', 'must be at least 1'],
    [{ stateDir: 'state' }, 'stateDir', 'must be an absolute path, not "state"'],
    [{ bgpd: { binary: 'bgpd' } }, 'bgpd.binary', 'must be an absolute path'],
    [{ bgpd: { vtysh: '' } }, 'bgpd.vtysh', 'must be an absolute path'],
    [{ bgpd: { vtyDir: 7 } }, 'bgpd.vtyDir', 'must be a text'],
    [{ bgpd: { configDir: '.' } }, 'bgpd.configDir', 'must be an absolute path'],
    [{ bgpd: { port: 0 } }, 'bgpd.port', 'must be at least 1'],
    [{ bgpd: { port: 65536 } }, 'bgpd.port', 'must be at most 65535'],
    ...['localhost', '::1', '10.0.0.1', '127.0.0.1'].map((feedAddress): [object, string, string] => [
      { bgpd: { feedAddress } },
      'bgpd.feedAddress',
      'must be an IPv4 address of 127.0.0.0/8 other than 127.0.0.1',
    ]),
    [{ bgpd: { sock: '/x' } }, 'bgpd.sock', 'is not a field of the settings'],
    [{ http: { address: '*' } }, 'http.address', 'must be an IPv4 or IPv6 address'],
    [{ http: { port: 70_000 } }, 'http.port', 'must be at most 65535'],
    [{ probes: { mode: 'Ping' } }, 'probes.mode', 'must be KubeProxy, Tcp or Disabled'],
    [{ probes: { port: 0 } }, 'probes.port', 'must be at least 1'],
    [{ probes: { interval: '99ms' } }, 'probes.interval', 'must be a duration from 100ms to 60000ms'],
    [{ probes: { interval: 500 } }, 'probes.interval', 'must be a text'],
    [{ probes: { timeout: '61s' } }, 'probes.timeout', 'must be a duration from 50ms to 60000ms'],
    [{ probes: { losses: 0 } }, 'probes.losses', 'must be at least 1'],
    [{ probes: { returns: 101 } }, 'probes.returns', 'must be at most 100'],
    [{ guard: { deadNodesPercent: 0 } }, 'guard.deadNodesPercent', 'must be at least 1'],
    [{ guard: { deadNodesPercent: 101 } }, 'guard.deadNodesPercent', 'must be at most 100'],
    [{ guard: { suspectListDelay: '999ms' } }, 'guard.suspectListDelay', 'must be a duration from 1000ms'],
    [{ guard: { joinDelay: 'soon' } }, 'guard.joinDelay', 'must be a duration from 0ms to 60000ms'],
    [{ guard: { staleAfter: '601s' } }, 'guard.staleAfter', 'must be a duration from 1000ms to 600000ms'],
    [{ exchange: { keyFile: 'key' } }, 'exchange.keyFile', 'must be an absolute path'],
    ...[
      '192.0.2.1:8443',
      'http://herald:8443',
      'http://[192.0.2.1]:1',
      'http://192.0.2.1',
      'ftp://192.0.2.1:1',
    ].map((url): [object, string, string] => [
      { exchange: { replicas: ['https://[2001:db8::1]:8443', url] } },
      'exchange.replicas[1]',
      'must be the address of a pod listener, such as http://192.0.2.1:8443',
    ]),
    [{ handOver: { patience: '-1s' } }, 'handOver.patience', 'must be a duration from 0ms to 600000ms'],
    [{ logLevel: 'verbose' }, 'logLevel', 'must be fatal, error, warn, info, debug, trace or silent'],
    [{ colour: 'red' }, 'colour', 'is not a field of the settings'],
  ])('refuse %j: %s %s', (change, field, says) => {
    const said = messages(stringify({ ...smallest, ...change }));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`settings: ${field} ${says}`);
    expect(said[0]?.endsWith('.')).toBe(true);
  });

  it('report every fault at once', () => {
    const text = 'asn: 0\nrouterId: here\nhttp: {port: 0, path: x}\nsource: {kind: folder}\nlogLevel: loud\n';
    const fields = messages(text).map((message) => message.split(' ')[1]);
    expect(new Set(fields)).toEqual(
      new Set(['asn', 'http.path', 'http.port', 'logLevel', 'routerId', 'source.path']),
    );
  });

  it.each([
    ['', 'settings must be a mapping of fields, such as "asn: 65000".'],
    ['- asn', 'settings must be a mapping of fields, such as "asn: 65000".'],
    ['64512', 'settings must be a mapping of fields, such as "asn: 65000".'],
    ['asn: 1\nasn: 2', 'settings cannot be read at line 2, column 1: Map keys must be unique.'],
    ['asn: *nobody', 'settings must not have such aliases.'],
  ])('cannot be read from %j', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  it('name the place of every mistake in the text', () => {
    const said = messages('asn: 64512\nhttp: {port: 80\nlogLevel: "info\n');
    expect(said.length).toBeGreaterThan(1);
    for (const message of said) {
      expect(message).toMatch(/^settings cannot be read at line [234], column \d+: .+\.$/);
    }
  });

  it('do not expand aliases without bound', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${'*l' + i}, ${'*l' + i}, ${'*l' + i}]`,
    );
    expect(messages(['l0: &l0 [x]', ...levels].join('\n'))).toEqual(['settings must not have such aliases.']);
  });

  it('survive any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const result = parseSettings(text);
        expect(result.ok || result.faults.length > 0).toBe(true);
      }),
    );
  });

  it('survive any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(
          parseSettings(JSON.stringify({ ...smallest, source: value, probes: value })).faults,
        ).toBeDefined();
      }),
    );
  });
});

describe('the JSON schema of the settings', () => {
  const schema = settingsJsonSchema();

  it('describes every field, and requires only what has no default', () => {
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['asn'] });
    const undescribed: string[] = [];
    const walk = (node: Readonly<Record<string, unknown>>, path: string): void => {
      if (typeof node['description'] !== 'string') {
        undescribed.push(path);
      }
      for (const [name, child] of Object.entries((node['properties'] ?? {}) as Record<string, typeof node>)) {
        walk(child, `${path}.${name}`);
      }
    };
    walk(schema, '');
    expect(undescribed).toEqual([]);
  });

  it('holds nothing of ours', () => {
    expect(JSON.stringify(schema)).not.toMatch(/"rules"|x-kubernetes|~/);
  });
});
