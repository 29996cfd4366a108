// A Service with something malformed at each of its places: what cannot be read is absent or has the
// default of the API server, the rest stays.

import { address } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { projectService, type Service } from '../src/index.ts';
import {
  NO_FLAG,
  NO_LIST,
  NO_MAPPING,
  NO_TEXT,
  NO_WHOLE_NUMBER,
  casesOf,
  withValue,
  type Shape,
} from './cases/shape.ts';

const POOL = 'heraldbgp.io/address-pool';
const SHARED = 'metallb.io/allow-shared-ip';

const WHOLE = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u-1',
    creationTimestamp: '2026-03-01T10:00:00Z',
    labels: { app: 'web' },
    annotations: { [POOL]: 'public', [SHARED]: 'k', 'example.com/x': 'y' },
  },
  spec: {
    type: 'LoadBalancer',
    loadBalancerClass: 'heraldbgp.io/herald',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 31000,
    ipFamilies: ['IPv6', 'IPv4'],
    ipFamilyPolicy: 'RequireDualStack',
    clusterIPs: ['2001:db8::a', '10.0.0.10'],
    ports: [
      { protocol: 'TCP', port: 80 },
      { protocol: 'UDP', port: 53 },
    ],
    selector: { app: 'web', tier: 'front' },
    publishNotReadyAddresses: true,
    loadBalancerIP: '198.51.100.1',
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }, { ip: '2001:db8::1' }] } },
};

const PROJECTED: Service = {
  kind: 'Service',
  name: 'web',
  namespace: 'shop',
  key: 'shop/web',
  uid: 'u-1',
  createdAt: Date.UTC(2026, 2, 1, 10),
  labels: { app: 'web' },
  annotations: { [POOL]: 'public', [SHARED]: 'k' },
  deleting: false,
  type: 'LoadBalancer',
  loadBalancerClass: 'heraldbgp.io/herald',
  externalTrafficPolicy: 'Local',
  healthCheckNodePort: 31000,
  ipFamilies: [6, 4],
  ipFamilyPolicy: 'RequireDualStack',
  ports: [
    { protocol: 'TCP', port: 80 },
    { protocol: 'UDP', port: 53 },
  ],
  selector: 'app=web,tier=front',
  publishNotReadyAddresses: true,
  loadBalancerIP: '198.51.100.1',
  ingress: [address('198.51.100.1'), address('2001:db8::1')],
  ingressNamesHost: false,
};

const [HTTP, DNS] = PROJECTED.ports;
const [FIRST, SECOND] = PROJECTED.ingress;

const METADATA: readonly Shape<Service>[] = [
  { place: 'metadata namespace', values: [...NO_TEXT, ''], differs: { namespace: '', key: 'web' } },
  { place: 'metadata uid', values: NO_TEXT, differs: { uid: '' } },
  { place: 'metadata creationTimestamp', values: [...NO_TEXT, 'x'], differs: { createdAt: 0 } },
  { place: 'metadata labels', values: NO_MAPPING, differs: { labels: {} } },
  { place: 'metadata labels app', values: NO_TEXT, differs: { labels: {} } },
  { place: 'metadata annotations', values: NO_MAPPING, differs: { annotations: {} } },
  { place: `metadata annotations ${POOL}`, values: NO_TEXT, differs: { annotations: { [SHARED]: 'k' } } },
  {
    place: `metadata annotations ${POOL}`,
    values: [''],
    differs: { annotations: { [POOL]: '', [SHARED]: 'k' } },
  },
  { place: 'metadata deletionTimestamp', values: [null], differs: {} },
  { place: 'metadata deletionTimestamp', values: ['2026-03-02T10:00:00Z', ''], differs: { deleting: true } },
];

const SPEC: readonly Shape<Service>[] = [
  {
    place: 'spec',
    values: NO_MAPPING,
    differs: {
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
    },
  },
  { place: 'spec type', values: NO_TEXT, differs: { type: 'ClusterIP' } },
  { place: 'spec type', values: ['ExternalName'], differs: { type: 'ExternalName' } },
  { place: 'spec loadBalancerClass', values: [...NO_TEXT, ''], differs: { loadBalancerClass: undefined } },
  {
    place: 'spec externalTrafficPolicy',
    values: [...NO_TEXT, '', 'local', 'Global'],
    differs: { externalTrafficPolicy: 'Cluster' },
  },
  {
    place: 'spec healthCheckNodePort',
    values: [...NO_WHOLE_NUMBER, 0],
    differs: { healthCheckNodePort: undefined },
  },
  { place: 'spec ipFamilies', values: [...NO_LIST, []], differs: {} },
  { place: 'spec ipFamilies', values: [[7, null, 'ipv4']], differs: {} },
  { place: 'spec ipFamilies 0', values: [null, 7, 'IPv5', '', {}], differs: { ipFamilies: [4] } },
  { place: 'spec ipFamilies 1', values: [null, 6, 'ipv4', []], differs: { ipFamilies: [6] } },
  {
    place: 'spec ipFamilyPolicy',
    values: [...NO_TEXT, 'DualStack', ''],
    differs: { ipFamilyPolicy: 'SingleStack' },
  },
  {
    place: 'spec ipFamilyPolicy',
    values: ['PreferDualStack'],
    differs: { ipFamilyPolicy: 'PreferDualStack' },
  },
  { place: 'spec clusterIPs', values: [...NO_LIST, [], ['None'], [7]], differs: {} },
  { place: 'spec ports', values: [...NO_LIST, []], differs: { ports: [] } },
  {
    place: 'spec ports 0',
    values: [null, 7, 'http', []],
    differs: { ports: [{ protocol: 'TCP', port: 0 }, DNS!] },
  },
  {
    place: 'spec ports 0 port',
    values: NO_WHOLE_NUMBER,
    differs: { ports: [{ protocol: 'TCP', port: 0 }, DNS!] },
  },
  {
    place: 'spec ports 1 protocol',
    values: NO_TEXT,
    differs: { ports: [HTTP!, { protocol: 'TCP', port: 53 }] },
  },
  {
    place: 'spec ports 1 protocol',
    values: ['SCTP'],
    differs: { ports: [HTTP!, { protocol: 'SCTP', port: 53 }] },
  },
  { place: 'spec selector', values: [...NO_MAPPING, {}], differs: { selector: '' } },
  { place: 'spec selector app', values: NO_TEXT, differs: { selector: 'tier=front' } },
  { place: 'spec selector app', values: [''], differs: { selector: 'app=,tier=front' } },
  { place: 'spec publishNotReadyAddresses', values: NO_FLAG, differs: { publishNotReadyAddresses: false } },
  { place: 'spec loadBalancerIP', values: [...NO_TEXT, ''], differs: { loadBalancerIP: undefined } },
  { place: 'spec loadBalancerIP', values: ['no address'], differs: { loadBalancerIP: 'no address' } },
];

