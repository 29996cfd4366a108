/** Where replicas run, how many, and how they are replaced: one row a profile. */
import { describe, expect, it } from 'vitest';
import { REQUIRED_VALUES, helmProgram, objectOf, render, type Json } from '../support/helm.ts';

interface Placed {
  readonly replicas: number;
  readonly strategy: Json;
  readonly template: { readonly spec: { readonly affinity: Json; readonly tolerations: readonly Json[] } };
}

const deployment = (values: Json): Placed =>
  objectOf(render({ values: { ...REQUIRED_VALUES, ...values } }), 'Deployment')['spec'] as Placed;

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';
const DEDICATED = 'heraldbgp.io/dedicated';

describe.skipIf(helmProgram() === undefined).each([
  { profile: 'ControlPlane', replicas: 2, label: CONTROL_PLANE, tolerated: CONTROL_PLANE, budgets: 1 },
  { profile: 'OneNode', replicas: 1, label: undefined, tolerated: CONTROL_PLANE, budgets: 0 },
  { profile: 'DedicatedWorkers', replicas: 2, label: DEDICATED, tolerated: DEDICATED, budgets: 1 },
])('profile $profile', ({ profile, replicas, label, tolerated, budgets }) => {
  const values = { placement: { profile } };

  it('has its number of replicas, replaced one at a time in their own place', () => {
    expect(deployment(values)).toMatchObject({
      replicas,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
  });

  it('never puts two replicas on one node', () => {
    const { affinity } = deployment(values).template.spec;
    expect(affinity['podAntiAffinity']).toMatchObject({
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'herald' } },
        },
      ],
    });
  });

  it('asks for its nodes and tolerates their taint', () => {
    const { affinity, tolerations } = deployment(values).template.spec;
    const wanted = [{ matchExpressions: [{ key: label, operator: 'Exists' }] }];
    expect(affinity['nodeAffinity']).toEqual(
      label === undefined
        ? undefined
        : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: wanted } },
    );
    expect(tolerations.map(({ key }) => key)).toEqual([tolerated]);
  });

  it('has a budget for disruptions unless there is one replica', () => {
    const { objects } = render({ values: { ...REQUIRED_VALUES, ...values } });
    const found = objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(found).toHaveLength(budgets);
    for (const { spec } of found as unknown as { readonly spec: Json }[]) {
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    }
  });

  it('runs its hooks where its taint is, too', () => {
    const { objects } = render({ values: { ...REQUIRED_VALUES, ...values } });
    for (const kind of ['Job', 'Pod']) {
      const hook = objects.find((object) => object.kind === kind);
      expect(JSON.stringify(hook)).toContain(`"key":"${tolerated}"`);
    }
  });
});

const checksum = (settings: Json): unknown => {
  const spec = deployment({ settings }) as unknown as { template: { metadata: { annotations: Json } } };
  return spec.template.metadata.annotations['heraldbgp.io/settings-checksum'];
};

describe.skipIf(helmProgram() === undefined)('more of the placement', () => {
  it('adds tolerations and conditions on the node', () => {
    const toleration = { key: 'example.org/edge', operator: 'Exists' };
    const { template } = deployment({
      placement: { profile: 'ControlPlane', nodeSelector: { rack: 'a' }, tolerations: [toleration] },
    });
    expect(template.spec).toMatchObject({ nodeSelector: { rack: 'a' } });
    expect(template.spec.tolerations).toContainEqual(toleration);
    expect(template.spec.tolerations).toHaveLength(2);
  });

  it.each([
    [{}, 'system-cluster-critical'],
    [{ priorityClassName: 'mine' }, 'mine'],
    [{ priorityClassName: '' }, undefined],
  ])('of %j takes the priority class %s', (values, expected) => {
    expect((deployment(values).template.spec as Json)['priorityClassName']).toBe(expected);
  });

  it('rolls the replicas when a setting changed, and only then', () => {
    expect(checksum({ asn: 64512 })).toBe(checksum({ asn: 64512 }));
    expect(checksum({ asn: 64512 })).not.toBe(checksum({ asn: 64513 }));
  });
});
