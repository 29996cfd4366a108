// What the projections of Herald's own kinds share: is this an object of the kind, has it a name, and is
// its spec valid. An invalid object is not used at all: half a policy could announce more than was meant.
//
// Unknown fields are refused in a manifest, where they are typing mistakes. From the API server they are
// fields of a newer Herald whose CRD is installed already (a rolling update): said, and ignored.

import type { Static, TObject } from 'typebox';
import type { JsonSchema } from '../crd/schema-rendering.ts';
import { fault, unusable, type Projected } from '../fault.ts';
import { isObjectName } from '../schema/object-name.ts';
import { API_VERSION, type ResourceKind } from '../schema/resource-kind.ts';
import { Reading } from './reading.ts';
import { isRecord, record } from './untrusted.ts';
import { validate } from './validation.ts';

export type Origin = 'manifest' | 'api';

type SpecKind<Spec extends TObject> = ResourceKind<Spec> & { readonly spec: Spec };

const TOP_LEVEL = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

/** Reads the spec and hands it to `build`, which adds to the reading's faults what only parsing shows. */
export function projectCustom<Spec extends TObject, T>(
  of: SpecKind<Spec>,
  object: unknown,
  origin: Origin,
  build: (spec: Static<Spec>, reading: Reading) => T | undefined,
): Projected<T> {
  const reading = new Reading(of.kind, object);
  checkIdentity(of, object, reading);
  checkTopLevel(of, object, reading);
  const source = record(object)['spec'] ?? (of.spec as JsonSchema)['default'];
  if (source === undefined) {
    reading.note('spec', 'is required');
    return unusable(reading.faults);
  }
  const place = { subject: reading.subject, kind: of.kind, path: 'spec' };
  const { value, faults } = validate(of.spec, source, place);
  reading.faults.push(...faults);
  return isUsable(reading, origin) ? built(build(value, reading), reading, origin) : unusable(reading.faults);
}

function built<T>(value: T | undefined, reading: Reading, origin: Origin): Projected<T> {
  return value !== undefined && isUsable(reading, origin)
    ? { ok: true, value, faults: reading.faults }
    : unusable(reading.faults);
}

function isUsable(reading: Reading, origin: Origin): boolean {
  return reading.faults.every(({ reason }) => origin === 'api' && reason === 'UnknownField');
}

function checkIdentity(of: ResourceKind, object: unknown, reading: Reading): void {
  const { apiVersion, kind } = record(object);
  if (!isRecord(object) || apiVersion !== API_VERSION || kind !== of.kind) {
    reading.note('', `must have apiVersion ${API_VERSION} and kind ${of.kind}`);
  }
  const { name } = reading.meta;
  if (name === '') {
    reading.note('metadata.name', 'is required');
  } else if (!isObjectName(name)) {
    reading.note('metadata.name', 'must be a DNS subdomain: lower-case letters, digits, dashes and dots');
  }
}

function checkTopLevel(of: ResourceKind, object: unknown, reading: Reading): void {
  const unknown = Object.keys(record(object)).filter((name) => !TOP_LEVEL.has(name));
  reading.faults.push(
    ...unknown.map((name) => fault(reading.subject, name, `is not a field of ${of.kind}`, 'UnknownField')),
  );
}
