// EndpointSlice, Namespace and Secret with something malformed at each of their places.

import { describe, expect, it } from 'vitest';
import {
  projectEndpointSlice,
  projectNamespace,
  projectSecret,
  type EndpointSlice,
  type Namespace,
} from '../src/index.ts';
import { NO_FLAG, NO_LIST, NO_MAPPING, NO_TEXT, casesOf, withValue, type Shape } from './cases/shape.ts';

const SERVICE = 'kubernetes.io/service-name';

const SLICE = {
  metadata: { name: 'web-1', namespace: 'shop', uid: 'u-1', labels: { [SERVICE]: 'web' } },
  addressType: 'IPv4',
  endpoints: [
    {
      addresses: ['10.0.0.1', '10.0.0.9'],
      nodeName: 'w1',
      conditions: { ready: false, serving: true, terminating: true },
    },
    { addresses: ['10.0.0.2'], nodeName: 'w2', conditions: { ready: true } },
  ],
};

const PROJECTED: EndpointSlice = {
  kind: 'EndpointSlice',
  name: 'web-1',
  namespace: 'shop',
  key: 'shop/web-1',
  uid: 'u-1',
  createdAt: 0,
  labels: { [SERVICE]: 'web' },
  serviceKey: 'shop/web',
  family: 4,
  endpoints: [
    { address: '10.0.0.1', nodeName: 'w1', ready: false, serving: true, terminating: true },
    { address: '10.0.0.2', nodeName: 'w2', ready: true, serving: true, terminating: false },
  ],
};

const [LEAVING, READY] = PROJECTED.endpoints;
const leaving = (change: object): Partial<EndpointSlice> => ({
  endpoints: [{ ...LEAVING!, ...change }, READY!],
});
const readyOne = (change: object): Partial<EndpointSlice> => ({
  endpoints: [LEAVING!, { ...READY!, ...change }],
});
const FIRST_ADDRESS = 'endpoints[0].addresses[0]';

const SLICES: readonly Shape<EndpointSlice>[] = [
  {
    place: 'metadata namespace',
    values: [...NO_TEXT, ''],
    differs: { namespace: '', key: 'web-1', serviceKey: '/web' },
  },
  { place: 'metadata labels', values: NO_MAPPING, differs: { labels: {}, serviceKey: '' } },
  { place: `metadata labels ${SERVICE}`, values: NO_TEXT, differs: { labels: {}, serviceKey: '' } },
  {
    place: `metadata labels ${SERVICE}`,
    values: ['other'],
    differs: { labels: { [SERVICE]: 'other' }, serviceKey: 'shop/other' },
  },
  {
    place: 'addressType',
    values: [...NO_TEXT, '', 'ipv4', 'FQDN', 'IPv44'],
    differs: { family: undefined, endpoints: [] },
  },
  { place: 'endpoints', values: [...NO_LIST, []], differs: { endpoints: [] } },
  {
    place: 'endpoints 0',
    values: [null, 7, '10.0.0.1', [], {}],
    differs: { endpoints: [READY!] },
    faults: [FIRST_ADDRESS],
  },
  {
    place: 'endpoints 0 addresses',
    values: [...NO_LIST, []],
    differs: { endpoints: [READY!] },
    faults: [FIRST_ADDRESS],
  },
  {
    place: 'endpoints 0 addresses 0',
    values: [null, 7, true, [], {}, '', '2001:db8::1'],
    differs: { endpoints: [READY!] },
    faults: [FIRST_ADDRESS],
  },
  {
    place: 'endpoints 0 addresses 0',
    values: ['010.0.0.1'],
    differs: leaving({ address: '010.0.0.1' }),
  },
  { place: 'endpoints 0 addresses 1', values: [null, 7, '', 'x', '2001:db8::1'], differs: {} },
  { place: 'endpoints 0 nodeName', values: [...NO_TEXT, ''], differs: leaving({ nodeName: undefined }) },
  {
    place: 'endpoints 0 conditions',
    values: NO_MAPPING,
    differs: leaving({ ready: true, serving: true, terminating: false }),
  },
  { place: 'endpoints 0 conditions ready', values: NO_FLAG, differs: leaving({ ready: true }) },
  { place: 'endpoints 0 conditions serving', values: [false], differs: leaving({ serving: false }) },
  { place: 'endpoints 0 conditions terminating', values: NO_FLAG, differs: leaving({ terminating: false }) },
  { place: 'endpoints 1 conditions ready', values: NO_FLAG, differs: {} },
  {
    place: 'endpoints 1 conditions ready',
    values: [false],
    differs: readyOne({ ready: false }),
  },
  { place: 'endpoints 1 conditions serving', values: [false], differs: readyOne({ serving: false }) },
];

