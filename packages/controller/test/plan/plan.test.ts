import { writeFile } from 'node:fs/promises';

import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';

import type { PlanDocument } from '../../src/plan/plan-document.ts';
import {
  advertisement,
  BGP_SECRET,
  endpoints,
  node,
  peer,
  planned,
  planOf,
  pool,
  scene,
  secret,
  SECRET,
  service,
  SITE,
  siteWith,
  TOR_1,
  TOR_2,
  type Manifest,
} from './scene.ts';

const golden = (name: string): string => `../golden/plan/${name}`;

/** Broken in several ways, so that every part of the text has something to say. */
const FAULTY = siteWith(
  [
    peer('tor-2', { ...TOR_2, peerASN: 64602 }),
    peer('tor-2-again', TOR_2),
    peer('tor-3', {
      peerAddress: '192.0.2.3',
      peerASN: 64601,
      passwordSecret: { name: 'nowhere', key: 'x' },
    }),
    pool('public', '203.0.113.0/28'),
    pool('very-small', '203.0.113.8/31'),
    service('a-service-with-a-name-that-is-as-long-as-a-name-may-ever-be-63'),
    endpoints('a-service-with-a-name-that-is-as-long-as-a-name-may-ever-be-63', 'worker-1'),
    service('wants-another-pool', {}, { annotations: { 'heraldbgp.io/address-pool': 'private' } }),
    advertisement('web-only', { serviceSelectors: [{ matchLabels: { app: 'nothing' } }], med: 50 }),
  ],
  ['Secret bgp'],
);

describe('text', () => {
  test.for([
    { name: 'site', manifests: SITE },
    { name: 'faulty', manifests: FAULTY },
    { name: 'empty', manifests: [] },
  ])('$name', async ({ name, manifests }) => {
    await using place = await scene();
    const { output } = await planned(await place.folder(name, manifests, '# nothing else'));
    await expect(output).toMatchFileSnapshot(golden(`${name}.txt`));
  });

  test('begins with the verdict, fits a terminal, and has no loose spaces', async () => {
    await using place = await scene();
    const { output } = await planned(await place.folder('faulty', FAULTY));
    const lines = output.split('\n');
    expect(lines[0]).toMatch(/^\d+ Services? announced, \d+ not, \d+ peers?, \d+ faults?$/);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
    expect(lines.filter((line) => line.endsWith(' '))).toEqual([]);
    expect(output.endsWith('\n')).toBe(true);
  });

  test('of many next hops names some and counts the rest', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `node-${i}`);
    const nodes = names.map((name, i) => node(name, `10.0.1.${i}`));
    const tor = peer('tor-1', { ...TOR_1, addPaths: { maxPaths: 64 } });
    await using place = await scene();
    const path = await place.folder('many', siteWith([...nodes, endpoints('web', ...names), tor]));
    expect((await planned(path)).output).toContain('and 24 more');
    const { output } = await planned(path, { output: 'json' });
    const web = (JSON.parse(output) as PlanDocument).services.find(({ name }) => name === 'web');
    expect(web?.routes.map(({ peers, paths }) => [...peers, paths.length])).toEqual([
      ['tor-1', 40],
      ['tor-2', 16],
    ]);
  });
});

describe('for machines', () => {
  test('the document has these fields', async () => {
    await using place = await scene();
    const { output } = await planned(await place.folder('site', SITE), { output: 'json' });
    await expect(output).toMatchFileSnapshot(golden('site.json'));
  });

  test('YAML and JSON are the same document, for readers of either version of YAML', async () => {
    await using place = await scene();
    const path = await place.folder('site', SITE);
    const json = JSON.parse((await planned(path, { output: 'json' })).output) as PlanDocument;
    const yaml = (await planned(path, { output: 'yaml' })).output;
    expect(parse(yaml)).toEqual(json);
    expect(parse(yaml, { version: '1.1' })).toEqual(json);
  });

  test.for(['text', 'json', 'yaml'] as const)(
    '%s does not depend on files and their order',
    async (output) => {
      await using place = await scene();
      const one = await place.folder('one', SITE);
      const other = await place.folder('other', SITE.toReversed());
      const against = await place.folder('against', siteWith([], ['Service mail', 'BGPPeer tor-2']));
      expect((await planned(other, { output, against })).output).toBe(
        (await planned(one, { output, against })).output,
      );
    },
  );
});

