// Objects with which Herald makes use of all its rights: a peer with a password in the one Secret that may be read, a
// pool, a Service that is announced and one, `second`, that comes and goes; and what Herald wrote about them.

import { ROUTER_ASN, WEB_IMAGE, WEB_PORT, notYet, waitFor, type Cluster } from '@herald/lab';

import { NAMESPACE, list } from './cluster-herald.ts';

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

type SecondType = 'ClusterIP' | 'LoadBalancer';

export async function setSecond(cluster: Cluster, type: SecondType): Promise<void> {
  await cluster.kubectl(['patch', 'service', 'second', '-p', JSON.stringify({ spec: { type } })]);
}

/** A LoadBalancer has an address and its condition, any other neither. */
export async function secondIs(cluster: Cluster, type: SecondType): Promise<void> {
  await waitFor(`second is a ${type}`, async () => {
    const status = '{.status.loadBalancer.ingress[*].ip} {.status.conditions[*].type}';
    const said = (await ofSecond(cluster, status)).trim();
    const holds = type === 'LoadBalancer' ? /^\d\S* \S/.test(said) : said === '';
    return holds || notYet(said);
  });
}

/** Its address is taken and one is given; there is an Event to tell of each. */
export async function secondReaddressed(cluster: Cluster): Promise<void> {
  for (const type of ['ClusterIP', 'LoadBalancer'] as const) {
    await setSecond(cluster, type);
    await secondIs(cluster, type);
  }
}

/** Reasons of the Events about the object that is there now. */
export async function eventsOfSecond(cluster: Cluster): Promise<readonly string[]> {
  const field = `involvedObject.uid=${await ofSecond(cluster, '{.metadata.uid}')}`;
  const events = await list<{ reason: string }>(cluster, 'events', '--field-selector', field);
  return events.map(({ reason }) => reason);
}

/** As the pool's status counts them. */
export function assignedAddresses(cluster: Cluster): Promise<string> {
  return cluster.kubectl(['get', 'ipaddresspool', 'public', '-o', 'jsonpath={.status.assignedIPv4}']);
}

function ofSecond(cluster: Cluster, path: string): Promise<string> {
  return cluster.kubectl(['get', 'service', 'second', '-o', `jsonpath=${path}`]);
}
