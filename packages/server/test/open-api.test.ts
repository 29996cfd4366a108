// The OpenAPI document is whole: every route is in it and nothing else, every reference leads somewhere, and
// what it says of parameters is what the endpoints accept.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../src/index.ts';
import { documentOf, schemaOf, type Json, type OpenApi } from './documented.ts';
import { serve } from './fixture.ts';

let server: Server;
let document: OpenApi;
beforeAll(async () => {
  server = await serve();
  document = await documentOf(server);
});
afterAll(() => server.close());

const GUARDED = ['401', '403', '421', '503'];
const REFUSED = ['400', ...GUARDED];

/** By path: parameters and documented status codes. */
const EXPECTED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['/healthz', [], ['200', '421', '503']],
  ['/readyz', [], ['200', '421', '503']],
  ['/metrics', [], ['200', ...GUARDED]],
  ['/api/v1/openapi.json', [], ['200', ...GUARDED]],
  ['/api/v1/status', [], ['200', ...REFUSED]],
  ['/api/v1/config', [], ['200', ...REFUSED]],
  ['/api/v1/peers', [], ['200', ...REFUSED]],
  ['/api/v1/leader', [], ['200', ...REFUSED]],
  ['/api/v1/replicas', [], ['200', ...REFUSED]],
  [
    '/api/v1/routes',
    ['family', 'limit', 'nextHop', 'offset', 'peer', 'prefix'],
    ['200', '400', '401', '403', '404', '421', '503'],
  ],
  ['/api/v1/next-hops', ['eligible', 'limit', 'offset'], ['200', ...REFUSED]],
  ['/api/v1/services', ['announced', 'limit', 'namespace', 'offset'], ['200', ...REFUSED]],
  [
    '/api/v1/services/{namespace}/{name}',
    ['name', 'namespace'],
    ['200', '400', '401', '403', '404', '421', '503'],
  ],
];

describe('the document', () => {
  it('says what it is of', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toEqual({
      title: 'Herald',
      description: 'What one Herald replica announces, to whom, and why. Read-only.',
      version: '1.2.3',
    });
  });

  it('holds every route of the server', () => {
    expect(Object.keys(document.paths).sort()).toEqual(EXPECTED.map(([path]) => path).sort());
    for (const path of Object.keys(document.paths)) {
      const url = path.replace(/\{(\w+)\}/g, ':$1');
      expect([url, server.app.hasRoute({ method: 'GET', url })]).toEqual([url, true]);
    }
  });

  it.each(EXPECTED)('%s can be read only', (path) => {
    expect(Object.keys(document.paths[path] ?? {})).toEqual(['get']);
  });

  it.each(EXPECTED)('%s has a summary of its own', (path) => {
    const summary = document.paths[path]?.['get']?.summary ?? '';
    expect(summary).toMatch(/^[A-Z].{8,}[^.]$/);
    const all = Object.values(document.paths).map((operations) => operations['get']?.summary);
    expect(all.filter((other) => other === summary)).toHaveLength(1);
  });

  it.each(EXPECTED)('%s has these parameters', (path, parameters) => {
    const found = document.paths[path]?.['get']?.parameters ?? [];
    expect(found.map((parameter) => parameter.name).sort()).toEqual(parameters);
    for (const { name, in: place, required } of found) {
      expect([name, place, required]).toEqual([
        name,
        path.includes(`{${name}}`) ? 'path' : 'query',
        path.includes(`{${name}}`),
      ]);
    }
  });

  it.each(EXPECTED)('%s has these answers', (path, _, codes) => {
    expect(Object.keys(document.paths[path]?.['get']?.responses ?? {}).sort()).toEqual(codes);
  });

  it.each(EXPECTED)('%s refuses with problems', (path, _, codes) => {
    for (const code of codes.filter((each) => each.startsWith('4'))) {
      const content = document.paths[path]?.['get']?.responses[code]?.content ?? {};
      expect(Object.keys(content)).toEqual(['application/problem+json']);
      expect(schemaOf(document, path, Number(code))['required']).toEqual([
        'type',
        'title',
        'status',
        'detail',
        'instance',
      ]);
    }
  });

  it('has no reference that leads nowhere', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
    for (const reference of references) {
      const found = reference
        .split('/')
        .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document);
      expect([reference, found]).toEqual([reference, expect.anything()]);
    }
    expect(text).not.toContain('"$id"');
  });

  it('is the same every time', async () => {
    expect(await documentOf(server)).toEqual(document);
  });
});

