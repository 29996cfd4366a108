// The CRDs: are the checked-in files current, and would an API server accept them? What Kubernetes demands
// of a structural schema and what keeps CEL within its cost is asserted over every node of every schema.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles } from '../generated-files.ts';
import { RESOURCE_KINDS, customResourceDefinition, projectObject } from '../src/index.ts';
import { ALL_CASES } from './cases/all.ts';
import { manifest } from './cases/case.ts';

type Json = Readonly<Record<string, unknown>>;

interface Validation {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

interface SchemaNode {
  readonly path: string;
  readonly node: Json;
}

function nodesOf(node: Json, path: string): SchemaNode[] {
  const properties = Object.entries((node['properties'] ?? {}) as Record<string, Json>);
  const items = node['items'] as Json | undefined;
  return [
    { path, node },
    ...properties.flatMap(([name, child]) => nodesOf(child, path === '' ? name : `${path}.${name}`)),
    ...(items === undefined ? [] : nodesOf(items, `${path}[*]`)),
  ];
}

function versionOf(kind: (typeof RESOURCE_KINDS)[number]): Json {
  const { spec } = customResourceDefinition(kind);
  return (spec['versions'] as Json[])[0] ?? expect.fail('there is no version');
}

function schemaNodes(kind: (typeof RESOURCE_KINDS)[number]): SchemaNode[] {
  const schema = (versionOf(kind)['schema'] as Json)['openAPIV3Schema'] as Json;
  const ours = nodesOf(schema, '');
  // Kubernetes itself bounds these.
  return ours.filter(({ path }) => !['apiVersion', 'kind', 'metadata'].includes(path));
}

const validations = ({ node }: SchemaNode): Validation[] =>
  (node['x-kubernetes-validations'] ?? []) as Validation[];

describe('generated files', () => {
  it.each(generatedFiles().map(({ url, text }) => ({ name: url.pathname.split('/').at(-1), url, text })))(
    '$name is current',
    ({ url, text }) => {
      expect(readFileSync(url, 'utf8')).toBe(text);
    },
  );

  it('are two for each kind, and the schemas of the settings and of the values', () => {
    expect(generatedFiles()).toHaveLength(RESOURCE_KINDS.length * 2 + 2);
  });
});

describe.each(RESOURCE_KINDS)('the CRD of $kind', (kind) => {
  const nodes = schemaNodes(kind);
  const definition = customResourceDefinition(kind);

  it('is named and scoped', () => {
    expect(definition).toMatchObject({
      metadata: { name: `${kind.plural}.heraldbgp.io` },
      spec: {
        group: 'heraldbgp.io',
        scope: kind.kind === 'HeraldReplica' ? 'Namespaced' : 'Cluster',
        names: { kind: kind.kind, singular: kind.kind.toLowerCase(), categories: ['herald'] },
      },
    });
    expect(versionOf(kind)).toMatchObject({
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: { status: {} },
    });
  });

  it.each(['1.1', '1.2'] as const)('survives a way through YAML %s', (yaml) => {
    const text = generatedFiles().find(({ url }) => url.pathname.endsWith(`/${kind.plural}.yaml`))?.text;
    expect(parse(text ?? '', { version: yaml })).toEqual(JSON.parse(JSON.stringify(definition)));
  });

  it('says the type of every field', () => {
    const untyped = nodes.filter(({ node }) => typeof node['type'] !== 'string');
    expect(untyped).toEqual([]);
  });

  it('bounds every text', () => {
    const texts = nodes.filter(({ node }) => node['type'] === 'string');
    expect(texts.length).toBeGreaterThan(0);
    const unbounded = texts.filter(
      ({ node }) => node['maxLength'] === undefined && node['enum'] === undefined,
    );
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it('bounds every list', () => {
    const lists = nodes.filter(({ node }) => node['type'] === 'array');
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter(({ node }) => typeof node['maxItems'] !== 'number').map(({ path }) => path)).toEqual(
      [],
    );
  });

  it('bounds every map, and the texts in it', () => {
    const maps = nodes.filter(({ node }) => node['additionalProperties'] !== undefined);
    const bounded = maps.filter(({ node }) => {
      const values = node['additionalProperties'] as Json;
      return typeof node['maxProperties'] === 'number' && typeof values['maxLength'] === 'number';
    });
    expect(bounded).toEqual(maps);
  });

  it('bounds every number that people write', () => {
    const numbers = nodes.filter(({ path, node }) => path.startsWith('spec') && node['type'] === 'integer');
    const unbounded = numbers.filter(
      ({ node }) => node['minimum'] === undefined || node['maximum'] === undefined,
    );
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it('uses nothing that a structural schema must not have', () => {
    const forbidden = [
      'uniqueItems',
      'anyOf',
      'oneOf',
      'allOf',
      'const',
      '$ref',
      'patternProperties',
      'rules',
      'not',
    ];
    const used = nodes.flatMap(({ path, node }) =>
      forbidden.filter((word) => word in node).map((word) => `${path} ${word}`),
    );
    expect(used).toEqual([]);
    expect(nodes.filter(({ node }) => 'additionalProperties' in node && 'properties' in node)).toEqual([]);
  });

  it('requires the keys of list maps', () => {
    for (const { node } of nodes.filter(({ node: list }) => list['x-kubernetes-list-type'] === 'map')) {
      const keys = node['x-kubernetes-list-map-keys'] as string[];
      expect((node['items'] as Json)['required']).toEqual(expect.arrayContaining(keys));
    }
  });

  it('requires nothing that has a default', () => {
    for (const { node } of nodes) {
      const properties = (node['properties'] ?? {}) as Record<string, Json>;
      for (const name of (node['required'] ?? []) as string[]) {
        expect(properties[name], name).not.toHaveProperty('default');
      }
    }
  });

  it('has defaults that hold every default inside, since rules see them alone', () => {
    for (const { node } of nodes.filter(
      ({ node: object }) => object['type'] === 'object' && 'default' in object,
    )) {
      const inside = Object.entries((node['properties'] ?? {}) as Record<string, Json>)
        .filter(([, child]) => 'default' in child)
        .map(([name, child]) => [name, child['default']]);
      expect(node['default']).toEqual(Object.fromEntries(inside));
    }
  });

  it('explains every field that people write', () => {
    const undescribed = nodes.filter(
      ({ path, node }) => /^spec(\.\w+)*$/.test(path) && typeof node['description'] !== 'string',
    );
    expect(undescribed.map(({ path }) => path)).toEqual([]);
  });

  it('names the field in the sentence of every rule', () => {
    for (const each of nodes) {
      for (const { message, fieldPath = '', rule } of validations(each)) {
        expect(message.startsWith(`${each.path}${fieldPath} must`), message).toBe(true);
        expect(message).not.toMatch(/\n|\.$/);
        expect(rule).toMatch(/\bself\b/);
      }
    }
  });

  it('points rules at fields that exist', () => {
    const paths = new Set(nodes.map(({ path }) => path));
    for (const each of nodes) {
      for (const { fieldPath = '' } of validations(each)) {
        expect(paths).toContain(`${each.path}${fieldPath}`);
      }
    }
  });

  it('shows and selects by fields that exist', () => {
    const paths = new Set(nodes.map(({ path }) => `.${path}`));
    const used = [...kind.columns.map(({ jsonPath }) => jsonPath), ...kind.selectableFields];
    const own = used.filter((path) => !path.startsWith('.metadata.') && !path.includes('[?'));
    expect(own.filter((path) => !paths.has(path))).toEqual([]);
  });
});

describe('the columns', () => {
  const shown = Object.fromEntries(
    RESOURCE_KINDS.map(({ kind, columns }) => [
      kind,
      columns.filter(({ wide }) => wide === undefined).map(({ name }) => name),
    ]),
  );

  it('are what kubectl get shows', () => {
    expect(shown).toEqual({
      BGPPeer: ['Address', 'ASN', 'Sessions', 'AddPath', 'Paths', 'Age'],
      IPAddressPool: [
        'Addresses',
        'Auto Assign',
        'Assigned IPv4',
        'Free IPv4',
        'Assigned IPv6',
        'Valid',
        'Age',
      ],
      BGPAdvertisement: ['Pools', 'Peers', 'Services', 'Prefixes', 'Valid', 'Age'],
      HeraldReplica: ['Role', 'Term', 'Sessions', 'Routes', 'Age'],
    });
  });
});

describe('every rule of the CRDs', () => {
  const said = ALL_CASES.flatMap((of) =>
    of.refused
      .filter(({ storedAnyway }) => storedAnyway === undefined)
      .flatMap(({ change }) => projectObject(manifest(of, change), 'manifest')?.faults ?? [])
      // Items of lists are one field to a schema.
      .map(({ message }) => message.replaceAll(/\[\d+\]/g, '[*]')),
  );
  const rules = RESOURCE_KINDS.flatMap((kind) =>
    schemaNodes(kind).flatMap((node) => validations(node).map(({ message }) => `${kind.kind}: ${message}`)),
  );

  it('are there', () => {
    expect(rules.length).toBeGreaterThan(40);
  });

  it.each(rules.filter((rule) => !rule.includes('matchExpressions')))('is broken by a case: %s', (rule) => {
    const [kind, message] = [rule.slice(0, rule.indexOf(':')), rule.slice(rule.indexOf(':') + 2)];
    const broken = said.filter((sentence) => sentence.startsWith(kind) && sentence.includes(`: ${message}`));
    expect(broken.length).toBeGreaterThan(0);
  });
});