const STATUS: readonly Shape<Service>[] = [
  { place: 'status', values: NO_MAPPING, differs: { ingress: [] } },
  { place: 'status loadBalancer', values: NO_MAPPING, differs: { ingress: [] } },
  { place: 'status loadBalancer ingress', values: [...NO_LIST, []], differs: { ingress: [] } },
  {
    place: 'status loadBalancer ingress 0',
    values: [null, 7, '198.51.100.1', []],
    differs: { ingress: [SECOND!] },
  },
  {
    place: 'status loadBalancer ingress 0',
    values: [{ hostname: 'x' }, { ip: '', hostname: 'x' }],
    differs: { ingress: [SECOND!], ingressNamesHost: true },
  },
  {
    place: 'status loadBalancer ingress 0',
    values: [{}, { hostname: '' }, { hostname: 7 }],
    differs: { ingress: [SECOND!] },
  },
  {
    place: 'status loadBalancer ingress 0',
    values: [{ ip: '198.51.100.1', hostname: 'x' }],
    differs: {},
  },
  { place: 'status loadBalancer ingress 0 ip', values: [...NO_TEXT, ''], differs: { ingress: [SECOND!] } },
  {
    place: 'status loadBalancer ingress 1 ip',
    values: ['x', '2001:db8::1%eth0', '2001:db8::1/128', '::ffff:192.0.2.1', '[2001:db8::1]'],
    differs: { ingress: [FIRST!] },
    faults: ['status.loadBalancer.ingress[1].ip'],
  },
];

describe('a Service', () => {
  it('that is whole has everything', () => {
    expect(projectService(WHOLE)).toEqual({ ok: true, value: PROJECTED, faults: [] });
  });

  it.each(casesOf([...METADATA, ...SPEC, ...STATUS]))(
    'with $written at $place',
    ({ place, value, differs, faults = [] }) => {
      const result = projectService(withValue(WHOLE, place, value));
      expect(result).toMatchObject({ ok: true });
      expect(result.ok && result.value).toEqual({ ...PROJECTED, ...differs });
      expect(result.faults.map(({ field }) => field)).toEqual(faults);
    },
  );

  it.each([...NO_TEXT, ''])('with %j for a name is nobody', (name) => {
    expect(projectService(withValue(WHOLE, 'metadata name', name)).faults).toMatchObject([
      { object: 'Service without a name', field: 'metadata.name', reason: 'Invalid' },
    ]);
  });

  it.each(['SingleStack', 'PreferDualStack', 'RequireDualStack'])(
    'of policy %s takes families from what it says before what it has, and that before the policy',
    (ipFamilyPolicy) => {
      const spec = { ipFamilyPolicy, ipFamilies: ['IPv6'], clusterIPs: ['10.0.0.10'] };
      const families = (change: object): unknown => {
        const result = projectService({ ...WHOLE, spec: { ...spec, ...change } });
        return result.ok && result.value.ipFamilies;
      };
      expect(families({})).toEqual([6]);
      expect(families({ ipFamilies: undefined })).toEqual([4]);
      expect(families({ ipFamilies: undefined, clusterIPs: undefined })).toEqual(
        ipFamilyPolicy === 'SingleStack' ? [4] : [4, 6],
      );
    },
  );

  it.each([
    ['heraldbgp.io/x', true],
    ['metallb.io/x', true],
    ['metallb.universe.tf/x', true],
    ['heraldbgp.io', false],
    ['xheraldbgp.io/x', false],
    ['sub.heraldbgp.io/x', false],
    ['metallb.iox/x', false],
    ['HeraldBGP.io/x', false],
    ['kubectl.kubernetes.io/last-applied-configuration', false],
  ])('keeps annotation %s: %s', (key, kept) => {
    const result = projectService(withValue(WHOLE, 'metadata annotations', { [key]: 'v' }));
    expect(result.ok && result.value.annotations).toEqual(kept ? { [key]: 'v' } : {});
  });
});
