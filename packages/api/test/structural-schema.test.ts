// The schemas of the CRDs against what Kubernetes demands of a structural schema, said as what is allowed
// and not as what is forbidden; their defaults against themselves; their CEL against their fields.

import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { RESOURCE_KINDS, customResourceDefinition } from '../src/index.ts';

type Json = Readonly<Record<string, unknown>>;

interface Version {
  readonly schema: { readonly openAPIV3Schema: Json };
}

interface Place {
  readonly path: string;
  readonly node: Json;
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  string: ['enum', 'minLength', 'maxLength', 'format'],
  integer: ['minimum', 'maximum', 'format'],
  boolean: [],
};
const EVERYWHERE = ['type', 'description', 'default', 'x-kubernetes-validations'];
const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
};

const fieldsOf = (node: Json): Readonly<Record<string, Json>> =>
  (node['properties'] ?? {}) as Record<string, Json>;

function placesOf(node: Json, path: string): Place[] {
  const items = node['items'] as Json | undefined;
  return [
    { path, node },
    ...Object.entries(fieldsOf(node)).flatMap(([name, child]) => placesOf(child, `${path}.${name}`)),
    ...(items === undefined ? [] : placesOf(items, `${path}[]`)),
  ];
}

const SCHEMAS = RESOURCE_KINDS.map((kind) => {
  const versions = customResourceDefinition(kind).spec['versions'] as readonly [Version];
  const schema = versions[0].schema.openAPIV3Schema;
  return { kind: kind.kind, columns: kind.columns, schema, places: placesOf(schema, '') };
});

const withText = (places: readonly Place[], wrong: (place: Place) => string | undefined): string[] =>
  places.flatMap((place) => {
    const said = wrong(place);
    return said === undefined ? [] : [`${place.path}: ${said}`];
  });

describe.each(SCHEMAS)('the schema of $kind', ({ places, schema, columns }) => {
  it('uses only words that go with the type', () => {
    const odd = withText(places, ({ node }) => {
      const allowed = new Set([...EVERYWHERE, ...(ALLOWED[String(node['type'])] ?? [])]);
      return Object.keys(node).find((word) => !allowed.has(word));
    });
    expect(odd).toEqual([]);
  });

  it('requires only fields that it has', () => {
    const odd = withText(places, ({ node }) =>
      ((node['required'] ?? []) as string[]).find((name) => !(name in fieldsOf(node))),
    );
    expect(odd).toEqual([]);
  });

  it('has bounds in the right order, and within their format', () => {
    const odd = withText(places, ({ node }) => {
      const [least, most] = [node['minimum'] ?? -Infinity, node['maximum'] ?? Infinity] as number[];
      const [shortest, longest] = [node['minLength'] ?? 0, node['maxLength'] ?? Infinity] as number[];
      const [fewest, greatest] = [node['minItems'] ?? 0, node['maxItems'] ?? Infinity] as number[];
      const ordered = least! <= most! && shortest! <= longest! && fewest! <= greatest!;
      const fits = node['format'] !== 'int32' || most! <= 2_147_483_647;
      return ordered && fits ? undefined : JSON.stringify(node);
    });
    expect(odd).toEqual([]);
  });

  it('has only formats that Kubernetes knows, at their type', () => {
    const odd = withText(places, ({ node }) => {
      const format = node['format'] as string | undefined;
      const known = format === undefined || FORMATS[String(node['type'])]?.includes(format);
      return known ? undefined : format;
    });
    expect(odd).toEqual([]);
  });

  it('has choices that are texts, each once', () => {
    const odd = withText(places, ({ node }) => {
      const words = node['enum'] as readonly unknown[] | undefined;
      const fine = words === undefined || (words.length > 0 && new Set(words).size === words.length);
      return fine && (words ?? []).every((word) => typeof word === 'string')
        ? undefined
        : JSON.stringify(words);
    });
    expect(odd).toEqual([]);
  });

  it('has sets of scalars, and maps of objects by required scalars', () => {
    const odd = withText(places, ({ node }) => {
      const items = (node['items'] ?? {}) as Json;
      const keys = (node['x-kubernetes-list-map-keys'] ?? []) as string[];
      switch (node['x-kubernetes-list-type']) {
        case undefined:
          return keys.length === 0 ? undefined : 'keys without a map';
        case 'set':
          return SCALARS.has(String(items['type'])) ? undefined : 'a set of something else';
        case 'map':
          return keys.length > 0 &&
            keys.every(
              (key) =>
                SCALARS.has(String(fieldsOf(items)[key]?.['type'])) &&
                ((items['required'] ?? []) as string[]).includes(key),
            )
            ? undefined
            : 'a map without its keys';
        default:
          return 'an unknown kind of list';
      }
    });
    expect(odd).toEqual([]);
  });

  it('has defaults that are valid where they stand', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const withDefault = places.filter(({ node }) => 'default' in node);
    const odd = withText(withDefault, ({ node }) =>
      ajv.validate(node, node['default']) ? undefined : ajv.errorsText(),
    );
    expect(odd).toEqual([]);
  });

  it('has no default in a status, which only Herald writes', () => {
    const status = places.filter(({ path, node }) => path.startsWith('.status') && 'default' in node);
    expect(status.map(({ path }) => path)).toEqual([]);
  });

  it('shows columns of the type that the field has', () => {
    const types = new Map(places.map(({ path, node }) => [path, node]));
    for (const { jsonPath, type, name } of columns) {
      const [, list, words, field] = /^(.+)\[\?\(@\.type=="(\w+)"\)\]\.(\w+)$/.exec(jsonPath) ?? [];
      const node = types.get(words === undefined ? jsonPath : `${list}[].${field}`);
      const ofMetadata = jsonPath === '.metadata.creationTimestamp';
      // kubectl writes whatever it finds as a text, and leaves a number empty that is none.
      const shown = ['string', node?.['type']];
      expect(ofMetadata ? ['date'] : node === undefined ? [] : shown, name).toContain(type);
    }
  });

  it('is a tree: what is one object is one in the text as well', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});

