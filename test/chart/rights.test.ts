/**
 * The rights of the chart's service account, as a table of every verb: a right more or less is seen here first. That each
 * of them is used, and that no other is needed, is shown by the tests on a cluster.
 */
import { describe, expect, it } from 'vitest';
import { REQUIRED_VALUES, helmProgram, objectOf, render, type Json } from '../support/helm.ts';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** "group/resource [names]: verbs", a line each. */
function rightsOf(kind: 'Role' | 'ClusterRole', name: string, values: Json = {}): string[] {
  const role = objectOf(render({ values: { ...REQUIRED_VALUES, ...values } }), kind, name);
  const lines = (role['rules'] as readonly Rule[]).flatMap(
    ({ apiGroups = [''], resourceNames, verbs, ...rule }) =>
      (rule.resources ?? rule.nonResourceURLs ?? []).map((resource) => {
        const names = resourceNames === undefined ? '' : ` [${resourceNames.join(' ')}]`;
        return `${[...apiGroups.filter((group) => group !== ''), resource].join('/')}${names}: ${verbs.join(' ')}`;
      }),
  );
  return lines.sort();
}

const CLUSTER = 'herald-system:herald';

describe.skipIf(helmProgram() === undefined)('the rights of Herald', () => {
  it('in the cluster are these', () => {
    expect(rightsOf('ClusterRole', CLUSTER)).toEqual([
      'authentication.k8s.io/tokenreviews: create',
      'authorization.k8s.io/subjectaccessreviews: create',
      'discovery.k8s.io/endpointslices: list watch',
      'events.k8s.io/events: create patch',
      'heraldbgp.io/bgpadvertisements/status: patch',
      'heraldbgp.io/bgpadvertisements: list watch',
      'heraldbgp.io/bgppeers/status: patch',
      'heraldbgp.io/bgppeers: list watch',
      'heraldbgp.io/ipaddresspools/status: patch',
      'heraldbgp.io/ipaddresspools: list watch',
      'namespaces: list watch',
      'nodes: list watch',
      'services/status: patch',
      'services: list watch',
    ]);
  });

  it('in its namespace are these', () => {
    expect(rightsOf('Role', 'herald')).toEqual([
      'coordination.k8s.io/leases [herald]: list watch update',
      'coordination.k8s.io/leases: create',
      'heraldbgp.io/heraldreplicas/status: patch',
      'heraldbgp.io/heraldreplicas: create list watch',
      'secrets [herald-bgp]: list watch',
    ]);
  });

  it('follow the names in the values', () => {
    const values = {
      secretNames: ['tor-a', 'tor-b'],
      settings: { asn: 64512, election: { leaseName: 'mine' } },
    };
    expect(rightsOf('Role', 'herald', values)).toEqual(
      expect.arrayContaining([
        'coordination.k8s.io/leases [mine]: list watch update',
        'secrets [tor-a tor-b]: list watch',
      ]),
    );
  });

  it('to Secrets are none where none is named: an empty list of names would mean all', () => {
    expect(rightsOf('Role', 'herald', { secretNames: [] }).join()).not.toContain('secrets');
  });

  it('to review tokens are none where there is no login', () => {
    const rights = rightsOf('ClusterRole', CLUSTER, { podListener: { tls: { mode: 'Disabled' } } });
    expect(rights.join()).not.toMatch(/reviews/);
  });

  it('hold no wildcard and nothing that deletes', () => {
    const all = [...rightsOf('ClusterRole', CLUSTER), ...rightsOf('Role', 'herald')].join('\n');
    expect(all).not.toMatch(/\*|delete|impersonate|escalate|bind/);
  });

  it('are bound to the account of the values', () => {
    const rendering = render({ values: { ...REQUIRED_VALUES, serviceAccount: { name: 'mine' } } });
    for (const [kind, name] of [
      ['RoleBinding', 'herald'],
      ['ClusterRoleBinding', CLUSTER],
    ] as const) {
      expect(objectOf(rendering, kind, name)['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'mine', namespace: 'herald-system' },
      ]);
    }
    objectOf(rendering, 'ServiceAccount', 'mine');
  });
});

const READER = `${CLUSTER}:reader`;

const bound = (values: Json) =>
  render({ values: { ...REQUIRED_VALUES, ...values } }).objects.filter(
    ({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === READER,
  );

describe.skipIf(helmProgram() === undefined)('the rights of readers', () => {
  it('are to get metrics and the API', () => {
    expect(rightsOf('ClusterRole', READER)).toEqual([
      '/heraldbgp.io/api/v1/*: get',
      '/heraldbgp.io/api/v1: get',
      '/metrics: get',
    ]);
  });

  it('are bound to those in the values, by default to nobody', () => {
    const readers = [{ namespace: 'monitoring', name: 'prometheus' }];
    expect(bound({})).toEqual([]);
    expect(bound({ metrics: { readers } })).toMatchObject([
      { subjects: [{ kind: 'ServiceAccount', ...readers[0] }] },
    ]);
  });
});
