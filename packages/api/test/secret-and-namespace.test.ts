// Secrets are decoded and never shown; namespaces are their labels.

import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectNamespace, projectSecret, sameProjected, secretData, type Secret } from '../src/index.ts';

const metadata = { name: 'herald-bgp', namespace: 'herald' };
const PASSWORD = 'correct horse battery';

function secret(parts: Readonly<Record<string, unknown>>): Secret {
  const result = projectSecret({ metadata, ...parts });
  return result.ok ? result.value : expect.fail('the Secret is refused');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const withPassword = (): Secret => secret({ data: { tor: base64(PASSWORD) } });

describe('a Secret', () => {
  it('has decoded values', () => {
    const value = secret({ type: 'kubernetes.io/basic-auth', data: { a: base64('é'), b: '' } });
    expect(value).toMatchObject({
      kind: 'Secret',
      key: 'herald/herald-bgp',
      type: 'kubernetes.io/basic-auth',
    });
    expect(Object.entries(value.data)).toEqual([
      ['a', 'é'],
      ['b', ''],
    ]);
  });

  it('without a type is Opaque', () => {
    expect(secret({}).type).toBe('Opaque');
  });

  it('from a manifest takes stringData over data', () => {
    const value = secret({ data: { a: base64('old'), b: base64('kept') }, stringData: { a: 'new' } });
    expect(Object.entries(value.data)).toEqual([
      ['a', 'new'],
      ['b', 'kept'],
    ]);
  });

  it.each<[string, (value: Secret) => string]>([
    ['JSON', (value) => JSON.stringify(value)],
    ['JSON of the data', (value) => JSON.stringify(value.data)],
    ['inspection', (value) => inspect(value, { depth: null, showHidden: true })],
    ['inspection of the data', (value) => inspect(value.data)],
    ['formatting', (value) => format('%o %O %s %j', value, value.data, value.data, value)],
  ])('hides its values in %s', (_, print) => {
    expect(print(withPassword())).not.toContain(PASSWORD);
    expect(print(withPassword())).not.toContain(base64(PASSWORD));
  });

  it('shows its keys', () => {
    expect(JSON.parse(JSON.stringify(withPassword().data))).toEqual({ tor: '***' });
    expect(inspect(withPassword().data)).toContain('tor');
  });

  it('hides its values whatever its keys are', () => {
    const data = secretData([
      ['toJSON', PASSWORD],
      ['__proto__', PASSWORD],
      ['constructor', PASSWORD],
    ]);
    expect(JSON.stringify(data)).not.toContain(PASSWORD);
    expect(data['__proto__']).toBe(PASSWORD);
  });

  it.each([['%%%'], ['YQ=a'], [7], [null], ['/w==']])('leaves out a value that is no text: %j', (wrong) => {
    const result = projectSecret({ metadata, data: { tor: wrong, leaf: base64('x') } });
    expect(result).toMatchObject({
      ok: true,
      value: { data: { leaf: 'x' } },
      faults: [
        {
          object: 'Secret herald/herald-bgp',
          field: 'data["tor"]',
          reason: 'SecretInvalid',
          message: 'Secret herald/herald-bgp: data["tor"] is wrong: the value is not base64 of UTF-8 text.',
        },
      ],
    });
  });

  it('never quotes a value in a fault', () => {
    const { faults } = projectSecret({ metadata: {}, data: { tor: `${base64(PASSWORD)}!`, leaf: PASSWORD } });
    expect(faults).toHaveLength(3);
    expect(JSON.stringify(faults)).not.toContain(PASSWORD);
    expect(JSON.stringify(faults)).not.toContain(base64(PASSWORD));
  });

  it('is another one after its value changed', () => {
    expect(sameProjected(withPassword(), withPassword())).toBe(true);
    expect(sameProjected(withPassword(), secret({ data: { tor: base64('other') } }))).toBe(false);
  });
});

describe('a Namespace', () => {
  it('is its labels', () => {
    const object = {
      metadata: { name: 'shop', uid: 'u', labels: { team: 'web', odd: 7 } },
      spec: { finalizers: [] },
    };
    expect(projectNamespace(object)).toEqual({
      ok: true,
      value: { kind: 'Namespace', name: 'shop', uid: 'u', createdAt: 0, labels: { team: 'web' } },
      faults: [],
    });
  });

  it('without a name is refused', () => {
    expect(projectNamespace({}).ok).toBe(false);
  });
});
