// Service objects, from the API server and from manifests -> what Herald reads of them.

import { address } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectService, sameProjected, type Service } from '../src/index.ts';

function service(parts: { metadata?: object; spec?: unknown; status?: unknown }): Service {
  const result = projectService({
    ...parts,
    metadata: { name: 'web', namespace: 'shop', ...parts.metadata },
  });
  return result.ok ? result.value : expect.fail('the Service is refused');
}

function ingress(...entries: readonly unknown[]): { status: object } {
  return { status: { loadBalancer: { ingress: entries } } };
}

const written = (message: string): object => ({
  metadata: { resourceVersion: message },
  status: { ...ingress({ ip: '198.51.100.1' }).status, conditions: [{ message }] },
});

describe('a Service', () => {
  it('that says nothing has the defaults of the API server', () => {
    expect(service({})).toEqual({
      kind: 'Service',
      name: 'web',
      namespace: 'shop',
      key: 'shop/web',
      uid: '',
      createdAt: 0,
      labels: {},
      annotations: {},
      deleting: false,
      type: 'ClusterIP',
      loadBalancerClass: undefined,
      externalTrafficPolicy: 'Cluster',
      healthCheckNodePort: undefined,
      ipFamilies: [4],
      ipFamilyPolicy: 'SingleStack',
      ports: [],
      selector: '',
      publishNotReadyAddresses: false,
      loadBalancerIP: undefined,
      ingress: [],
      ingressNamesHost: false,
    });
  });

  it.each<[string, object, Partial<Service>]>([
    ['of a type', { type: 'LoadBalancer' }, { type: 'LoadBalancer' }],
    [
      'of a class',
      { loadBalancerClass: 'heraldbgp.io/herald' },
      { loadBalancerClass: 'heraldbgp.io/herald' },
    ],
    ['with an empty class', { loadBalancerClass: '' }, { loadBalancerClass: undefined }],
    ['with policy Local', { externalTrafficPolicy: 'Local' }, { externalTrafficPolicy: 'Local' }],
    ['with an unknown policy', { externalTrafficPolicy: 'Nearby' }, { externalTrafficPolicy: 'Cluster' }],
    ['with a health check', { healthCheckNodePort: 30123 }, { healthCheckNodePort: 30123 }],
    ['with no health check', { healthCheckNodePort: 0 }, { healthCheckNodePort: undefined }],
    ['of one family', { ipFamilies: ['IPv6'] }, { ipFamilies: [6] }],
    [
      'of two families, second first',
      { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' },
      { ipFamilies: [6, 4], ipFamilyPolicy: 'RequireDualStack' },
    ],
    [
      'whose families show in its addresses',
      { clusterIPs: ['2001:db8::1', '10.0.0.1'] },
      { ipFamilies: [6, 4] },
    ],
    ['headless', { clusterIPs: ['None'] }, { ipFamilies: [4] }],
    ['that prefers dual stack', { ipFamilyPolicy: 'PreferDualStack' }, { ipFamilies: [4, 6] }],
    ['with an unknown family', { ipFamilies: ['IPv5'] }, { ipFamilies: [4] }],
    [
      'with ports',
      {
        ports: [
          { port: 80, targetPort: 8080, nodePort: 30000 },
          { port: 53, protocol: 'UDP' },
        ],
      },
      {
        ports: [
          { protocol: 'TCP', port: 80 },
          { protocol: 'UDP', port: 53 },
        ],
      },
    ],
    ['with a selector', { selector: { tier: 'web', app: 'shop' } }, { selector: 'app=shop,tier=web' }],
    ['without a selector', { selector: {} }, { selector: '' }],
    ['that publishes early', { publishNotReadyAddresses: true }, { publishNotReadyAddresses: true }],
    ['with a requested address', { loadBalancerIP: '198.51.100.1' }, { loadBalancerIP: '198.51.100.1' }],
    ['with an empty request', { loadBalancerIP: '' }, { loadBalancerIP: undefined }],
    [
      'with wrong types',
      { type: 7, ports: 'x', selector: [], ipFamilies: {} },
      { type: 'ClusterIP', ports: [] },
    ],
  ])('%s', (_, spec, expected) => {
    expect(service({ spec })).toMatchObject(expected);
  });

  it('keeps the annotations that mean something to Herald', () => {
    const annotations = {
      'heraldbgp.io/address-pool': 'public',
      'metallb.io/allow-shared-ip': 'a',
      'metallb.universe.tf/loadBalancerIPs': '198.51.100.1',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'example.com/heraldbgp.io/x': 'y',
    };
    expect(Object.keys(service({ metadata: { annotations } }).annotations)).toEqual([
      'heraldbgp.io/address-pool',
      'metallb.io/allow-shared-ip',
      'metallb.universe.tf/loadBalancerIPs',
    ]);
  });

  it('being deleted says so', () => {
    expect(service({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }).deleting).toBe(true);
  });

  it('has the addresses that the API server says it has, in order', () => {
    const parts = ingress(
      { ip: '2001:DB8::1' },
      { hostname: 'lb.example.com' },
      { ip: '198.51.100.1', ports: [] },
    );
    expect(service(parts).ingress).toEqual([address('2001:db8::1'), address('198.51.100.1')]);
  });

  it.each([['::ffff:198.51.100.1'], ['198.51.100.01'], ['lb']])(
    'leaves out the address %j and says so',
    (ip) => {
      const metadata = { name: 'web', namespace: 'shop' };
      expect(projectService({ metadata, ...ingress({ ip }, { ip: '198.51.100.1' }) })).toMatchObject({
        ok: true,
        value: { ingress: [{ text: '198.51.100.1' }] },
        faults: [
          { object: 'Service shop/web', field: 'status.loadBalancer.ingress[0].ip', reason: 'Unreadable' },
        ],
      });
    },
  );

  it('is the same after its conditions were written', () => {
    expect(sameProjected(service(written('a')), service(written('b')))).toBe(true);
  });

  it('has a selector that does not depend on the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (selector) => {
        const reversed = Object.fromEntries(Object.entries(selector).toReversed());
        expect(service({ spec: { selector: reversed } }).selector).toBe(
          service({ spec: { selector } }).selector,
        );
      }),
    );
  });

  it('survives any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        expect(service({ spec, status }).key).toBe('shop/web');
      }),
    );
  });
});
