// Small words to write JSON schemas with. Every object is closed and every field required unless it is said
// to be optional: the serializer leaves out what a schema does not name, so a schema is also the list of what
// can ever get out.

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const time: Schema = { type: ['string', 'null'], format: 'date-time' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const integer: Schema = { type: 'integer' };
export const family: Schema = { type: 'string', enum: ['ipv4', 'ipv6'] };

export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

export function orNull(type: 'string' | 'integer' | 'number', description: string): Schema {
  return { type: [type, 'null'], description };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

export function shape(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

/** The shape with further fields that may be absent. */
export function withOptional(base: Schema, properties: Readonly<Record<string, Schema>>): Schema {
  return { ...base, properties: { ...(base['properties'] as object), ...properties } };
}

export function numbersBy(what: string): Schema {
  return { type: 'object', description: `Counts by ${what}`, additionalProperties: { type: 'integer' } };
}

/** Values whose fields follow the types of other packages. */
export function openShape(description: string): Schema {
  return { type: 'object', description, additionalProperties: true };
}

export function page(item: Schema): Schema {
  return shape({
    total: described(count, 'How many there are, on all pages'),
    limit: count,
    offset: count,
    items: list(item),
  });
}

/** Query strings are closed too: an unknown parameter is a mistake. None is required. */
export function query(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', additionalProperties: false, properties };
}

const MAX_PAGE = 1000;

export const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 100, description: 'Items on the page' },
  // Larger numbers are not read exactly, so the answer would say another one.
  offset: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Items before the page',
  },
} as const satisfies Record<string, Schema>;
