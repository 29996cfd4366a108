// Reads fields of bgpd's JSON, one at a time, each with the type that is expected: unknown -> value or
// undefined. What is missing or of another type is undefined; FRR versions differ in what they print, and
// a field that one of them lacks must not cost the rest.

export type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: JsonObject = {};

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : NOTHING;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectField(object: JsonObject, name: string): JsonObject {
  return asObject(object[name]);
}

export function numberField(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

export function isTrue(object: JsonObject, name: string): boolean {
  return object[name] === true;
}

export function arrayField(object: JsonObject, name: string): readonly unknown[] {
  const value: unknown = object[name];
  return Array.isArray(value) ? value : [];
}
