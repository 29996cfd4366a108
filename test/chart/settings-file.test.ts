/** Does Herald accept the settings files that the chart writes? The chart and the program are asked the same. */
import { parseSettings } from '@herald/api';
import { describe, expect, it } from 'vitest';
import { REQUIRED_VALUES, helmProgram, objectOf, render, type Json } from '../support/helm.ts';

const rows: readonly (readonly [string, Json])[] = [
  ['the required values', {}],
  ['without TLS', { podListener: { tls: { mode: 'Disabled' } } }],
  ['with a Secret', { podListener: { port: 9443, tls: { mode: 'ExistingSecret', secretName: 'mine' } } }],
  ['with a four-octet ASN', { settings: { asn: 4_200_000_000 } }],
  ['with durations', { settings: { asn: 64512, election: { leaseDuration: '9s', renewDeadline: '6s' } } }],
];

describe.skipIf(helmProgram() === undefined)('the settings file of the chart', () => {
  it.each(rows)('is accepted %s', (_, values) => {
    const config = objectOf(render({ values: { ...REQUIRED_VALUES, ...values } }), 'ConfigMap');
    const text = (config['data'] as Readonly<Record<string, string>>)['settings.yaml'] ?? '';
    expect(parseSettings(text, { podAddress: '192.0.2.1' })).toMatchObject({
      ok: true,
      faults: [],
      value: { source: { kind: 'kubernetes' } },
    });
  });
});