describe('a password', () => {
  const LEAKS: readonly { readonly what: string; readonly manifests: readonly Manifest[] }[] = [
    { what: 'that is used', manifests: SITE },
    { what: 'that cannot be used', manifests: siteWith([secret('bgp', { 'tor-1': `${SECRET} \n` })]) },
    {
      what: 'in a Secret of the wrong type',
      manifests: siteWith([secret('bgp', { 'tor-1': SECRET }, 'kubernetes.io/tls')]),
    },
    { what: 'in a Secret twice', manifests: [...SITE, BGP_SECRET] },
    { what: 'that is no text', manifests: siteWith([{ ...BGP_SECRET, stringData: { 'tor-1': [SECRET] } }]) },
    { what: 'that is no base64', manifests: siteWith([{ ...BGP_SECRET, data: { 'tor-1': `!${SECRET}` } }]) },
    {
      what: 'in a peer, where it does not belong',
      manifests: siteWith([peer('tor-1', { ...TOR_1, password: SECRET })]),
    },
  ];

  const FORMS = ['text', 'json', 'yaml'] as const;

  test.for(LEAKS)('$what is never printed', async ({ manifests }) => {
    await using place = await scene();
    const path = await place.folder('site', manifests, `not: {well formed: ${SECRET}`);
    const against = await place.folder('before', siteWith([secret('bgp', { 'tor-1': `${SECRET}-before` })]));
    for (const output of FORMS) {
      expect((await planned(path, { output })).output).not.toContain(SECRET);
      expect((await planned(path, { output, against })).output).not.toContain(SECRET);
    }
  });

  test('that is used is said to be', async () => {
    const { peers } = await planOf(SITE);
    expect(peers.map(({ name, authenticated }) => `${name} ${authenticated}`)).toEqual([
      'tor-1 md5',
      'tor-2 no',
    ]);
  });
});

