// A value against a schema: defaults filled in, and every fault at once. The value that comes back has the
// schema's static type exactly when there is no fault other than unknown fields.
//
// Validators are compiled when a schema is first used and kept, as compiling costs milliseconds.

import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { renderSchema } from '../crd/schema-rendering.ts';
import type { Fault } from '../fault.ts';
import { ruleFaults } from './rule-faults.ts';
import { schemaFault } from './schema-faults.ts';

/** What is validated: whose fault it is, how its kind is called, and where in the object it stands. */
export interface Place {
  readonly subject: string;
  readonly kind: string;
  readonly path: string;
}

export interface Validated<T> {
  /** A copy with defaults; of type T only if nothing but unknown fields is wrong with it. */
  readonly value: T;
  readonly faults: readonly Fault[];
}

// `format` is for readers (int64, date-time); ranges and lengths are what is checked.
const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  validateFormats: false,
  strict: false,
});
const compiled = new WeakMap<object, ValidateFunction>();

export function validate<S extends TSchema>(schema: S, source: unknown, place: Place): Validated<Static<S>> {
  const validator = compiledOf(schema);
  const value = structuredClone(source);
  validator(value);
  const form = (validator.errors ?? []).map((error) =>
    schemaFault(place.subject, place.kind, place.path, error),
  );
  const broken = ruleFaults(place.subject, schema, value, place.path, form);
  return { value: value as Static<S>, faults: [...form, ...broken] };
}

function compiledOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) {
    return known;
  }
  const validator = ajv.compile(renderSchema(schema, 'strict', ''));
  compiled.set(schema, validator);
  return validator;
}
