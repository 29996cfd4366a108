// A schema in the forms in which it leaves this package: structural OpenAPI for Kubernetes, plain JSON
// schema for editors, and a strict one for our own validator. One walk makes all three, so that they can
// differ only in what is said here.
//
// - A field with a default is never required: the default is applied before anything is checked.
// - The default of an object holds the defaults of its fields: Kubernetes checks it against the rules alone.
// - Rules become CEL whose sentence begins with the field's path; JSON schema has no word for them.
// - Kubernetes forbids `additionalProperties: false` and `uniqueItems`; the strict form needs both.

import type { Rule } from '../schema/rule.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type SchemaForm = 'structural' | 'plain' | 'strict';

export function renderSchema(schema: object, form: SchemaForm, path: string): JsonSchema {
  const node = schema as JsonSchema;
  const properties = childrenOf(node);
  return {
    ...ownKeywords(node, form),
    ...(properties === undefined ? {} : renderProperties(node, properties, form, path)),
    ...(isNode(node['items']) ? { items: renderSchema(node['items'], form, `${path}[*]`) } : {}),
    ...(form === 'structural' ? renderRules(node, path) : {}),
  };
}

/** The schemas of an object's fields, or undefined for what is not an object with named fields. */
export function childrenOf(node: JsonSchema): Readonly<Record<string, JsonSchema>> | undefined {
  return node['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
}

export function rulesOf(node: JsonSchema): readonly Rule[] {
  return (node['rules'] ?? []) as readonly Rule[];
}

export function isNode(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

/** "spec.rank" and "base" -> "spec.rank.base" */
export function fieldBelow(path: string, field: string | undefined): string {
  return [path, field].filter(Boolean).join('.');
}

const SEPARATE = new Set(['rules', 'properties', 'required', 'items']);

function ownKeywords(node: JsonSchema, form: SchemaForm): JsonSchema {
  const kept = Object.entries(node).filter(
    ([keyword]) => !SEPARATE.has(keyword) && (form === 'structural' || !keyword.startsWith('x-kubernetes-')),
  );
  const unique = form !== 'structural' && node['x-kubernetes-list-type'] === 'set';
  return {
    ...Object.fromEntries(kept),
    ...(unique ? { uniqueItems: true } : {}),
    ...(node['default'] === undefined ? {} : { default: filledDefault(node) }),
  };
}

function filledDefault(node: JsonSchema): unknown {
  const children = childrenOf(node);
  if (children === undefined || node['default'] === undefined) {
    return node['default'];
  }
  const filled = Object.entries(children)
    .map(([name, child]) => [name, filledDefault(child)] as const)
    .filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(filled), ...(node['default'] as JsonSchema) };
}

function renderProperties(
  node: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>>,
  form: SchemaForm,
  path: string,
): JsonSchema {
  const required = ((node['required'] ?? []) as readonly string[]).filter(
    (name) => properties[name]?.['default'] === undefined,
  );
  const rendered = Object.entries(properties).map(([name, child]) => [
    name,
    renderSchema(child, form, fieldBelow(path, name)),
  ]);
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(form === 'structural' ? {} : { additionalProperties: false }),
    properties: Object.fromEntries(rendered),
  };
}

function renderRules(node: JsonSchema, path: string): JsonSchema {
  const rules = rulesOf(node);
  return rules.length === 0
    ? {}
    : { 'x-kubernetes-validations': rules.map((rule) => renderRule(rule, path)) };
}

function renderRule(rule: Rule, path: string): JsonSchema {
  const message = `${fieldBelow(path, rule.field)} ${rule.must}`;
  const fieldPath = rule.field === undefined ? {} : { fieldPath: `.${rule.field}` };
  return { rule: rule.cel, message, ...fieldPath };
}
