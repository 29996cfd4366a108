// Values -> what JSON can hold: addresses, prefixes and communities become their text, maps become objects,
// absent fields null, and whatever is called a password or holds Secret data is masked.

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

export const MASK = '***';

const MASKED_FIELDS = new Set(['password', 'secret', 'secrets', 'token', 'data']);

export function renderPlain(value: unknown): Plain {
  if (typeof value === 'object' && value !== null) {
    return renderObject(value);
  }
  if (typeof value === 'bigint') {
    return value.toString();
  }
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return isPlain ? (value as Plain) : null;
}

function renderObject(value: object): Plain {
  if (Array.isArray(value)) {
    return value.map(renderPlain);
  }
  if ('text' in value && typeof value.text === 'string') {
    return value.text;
  }
  const entries = isIterable(value) ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, field]) => [String(key), renderField(String(key), field)]));
}

function renderField(key: string, field: unknown): Plain {
  return MASKED_FIELDS.has(key) && field !== undefined && field !== null ? MASK : renderPlain(field);
}

function isIterable(value: object): value is Iterable<[unknown, unknown]> {
  return Symbol.iterator in value;
}

/** Milliseconds since the epoch -> RFC 3339; null for "never" (undefined or 0). */
export function renderTime(ms: number | undefined): string | null {
  return ms === undefined || ms === 0 ? null : new Date(ms).toISOString();
}

export function familyName(family: 4 | 6): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
