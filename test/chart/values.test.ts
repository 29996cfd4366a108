/**
 * What the chart refuses: a wrong value by the schema, with its name, and what a schema cannot say by a sentence. Each
 * row is one value set wrongly beside otherwise good ones.
 */
import { describe, expect, it } from 'vitest';
import { CHART, REQUIRED_VALUES, helm, helmProgram, objectOf, render, type Json } from '../support/helm.ts';

const settings = (more: Json): Json => ({ settings: { asn: 64512, ...more } });
const tls = (value: Json): Json => ({ podListener: { tls: value } });

const REFUSED: readonly (readonly [what: string, values: Json, named: RegExp])[] = [
  ['no ASN', { settings: {} }, /'\/settings': missing property 'asn'/],
  ['ASN 0', settings({ asn: 0 }), /'\/settings\/asn': minimum/],
  ['an ASN as text', settings({ asn: '64512' }), /'\/settings\/asn': got string, want integer/],
  ['a setting that does not exist', settings({ standby: 'Hot' }), /'\/settings'.*'standby' not allowed/],
  ['a wrong standby mode', settings({ standbyMode: 'hot' }), /'\/settings\/standbyMode'/],
  [
    'a setting of a group',
    settings({ guard: { deadNodesPercent: 0 } }),
    /'\/settings\/guard\/deadNodesPercent'/,
  ],
  ['an unknown log level', settings({ logLevel: 'verbose' }), /'\/settings\/logLevel'/],
  ['the source', settings({ source: { kind: 'folder' } }), /'\/settings'.*'source' not allowed/],
  ['the folders of bgpd', settings({ bgpd: { port: 1 } }), /'\/settings'.*'bgpd' not allowed/],
  ['the loopback listener', settings({ http: { address: '::' } }), /'\/settings'.*'http' not allowed/],
  ['a misspelt value', { replica: 2 }, /'replica' not allowed/],
  ['a misspelt value of a group', { image: { repo: 'x' } }, /'\/image'.*'repo' not allowed/],
  ['an image with its digest in its name', { image: { repository: 'a@sha256:0' } }, /'\/image\/repository'/],
  ['a short digest', { image: { digest: 'sha256:12' } }, /'\/image\/digest'/],
  ['a pull policy', { image: { pullPolicy: 'Sometimes' } }, /'\/image\/pullPolicy'/],
  ['a profile', { placement: { profile: 'Workers' } }, /'\/placement\/profile'/],
  ['no replica', { replicas: 0 }, /'\/replicas': minimum/],
  ['replicas as text', { replicas: '2' }, /'\/replicas': got string/],
  ['a privileged port', { podListener: { port: 443 } }, /'\/podListener\/port': minimum/],
  ['a TLS mode', tls({ mode: 'On' }), /'\/podListener\/tls\/mode'/],
  ['a Secret name', { secretNames: ['Herald_BGP'] }, /'\/secretNames\/0'/],
  ['a Secret twice', { secretNames: ['a', 'a'] }, /'\/secretNames'/],
  [
    'a reader without a namespace',
    { metrics: { readers: [{ name: 'a' }] } },
    /'\/metrics\/readers\/0'.*namespace/,
  ],
  ['a switch as text', { crds: { enabled: 'yes' } }, /'\/crds\/enabled': got string, want boolean/],
  ['a hook of the host', { hostNetwork: true }, /'hostNetwork' not allowed/],
  ['no image', { image: { repository: '' } }, /image\.repository is required/],
  [
    'two replicas on one node',
    { placement: { profile: 'OneNode' }, replicas: 2 },
    /replicas must be 1 with placement\.profile OneNode/,
  ],
  ['no name of a Secret', tls({ mode: 'ExistingSecret' }), /podListener\.tls\.secretName is required/],
  ['a name without its mode', tls({ secretName: 'mine' }), /podListener\.tls\.secretName has no meaning/],
  [
    'a monitor without TLS',
    { ...tls({ mode: 'Disabled' }), metrics: { serviceMonitor: { enabled: true } } },
    /metrics\.serviceMonitor\.enabled needs podListener\.tls/,
  ],
];

function settingsFile(values: Json): Json {
  const { data } = objectOf(render({ values }), 'ConfigMap') as unknown as {
    readonly data: Readonly<Record<'settings.yaml', string>>;
  };
  return JSON.parse(data['settings.yaml']) as Json;
}

const on = (version: string): string => render({ flags: ['--kube-version', version] }).refusal;

describe.skipIf(helmProgram() === undefined)('the chart', () => {
  it('passes the linter', () => {
    expect(helm(['lint', '--strict', CHART, '--values', '-'], JSON.stringify(REQUIRED_VALUES))).toMatchObject(
      {
        ok: true,
      },
    );
  });

  it.each(REFUSED)('refuses %s', (_, values, named) => {
    const { objects, refusal } = render({ values: { ...REQUIRED_VALUES, ...values } });
    expect(objects).toEqual([]);
    expect(refusal).toMatch(named);
  });

  it('refuses kube-system, and says where to go', () => {
    const { refusal } = render({ namespace: 'kube-system' });
    expect(refusal).toMatch(/not installed into kube-system.*--namespace herald-system --create-namespace/);
  });

  it('is for Kubernetes 1.33 and newer', () => {
    expect(on('1.32.9')).toMatch(/kubeVersion: >=1\.33\.0-0/);
    expect(on('1.33.0')).toBe('');
    expect(on('1.36.3-gke.1')).toBe('');
  });

  it('hands the settings on as they are, and adds what follows from the pod', () => {
    const guard = { deadNodesPercent: 30, joinDelay: '2s' };
    const given = { asn: 4_294_967_294, loadBalancerClass: 'heraldbgp.io/herald', guard };
    expect(settingsFile({ ...REQUIRED_VALUES, settings: given })).toEqual({
      ...given,
      source: { kind: 'kubernetes' },
      podListener: { port: 8443, certificate: '/etc/herald-tls/tls.crt', key: '/etc/herald-tls/tls.key' },
      exchange: { keyFile: '/etc/herald-exchange/key' },
      handOver: { patience: '20s' },
    });
  });

  it('asks for no certificate where there is none', () => {
    const values = { ...REQUIRED_VALUES, ...tls({ mode: 'Disabled' }) };
    expect(settingsFile(values)['podListener']).toEqual({ port: 8443 });
    const secrets = render({ values }).objects.filter(({ kind }) => kind === 'Secret');
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(['herald-exchange']);
  });
});