/** Every schema in a schema, with its path. */
function* schemasIn(schema: Json, at = ''): Generator<readonly [string, Json]> {
  yield [at, schema];
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    yield* schemasIn(property, `${at}.${name}`);
  }
  if (typeof schema['items'] === 'object') {
    yield* schemasIn(schema['items'] as Json, `${at}[]`);
  }
}

describe('every schema of an answer', () => {
  const paths = EXPECTED.map(([path]) => path).filter(
    (path) => path !== '/metrics' && path !== '/api/v1/openapi.json',
  );

  it.each(paths)('%s: objects are closed, or say what they hold', (path) => {
    for (const [at, schema] of schemasIn(schemaOf(document, path, 200))) {
      const isObject = schema['type'] === 'object';
      const isClosed = schema['additionalProperties'] === false;
      expect([at, !isObject || isClosed || typeof schema['description'] === 'string']).toEqual([at, true]);
    }
  });

  it.each(paths)('%s: every field of a closed object is required', (path) => {
    for (const [at, schema] of schemasIn(schemaOf(document, path, 200))) {
      if (schema['additionalProperties'] === false) {
        expect([at, schema['required']]).toEqual([at, Object.keys(schema['properties'] as object)]);
      }
    }
  });

  it.each(paths)('%s: everything has a type, and lists say of what', (path) => {
    for (const [at, schema] of schemasIn(schemaOf(document, path, 200))) {
      expect([at, schema['type']]).toEqual([at, expect.anything()]);
      expect([at, schema['type'] !== 'array' || typeof schema['items'] === 'object']).toEqual([at, true]);
    }
  });

  it.each(paths)('%s: no field has a name under which a secret could get out', (path) => {
    const names = [...schemasIn(schemaOf(document, path, 200))].map(([at]) => at.split('.').at(-1) ?? '');
    expect(names.filter((name) => /secret|token|key|data/i.test(name))).toEqual([]);
  });
});

describe('the bounds of a parameter', () => {
  it.each(['/api/v1/routes', '/api/v1/services'])('of a page of %s are what is accepted', async (path) => {
    const parameters = document.paths[path]?.['get']?.parameters ?? [];
    for (const { name, schema } of parameters.filter(
      (each) => each.name === 'limit' || each.name === 'offset',
    )) {
      const [minimum, maximum] = [Number(schema['minimum']), Number(schema['maximum'])];
      for (const [value, status] of [
        [minimum, 200],
        [maximum, 200],
        [minimum - 1, 400],
      ] as const) {
        const response = await server.app.inject({ url: `${path}?${name}=${value}` });
        expect([name, value, response.statusCode]).toEqual([name, value, status]);
      }
      const standard = (await server.app.inject({ url: path })).json<Record<string, number>>()[name];
      expect([name, standard]).toEqual([name, schema['default']]);
    }
  });

  it('of a family are what is accepted', async () => {
    const parameters = document.paths['/api/v1/routes']?.['get']?.parameters ?? [];
    const families = parameters.find((each) => each.name === 'family')?.schema['enum'] as string[];
    expect(families).toEqual(['ipv4', 'ipv6']);
    for (const family of families) {
      expect((await server.app.inject({ url: `/api/v1/routes?family=${family}` })).statusCode).toBe(200);
    }
  });
});