describe('exit code and faults', () => {
  const CASES: readonly {
    readonly what: string;
    readonly manifests: readonly Manifest[];
    readonly code: number;
    readonly faults: readonly (readonly [string, string, string])[];
  }[] = [
    { what: 'a site without fault', manifests: SITE, code: 0, faults: [] },
    {
      what: 'a Service without endpoints is no fault',
      manifests: siteWith([], ['EndpointSlice web-1']),
      code: 0,
      faults: [],
    },
    {
      what: 'a field that breaks a rule',
      manifests: siteWith([peer('tor-1', { ...TOR_1, peerAddress: '192.0.2.300' })]),
      code: 1,
      faults: [['BGPPeer tor-1', 'spec.peerAddress', 'Invalid']],
    },
    {
      what: 'a field that does not exist',
      manifests: siteWith([peer('tor-1', { ...TOR_1, peerAdress: '192.0.2.3' })]),
      code: 1,
      faults: [['BGPPeer tor-1', 'spec.peerAdress', 'UnknownField']],
    },
    {
      what: 'two peers with one address',
      manifests: siteWith([peer('tor-2', { ...TOR_2, peerAddress: '192.0.2.1' })]),
      code: 1,
      faults: [['BGPPeer tor-2', 'spec.peerAddress', 'DuplicatePeerAddress']],
    },
    {
      what: 'a Secret that is not there',
      manifests: siteWith([], ['Secret bgp']),
      code: 1,
      faults: [['BGPPeer tor-1', 'spec.passwordSecret', 'SecretMissing']],
    },
    {
      what: 'two pools with the same addresses',
      manifests: siteWith([pool('second', '203.0.113.8/29')]),
      code: 1,
      faults: [['IPAddressPool second', 'spec.addresses', 'PoolOverlaps']],
    },
  ];

  test.for(CASES)('$what: $code', async ({ manifests, code, faults }) => {
    const result = await planOf(manifests);
    expect(result.faults.map(({ object, field, reason }) => [object, field, reason])).toEqual(faults);
    expect(result.verdict.faults).toBe(faults.length);
    expect(result.code).toBe(code);
  });

  test('every sentence names the object and the field', async () => {
    const { faults } = await planOf(FAULTY);
    expect(faults.length).toBeGreaterThan(2);
    for (const { object, field, message } of faults) {
      expect(message).toContain(object);
      expect(message).toContain(field);
    }
  });

  test('what cannot be read is a fault, and the rest is planned', async () => {
    await using place = await scene();
    const { code, output } = await planned(await place.folder('torn', SITE, 'kind: [torn'));
    expect(code).toBe(1);
    expect(output).toMatch(/^2 Services announced, 1 not, 2 peers, 1 fault$/m);
    expect(output).toContain('File all.yaml');
  });

  test.for([
    { what: 'manifests', options: {}, manifests: 'nowhere' },
    { what: 'manifests to compare with', options: { against: 'nowhere' }, manifests: '.' },
    { what: 'settings', options: { config: 'nowhere' }, manifests: '.' },
  ])('$what that are not there are no plan', async ({ options, manifests }) => {
    await using place = await scene();
    const absolute = Object.fromEntries(
      Object.entries(options).map(([key, name]) => [key, place.path(name)]),
    );
    await expect(planned(place.path(manifests), absolute)).rejects.toThrow(
      /nowhere: cannot be read \(ENOENT\)/,
    );
  });
});

describe('a path that is neither folder nor file', () => {
  test.for([{ against: undefined }, { against: '/dev/null' }])('is no plan ($against)', async (given) => {
    await using place = await scene();
    const site = await place.folder('site', SITE);
    const [manifests, options] =
      given.against === undefined ? ['/dev/null', {}] : [site, { against: given.against }];
    await expect(planned(manifests, options)).rejects.toThrow(
      '/dev/null: is neither a folder nor a regular file',
    );
  });
});

test('control characters of a manifest do not reach a terminal', async () => {
  await using place = await scene();
  const hostile = peer('a\u001B[31m\nred', TOR_2);
  const path = await place.folder('hostile', siteWith([hostile]));
  const { output } = await planned(path);
  expect(output).toContain(String.raw`BGPPeer a\x1b[31m\x0ared: metadata.name`);
});

describe('settings', () => {
  test('those of the file are used, and only the address of the pod is assumed', async () => {
    await using place = await scene();
    await writeFile(place.path('settings.yaml'), 'asn: 64700\n');
    const path = await place.folder('site', SITE);
    const { output } = await planned(path, { config: place.path('settings.yaml'), output: 'json' });
    const { settings, assumptions } = JSON.parse(output) as PlanDocument;
    expect(settings).toEqual({ asn: 64700, routerId: '192.0.2.255' });
    expect(assumptions.filter((sentence) => sentence.includes('--config'))).toEqual([]);
    expect(assumptions.filter((sentence) => sentence.includes('192.0.2.255'))).toHaveLength(1);
  });

  test('a router id that is written down is not assumed', async () => {
    await using place = await scene();
    await writeFile(place.path('settings.yaml'), '{asn: 64700, routerId: 192.0.2.77, ipam: false}\n');
    const path = await place.folder('site', SITE);
    const { output } = await planned(path, { config: place.path('settings.yaml'), output: 'json' });
    const { settings, assumptions, services } = JSON.parse(output) as PlanDocument;
    expect(settings.routerId).toBe('192.0.2.77');
    expect(assumptions.join()).not.toContain('router id');
    expect(services.map(({ reason }) => reason)).toEqual(['NoAddress', 'NoAddress', 'NoAddress']);
  });
});
