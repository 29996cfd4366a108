// What the validator found, in words: every ajv error -> one fault whose sentence names object, field and
// rule. ajv's own messages name neither the field nor, for most rules, what would be right.

import type { ErrorObject } from 'ajv';
import { fieldBelow } from '../crd/schema-rendering.ts';
import { fault, type Fault } from '../fault.ts';

const SHOWN_VALUE_LENGTH = 64;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of fields',
};

type Wording = (params: Record<string, unknown>) => string;

const WORDINGS: Readonly<Record<string, Wording>> = {
  type: ({ type }) => `must be ${TYPE_NAMES[String(type)] ?? String(type)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'entry', 'entries')}`,
  enum: ({ allowedValues }) => `must be ${alternatives(allowedValues as readonly unknown[])}`,
};

/** `kind` completes "is not a field of"; `root` is the path of what was validated. */
export function schemaFault(subject: string, kind: string, root: string, error: ErrorObject): Fault {
  const field = fieldPath(root, error.instancePath);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
      return fault(
        subject,
        fieldBelow(field, String(params['additionalProperty'])),
        `is not a field of ${kind}`,
        'UnknownField',
      );
    case 'required':
      return fault(subject, fieldBelow(field, String(params['missingProperty'])), 'is required');
    case 'uniqueItems': {
      const [first, second] = [Number(params['i']), Number(params['j'])].sort((a, b) => a - b);
      return fault(subject, `${field}[${second}]`, `is the same as item ${first}`);
    }
    default:
      return fault(subject, field, `${wording(error)}${found(error)}`);
  }
}

function wording(error: ErrorObject): string {
  return WORDINGS[error.keyword]?.(error.params as Record<string, unknown>) ?? 'does not have the right form';
}

/** "spec" and "/addresses/0" -> "spec.addresses[0]" */
function fieldPath(root: string, pointer: string): string {
  const segments = pointer.split('/').slice(1);
  return segments.reduce((path, segment) => {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(name) ? `${path}[${name}]` : fieldBelow(path, name);
  }, root);
}

/** That something is a list says nothing against its length. */
function found({ keyword, data }: ErrorObject): string {
  return keyword === 'type' && Array.isArray(data) ? ', not a list' : shown(data);
}

/** ", not 70000": only scalars, and never much of them. */
export function shown(value: unknown): string {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    const text = JSON.stringify(value);
    return `, not ${text.length > SHOWN_VALUE_LENGTH ? `${text.slice(0, SHOWN_VALUE_LENGTH)}…` : text}`;
  }
  return '';
}

function counted(limit: unknown, one: string, many = `${one}s`): string {
  return `${String(limit)} ${limit === 1 ? one : many}`;
}

function alternatives(values: readonly unknown[]): string {
  const words = values.map(String);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