const RULES = SCHEMAS.flatMap(({ kind, places }) =>
  places.flatMap(({ path, node }) =>
    ((node['x-kubernetes-validations'] ?? []) as { readonly rule: string }[]).map(({ rule }) => ({
      kind,
      path,
      node,
      rule,
      // What stands in quotes is no code.
      code: rule.replaceAll(/'[^']*'/g, "''"),
    })),
  ),
);

/** Functions of Kubernetes' CEL: the language, the strings extension, lists, regex, IP, CIDR. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'has size int duration getSeconds matches all map filter split trim replace sum isSorted ' +
    'isIP ip isCIDR cidr family masked isGlobalUnicast isLinkLocalUnicast'
  ).split(' '),
);

describe.each(RULES)('$kind$path: $rule', ({ node, code, rule }) => {
  it('calls functions that Kubernetes has', () => {
    const called = [...code.matchAll(/\b([A-Za-z]\w*)\(/g)].map(([, name]) => name ?? '');
    expect(called.filter((name) => !FUNCTIONS.has(name))).toEqual([]);
  });

  it('closes what it opens', () => {
    let depth = 0;
    for (const sign of code) {
      depth += sign === '(' || sign === '[' ? 1 : 0;
      depth -= sign === ')' || sign === ']' ? 1 : 0;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
    expect(rule.split("'").length % 2).toBe(1);
  });

  it('reads fields that exist, and those that may be absent only after asking', () => {
    const reads = [...code.matchAll(/\bself((?:\.[a-zA-Z]\w*\b(?!\())+)/g)].map(([, path]) => path ?? '');
    for (const path of reads) {
      let at: Json | undefined = node;
      for (const name of path.split('.').slice(1)) {
        const field: Json | undefined = fieldsOf(at ?? {})[name];
        const present =
          ((at?.['required'] ?? []) as string[]).includes(name) || field?.['default'] !== undefined;
        expect(field, `self${path}`).toBeDefined();
        expect(present || code.includes(`has(self${path})`), `has(self${path})`).toBe(true);
        at = field;
      }
    }
  });

  it('treats a text as a text', () => {
    if (node['type'] !== 'object') {
      expect(fieldsOf(node)).toEqual({});
      expect(code).not.toMatch(/has\(self\b/);
    }
  });
});