describe('an EndpointSlice', () => {
  it('that is whole has everything', () => {
    expect(projectEndpointSlice(SLICE)).toEqual({ ok: true, value: PROJECTED, faults: [] });
  });

  it.each(casesOf(SLICES))('with $written at $place', ({ place, value, differs, faults = [] }) => {
    const result = projectEndpointSlice(withValue(SLICE, place, value));
    expect(result.ok && result.value).toEqual({ ...PROJECTED, ...differs });
    expect(result.faults.map(({ field }) => field)).toEqual(faults);
  });

  it.each([...NO_MAPPING])('with metadata %j is nobody', (metadata) => {
    expect(projectEndpointSlice(withValue(SLICE, 'metadata', metadata)).ok).toBe(false);
  });

  it('says each endpoint that it leaves out', () => {
    const endpoints = [{}, ...SLICE.endpoints, { addresses: ['2001:db8::1'] }];
    const result = projectEndpointSlice({ ...SLICE, endpoints });
    expect(result.ok && result.value.endpoints).toEqual(PROJECTED.endpoints);
    expect(result.faults.map(({ message }) => message)).toEqual([
      'EndpointSlice shop/web-1: endpoints[0].addresses[0] is not an IPv4 address.',
      'EndpointSlice shop/web-1: endpoints[3].addresses[0] is not an IPv4 address.',
    ]);
  });
});

const NAMESPACE = {
  metadata: {
    name: 'shop',
    uid: 'u-1',
    creationTimestamp: '2026-03-01T10:00:00Z',
    labels: { team: 'a', tier: 'b' },
  },
};
const PROJECTED_NAMESPACE: Namespace = {
  kind: 'Namespace',
  name: 'shop',
  uid: 'u-1',
  createdAt: Date.UTC(2026, 2, 1, 10),
  labels: { team: 'a', tier: 'b' },
};

const NAMESPACES: readonly Shape<Namespace>[] = [
  { place: 'metadata uid', values: NO_TEXT, differs: { uid: '' } },
  { place: 'metadata creationTimestamp', values: [...NO_TEXT, 'x'], differs: { createdAt: 0 } },
  { place: 'metadata labels', values: NO_MAPPING, differs: { labels: {} } },
  { place: 'metadata labels team', values: NO_TEXT, differs: { labels: { tier: 'b' } } },
  { place: 'metadata namespace', values: ['odd', 7], differs: {} },
  { place: 'spec', values: [null, 7, {}, []], differs: {} },
];

describe('a Namespace', () => {
  it.each(casesOf(NAMESPACES))('with $written at $place', ({ place, value, differs }) => {
    expect(projectNamespace(withValue(NAMESPACE, place, value))).toEqual({
      ok: true,
      value: { ...PROJECTED_NAMESPACE, ...differs },
      faults: [],
    });
  });

  it.each([undefined, null, 7, 'shop', [], {}, { metadata: null }, { metadata: { name: '' } }])(
    'that is %j is nobody',
    (object) => {
      expect(projectNamespace(object)).toMatchObject({ ok: false, faults: [{ field: 'metadata.name' }] });
    },
  );
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const SECRET = {
  metadata: { name: 'herald-bgp', namespace: 'herald' },
  type: 'Opaque',
  data: { tor: base64('one'), leaf: base64('two') },
};

interface SecretParts {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}
const SECRETS: readonly Shape<SecretParts>[] = [
  { place: 'type', values: NO_TEXT, differs: {} },
  { place: 'type', values: ['kubernetes.io/basic-auth'], differs: { type: 'kubernetes.io/basic-auth' } },
  { place: 'data', values: NO_MAPPING, differs: { data: {} } },
  {
    place: 'data tor',
    values: [null, 7, true, [], {}, 'not base64!', 'YQ=', '/w==', 'gICA'],
    differs: { data: { leaf: 'two' } },
    faults: ['data["tor"]'],
  },
  { place: 'data tor', values: [''], differs: { data: { tor: '', leaf: 'two' } } },
  { place: 'data tor', values: [base64('a\n')], differs: { data: { tor: 'a\n', leaf: 'two' } } },
  { place: 'data tor', values: [base64('\u{feff}x')], differs: { data: { tor: '\u{feff}x', leaf: 'two' } } },
  { place: 'stringData', values: NO_MAPPING, differs: {} },
  { place: 'stringData', values: [{ tor: 7 }, { tor: null }, {}], differs: {} },
  { place: 'stringData', values: [{ tor: 'new' }], differs: { data: { tor: 'new', leaf: 'two' } } },
  {
    place: 'stringData',
    values: [{ more: 'x' }],
    differs: { data: { tor: 'one', leaf: 'two', more: 'x' } },
  },
];

describe('a Secret', () => {
  it.each(casesOf(SECRETS))('with $written at $place', ({ place, value, differs, faults = [] }) => {
    const result = projectSecret(withValue(SECRET, place, value));
    const secret = result.ok ? result.value : expect.fail('the Secret is refused');
    expect({ type: secret.type, data: Object.fromEntries(Object.entries(secret.data)) }).toEqual({
      type: 'Opaque',
      data: { tor: 'one', leaf: 'two' },
      ...differs,
    });
    expect(result.faults.map(({ field, reason }) => [field, reason])).toEqual(
      faults.map((field) => [field, 'SecretInvalid']),
    );
  });

  it.each([undefined, null, 7, 'x', [], { data: { tor: base64('one') } }])(
    'that is %j is nobody, and says nothing of its values',
    (object) => {
      const result = projectSecret(object);
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain('one');
    },
  );
});
