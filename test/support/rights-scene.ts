// Objects with which Herald makes use of all its rights: a peer with a password in the one Secret that may be read, a
// pool, a Service that is announced and one that comes and goes.

import { ROUTER_ASN, WEB_IMAGE, WEB_PORT } from '@herald/lab';

import { NAMESPACE } from './cluster-herald.ts';

export const PASSWORD = 'a-password-of-this-test';
/** Of the Service `web`. */
export const ADDRESS = '203.0.113.0';

export function rightsScene(router: string): object[] {
  const passwordSecret = { name: 'herald-bgp', key: 'frr' };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: passwordSecret.name, namespace: NAMESPACE },
    stringData: { [passwordSecret.key]: PASSWORD },
  };
  const peer = { peerAddress: router, peerASN: ROUTER_ASN, passwordSecret, connectTime: '1s' };
  return [
    secret,
    ours('BGPPeer', 'frr', peer),
    ours('IPAddressPool', 'public', { addresses: ['203.0.113.0/30'] }),
    deployment(),
    service('web', { 'heraldbgp.io/load-balancer-ips': ADDRESS }),
    service('second', {}),
  ];
}

function ours(kind: string, name: string, spec: object): object {
  return { apiVersion: 'heraldbgp.io/v1alpha1', kind, metadata: { name }, spec };
}

function service(name: string, annotations: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations },
    spec: {
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: [{ port: 80, targetPort: WEB_PORT }],
    },
  };
}

function deployment(): object {
  const labels = { app: 'web' };
  const container = { name: 'web', image: WEB_IMAGE, imagePullPolicy: 'Never' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
