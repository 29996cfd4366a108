// Which objects are read, and as what: apiVersion and kind decide, exactly as they are written.

import { describe, expect, it } from 'vitest';
import { API_VERSION, projectObject } from '../src/index.ts';

const meta = { name: 'a', namespace: 'b' };
const outcome = (object: unknown): string => {
  const result = projectObject(object, 'manifest');
  if (result === undefined) {
    return 'not read';
  }
  return result.ok ? `read as ${result.value.kind}` : 'refused';
};

const SPECS: Readonly<Record<string, object>> = {
  BGPPeer: { peerAddress: '192.0.2.1', peerASN: 64512 },
  IPAddressPool: { addresses: ['192.0.2.0/24'] },
  BGPAdvertisement: {},
};

describe('an object', () => {
  it.each([
    ['v1', 'Node', 'read as Node'],
    ['v1', 'Service', 'read as Service'],
    ['v1', 'Namespace', 'read as Namespace'],
    ['v1', 'Secret', 'read as Secret'],
    ['discovery.k8s.io/v1', 'EndpointSlice', 'read as EndpointSlice'],
    [API_VERSION, 'BGPPeer', 'read as BGPPeer'],
    [API_VERSION, 'IPAddressPool', 'read as IPAddressPool'],
    [API_VERSION, 'BGPAdvertisement', 'read as BGPAdvertisement'],
    [API_VERSION, 'HeraldReplica', 'not read'],
    ['v1', 'node', 'not read'],
    ['v1', 'Nodes', 'not read'],
    ['v1', 'NodeList', 'not read'],
    ['V1', 'Node', 'not read'],
    ['core/v1', 'Node', 'not read'],
    ['v2', 'Node', 'not read'],
    ['v1', 'EndpointSlice', 'not read'],
    ['v1', 'Endpoints', 'not read'],
    ['discovery.k8s.io/v1beta1', 'EndpointSlice', 'not read'],
    ['discovery.k8s.io/v1', 'Service', 'not read'],
    ['v1', 'BGPPeer', 'not read'],
    ['metallb.io/v1beta2', 'BGPPeer', 'not read'],
    ['metallb.io/v1beta1', 'IPAddressPool', 'not read'],
    ['heraldbgp.io.example.com/v1alpha1', 'BGPPeer', 'not read'],
    ['apps/v1', 'Deployment', 'not read'],
    ['', 'Node', 'not read'],
    ['v1', '', 'not read'],
    [API_VERSION, 'bgppeer', 'refused'],
    [API_VERSION, 'BGPPeers', 'refused'],
    [API_VERSION, 'BGPPeerList', 'refused'],
    [API_VERSION, 'Node', 'refused'],
    [API_VERSION, '', 'refused'],
    ['heraldbgp.io/v1', 'BGPPeer', 'refused'],
    ['heraldbgp.io/v1alpha2', 'IPAddressPool', 'refused'],
    ['heraldbgp.io/v1', 'HeraldReplica', 'refused'],
    ['heraldbgp.io', 'BGPPeer', 'refused'],
  ])('of %s %s is %s', (apiVersion, kind, expected) => {
    const spec = SPECS[kind] ?? {};
    const metadata = expected.startsWith('read as') && kind.startsWith('BGP') ? { name: 'a' } : meta;
    expect(outcome({ apiVersion, kind, metadata, spec })).toBe(expected);
  });

  it.each([
    undefined,
    null,
    0,
    '',
    'v1/Node',
    true,
    [],
    [{ apiVersion: 'v1', kind: 'Node' }],
    {},
    { kind: 'Node' },
  ])('that is %j is not read', (object) => {
    expect(outcome(object)).toBe('not read');
  });

  it.each([7, null, ['v1'], { group: '' }])('with apiVersion %j is not read', (apiVersion) => {
    expect(outcome({ apiVersion, kind: 'Node', metadata: meta })).toBe('not read');
  });

  it.each([7, null, ['Node']])('of our group with kind %j is refused', (kind) => {
    expect(projectObject({ apiVersion: API_VERSION, kind, metadata: meta }, 'api')?.faults).toMatchObject([
      { object: 'Object b/a', field: 'kind', reason: 'Invalid' },
    ]);
  });
});
