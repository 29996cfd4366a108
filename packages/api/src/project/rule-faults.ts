// Walks a value along its schema and asks every rule on the way; each broken one becomes a fault. Where
// the validator already found something at a field or below it, its rules are not asked: they may count on
// the form being right, as CEL may in the API server.

import { childrenOf, fieldBelow, isNode, rulesOf, type JsonSchema } from '../crd/schema-rendering.ts';
import { fault, type Fault } from '../fault.ts';
import { shown } from './schema-faults.ts';
import { isRecord } from './untrusted.ts';

export function ruleFaults(
  subject: string,
  schema: object,
  value: unknown,
  root: string,
  known: readonly Fault[],
): Fault[] {
  const broken = known.filter(({ reason }) => reason !== 'UnknownField').map(({ field }) => field);
  const faults: Fault[] = [];
  walk(schema as JsonSchema, value, root, (node, at, path) => {
    if (!broken.some((field) => isWithin(field, path))) {
      faults.push(...brokenRules(subject, node, at, path));
    }
  });
  return faults;
}

function brokenRules(subject: string, node: JsonSchema, value: unknown, path: string): Fault[] {
  return rulesOf(node)
    .filter((rule) => !rule.holds(value))
    .map((rule) => fault(subject, fieldBelow(path, rule.field), `${rule.must}${shown(value)}`, rule.reason));
}

type Visit = (node: JsonSchema, value: unknown, path: string) => void;

function walk(node: JsonSchema, value: unknown, path: string, visit: Visit): void {
  if (value === undefined) {
    return;
  }
  visit(node, value, path);
  const items = node['items'];
  if (Array.isArray(value) && isNode(items)) {
    value.forEach((item, index) => walk(items, item, `${path}[${index}]`, visit));
  }
  if (isRecord(value)) {
    for (const [name, child] of Object.entries(childrenOf(node) ?? {})) {
      walk(child, Object.hasOwn(value, name) ? value[name] : undefined, fieldBelow(path, name), visit);
    }
  }
}

/** Whether `field` is `path` or below it. */
function isWithin(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
}
