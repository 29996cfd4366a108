/** The other objects of the chart: kinds that stay, the first advertisement, the network, the certificate, options. */
import { RESOURCE_KINDS, customResourceDefinition } from '@herald/api';
import { describe, expect, it } from 'vitest';
import {
  REQUIRED_VALUES,
  helmProgram,
  objectOf,
  render,
  type Json,
  type Rendering,
} from '../support/helm.ts';

const rendered = (values: Json = {}): Rendering => render({ values: { ...REQUIRED_VALUES, ...values } });
const kinds = ({ objects }: Rendering): string[] => objects.map(({ kind }) => kind);

const REPLICAS = {
  podSelector: {
    matchLabels: { 'app.kubernetes.io/name': 'herald', 'app.kubernetes.io/instance': 'herald' },
  },
};

const policy = (values: Json = {}): Json => objectOf(rendered(values), 'NetworkPolicy')['spec'] as Json;

describe.skipIf(helmProgram() === undefined)('the kinds', () => {
  it.each(RESOURCE_KINDS)('$kind is what the package api says, and outlives the release', (kind) => {
    const expected = customResourceDefinition(kind);
    const { metadata, ...definition } = objectOf(
      rendered(),
      'CustomResourceDefinition',
      expected.metadata.name,
    );
    expect(definition).toEqual({
      apiVersion: expected.apiVersion,
      kind: expected.kind,
      spec: expected.spec,
    });
    expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  it('can be left to somebody else', () => {
    expect(kinds(rendered({ crds: { enabled: false } }))).not.toContain('CustomResourceDefinition');
  });
});

describe.skipIf(helmProgram() === undefined)('the first advertisement', () => {
  const HOOK = 'post-install';

  it('is all pools to all peers, made by a Job of the install', () => {
    const job = objectOf(rendered(), 'Job', 'herald-first-advertisement');
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': HOOK, 'helm.sh/hook-weight': '1' });
    expect(JSON.stringify(job)).toContain(
      JSON.stringify(
        '{"apiVersion":"heraldbgp.io/v1alpha1","kind":"BGPAdvertisement","metadata":{"name":"default"},"spec":{}}',
      ),
    );
  });

  it('is no object of the release, which upgrades or deletes would touch', () => {
    expect(kinds(rendered())).not.toContain('BGPAdvertisement');
  });

  it('needs a right that comes before it and goes with the Job', () => {
    const role = objectOf(rendered(), 'ClusterRole', 'herald-system:herald:first-advertisement');
    expect(role['rules']).toEqual([
      { apiGroups: ['heraldbgp.io'], resources: ['bgpadvertisements'], verbs: ['create'] },
    ]);
    expect(role.metadata.annotations).toEqual({
      'helm.sh/hook': HOOK,
      'helm.sh/hook-weight': '0',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
  });

  it('can be left out, with all that makes it', () => {
    const { text } = rendered({ defaultAdvertisement: { enabled: false } });
    expect(text).not.toContain('first-advertisement');
  });
});

describe.skipIf(helmProgram() === undefined)('the network policy', () => {
  it('lets in who asks the pod listener, and nobody to BGP', () => {
    expect(policy()).toMatchObject({
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 8443, protocol: 'TCP' }] }],
    });
    expect(policy()).not.toHaveProperty('egress');
  });

  it('is narrowed by the values, but not between replicas', () => {
    const from = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }];
    const egress = [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }];
    expect(policy({ networkPolicy: { from, egress } })).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [REPLICAS, ...from] }],
      egress: [{ to: [REPLICAS], ports: [{ port: 8443, protocol: 'TCP' }] }, ...egress],
    });
  });

  it('can be left out', () => {
    expect(kinds(rendered({ networkPolicy: { enabled: false } }))).not.toContain('NetworkPolicy');
  });
});

describe.skipIf(helmProgram() === undefined)('the certificate', () => {
  it('is made for the name of the Service', () => {
    const secret = objectOf(rendered(), 'Secret', 'herald-tls');
    expect(secret).toMatchObject({ type: 'kubernetes.io/tls' });
    const { 'tls.crt': certificate = '' } = secret['data'] as Readonly<Record<string, string>>;
    expect(Buffer.from(certificate, 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
  });

  it('of somebody else is not made', () => {
    const tls = { mode: 'ExistingSecret', secretName: 'mine' };
    const rendering = rendered({ podListener: { tls }, exchange: { secretName: 'ours' } });
    expect(kinds(rendering)).not.toContain('Secret');
    expect(JSON.stringify(objectOf(rendering, 'Deployment'))).toContain('"secretName":"mine"');
  });
});

const keyOf = (): string => {
  const { data } = objectOf(rendered(), 'Secret', 'herald-exchange') as unknown as {
    readonly data: { readonly key: string };
  };
  return Buffer.from(data.key, 'base64').toString();
};

describe.skipIf(helmProgram() === undefined)('the key of the replicas', () => {
  it('is long', () => {
    expect(keyOf()).toMatch(/^[A-Za-z0-9]{64}$/);
  });

  it('is mounted for the group of the pod alone', () => {
    const text = JSON.stringify(objectOf(rendered(), 'Deployment'));
    // The API server reads the mode as an octal number.
    expect(text).toContain('"secretName":"herald-exchange","defaultMode":440,"optional":true');
  });
});

describe.skipIf(helmProgram() === undefined)('options', () => {
  it('are off by default', () => {
    expect(kinds(rendered())).not.toEqual(expect.arrayContaining(['FlowSchema']));
    expect(kinds(rendered())).not.toEqual(expect.arrayContaining(['ServiceMonitor']));
  });

  it('keep the Lease alive under overload', () => {
    const { spec } = objectOf(rendered({ flowControl: { enabled: true } }), 'FlowSchema');
    expect(spec).toMatchObject({
      priorityLevelConfiguration: { name: 'leader-election' },
      rules: [
        {
          subjects: [{ serviceAccount: { name: 'herald', namespace: 'herald-system' } }],
          resourceRules: [{ resources: ['leases'], namespaces: ['herald-system'] }],
        },
      ],
    });
  });

  it('let Prometheus find the replicas and trust their certificate', () => {
    const labels = { release: 'prometheus' };
    const monitor = objectOf(
      rendered({ metrics: { serviceMonitor: { enabled: true, labels } } }),
      'ServiceMonitor',
    );
    expect(monitor).toMatchObject({
      metadata: { labels },
      spec: {
        endpoints: [
          {
            port: 'pod-listener',
            scheme: 'https',
            tlsConfig: {
              serverName: 'herald.herald-system.svc',
              ca: { secret: { name: 'herald-tls', key: 'tls.crt' } },
            },
          },
        ],
      },
    });
  });

  it('leave rights and account to somebody else', () => {
    const nothing = { create: false };
    const values = { rbac: nothing, serviceAccount: nothing, defaultAdvertisement: { enabled: false } };
    const found = kinds(rendered(values));
    for (const kind of ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'ServiceAccount']) {
      expect(found).not.toContain(kind);
    }
  });
});
