/**
 * The pods that the chart makes: what Pod Security "restricted" demands of every one of them, hooks included, and what
 * each container gets. Asserted on what helm renders; the cluster tests assert the same in the running pod.
 */
import { describe, expect, it } from 'vitest';
import {
  REQUIRED_VALUES,
  helmProgram,
  objectOf,
  render,
  type Json,
  type KubernetesObject,
} from '../support/helm.ts';

interface Container extends Json {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly securityContext: Json;
  readonly volumeMounts?: readonly { readonly name: string; readonly readOnly?: boolean }[];
}

interface PodSpec extends Json {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Json[];
  readonly securityContext: Json;
}

const SAFE_VOLUMES = ['configMap', 'emptyDir', 'projected', 'secret', 'downwardAPI'];

function podSpecs(objects: readonly KubernetesObject[]): { name: string; spec: PodSpec }[] {
  return objects.flatMap((object) => {
    const spec = object['spec'] as Json;
    const template = spec?.['template'] as { readonly spec: PodSpec } | undefined;
    const pod = object.kind === 'Pod' ? (spec as PodSpec) : template?.spec;
    return pod === undefined ? [] : [{ name: `${object.kind} ${object.metadata.name}`, spec: pod }];
  });
}

const containersOf = ({ initContainers = [], containers }: PodSpec): Container[] => [
  ...initContainers,
  ...containers,
];

const deployed = (values: Json = {}): PodSpec => {
  const rendering = render({ values: { ...REQUIRED_VALUES, ...values } });
  const spec = objectOf(rendering, 'Deployment')['spec'] as { readonly template: { readonly spec: PodSpec } };
  return spec.template.spec;
};

describe.skipIf(helmProgram() === undefined)('every pod of the chart', () => {
  const pods = helmProgram() === undefined ? [] : podSpecs(render().objects);

  it('is one of these', () => {
    expect(pods.map(({ name }) => name)).toEqual([
      'Deployment herald',
      'Pod herald-test',
      'Job herald-first-advertisement',
    ]);
  });

  it.each(pods)('$name passes Pod Security "restricted"', ({ spec }) => {
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers']) {
      expect(spec).not.toHaveProperty(field);
    }
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const volume of spec.volumes ?? []) {
      expect(SAFE_VOLUMES).toEqual(
        expect.arrayContaining(Object.keys(volume).filter((key) => key !== 'name')),
      );
    }
    for (const { securityContext, ...container } of containersOf(spec)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(JSON.stringify(container)).not.toMatch(/hostPort|privileged/);
    }
  });

  it.each(pods)('$name gets no token that it did not ask for, and no variables of Services', ({ spec }) => {
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });
});

describe.skipIf(helmProgram() === undefined)('the pod of a replica', () => {
  it('runs bgpd as a sidecar and the controller, from one image', () => {
    const spec = deployed();
    expect(spec.initContainers).toMatchObject([
      { name: 'bgpd', restartPolicy: 'Always', args: ['bgpd', '--config', '/etc/herald/settings.yaml'] },
    ]);
    expect(spec.containers).toMatchObject([
      { name: 'controller', args: ['run', '--config', '/etc/herald/settings.yaml'] },
    ]);
    expect(new Set(containersOf(spec).map((container) => container['image']))).toEqual(
      new Set(['lab.local/herald:0.1.0']),
    );
  });

  it.each([
    ['by tag', { repository: 'lab.local/herald', tag: 'dev' }, 'lab.local/herald:dev'],
    [
      'by digest',
      { repository: 'lab.local/herald', tag: 'dev', digest: `sha256:${'a'.repeat(64)}` },
      `lab.local/herald@sha256:${'a'.repeat(64)}`,
    ],
  ])('takes the image %s', (_, image, expected) => {
    expect(containersOf(deployed({ image })).map((container) => container['image'])).toEqual([
      expected,
      expected,
    ]);
  });

  it('gives the API token and the certificate to the controller only', () => {
    const spec = deployed();
    const mounted = Object.fromEntries(
      containersOf(spec).map(({ name, volumeMounts = [] }) => [
        name,
        volumeMounts.map((mount) => mount.name),
      ]),
    );
    expect(mounted).toEqual({
      bgpd: ['settings', 'vty', 'frr'],
      controller: ['api-access', 'settings', 'tls', 'exchange', 'vty', 'frr', 'state'],
    });
  });

  it('keeps what holds passwords in memory, and writes to nothing but empty folders', () => {
    const spec = deployed();
    expect(spec.volumes).toContainEqual({ name: 'frr', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } });
    const writable = containersOf(spec).flatMap(({ volumeMounts = [] }) =>
      volumeMounts.filter((mount) => mount.readOnly !== true).map((mount) => mount.name),
    );
    for (const name of writable) {
      expect(spec.volumes).toContainEqual(expect.objectContaining({ name, emptyDir: expect.anything() }));
    }
  });

  it('tells both containers who they are', () => {
    for (const { env = [] } of containersOf(deployed())) {
      expect(env.map(({ name }) => name)).toEqual([
        'POD_NAME',
        'POD_NAMESPACE',
        'POD_UID',
        'POD_IP',
        'NODE_NAME',
      ]);
    }
  });

  it.each([
    ['SelfSigned', undefined, 'HTTPS'],
    ['ExistingSecret', 'mine', 'HTTPS'],
    ['Disabled', undefined, 'HTTP'],
  ])('is probed on the pod listener with TLS %s', (mode, secretName, scheme) => {
    const tls = secretName === undefined ? { mode } : { mode, secretName };
    const { containers, initContainers } = deployed({ podListener: { port: 9443, tls } });
    const get = (path: string) => ({ httpGet: { path, port: 'pod-listener', scheme } });
    expect(containers[0]).toMatchObject({
      ports: [{ name: 'pod-listener', containerPort: 9443 }],
      startupProbe: get('/healthz'),
      livenessProbe: get('/healthz'),
      readinessProbe: get('/readyz'),
    });
    // A slow bgpd holds sessions, a restarted one does not.
    expect(Object.keys(initContainers?.[0] ?? {}).filter((field) => field.endsWith('Probe'))).toEqual([]);
  });
});
