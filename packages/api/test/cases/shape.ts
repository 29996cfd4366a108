// How malformed objects are written down: a whole object, one place in it, the values that do not belong
// there, and what the projection has in that case. Everything else has to stay as it is in the whole one.

/** What is neither a text nor anything that could be read as one. */
export const NO_TEXT: readonly unknown[] = [undefined, null, 7, true, [], {}];
export const NO_LIST: readonly unknown[] = [undefined, null, 7, true, 'text', {}];
export const NO_MAPPING: readonly unknown[] = [undefined, null, 7, true, 'text', []];
export const NO_FLAG: readonly unknown[] = [undefined, null, 0, 1, 'true', 'false', [], {}];
export const NO_WHOLE_NUMBER: readonly unknown[] = [undefined, null, '80', 1.5, true, [], {}];

export interface Shape<T> {
  /** Keys and indexes with spaces between: "spec ports 0 port". */
  readonly place: string;
  readonly values: readonly unknown[];
  /** What differs from the projection of the whole object. */
  readonly differs: Partial<T>;
  /** The fields of the faults. */
  readonly faults?: readonly string[];
}

export interface ShapeCase<T> extends Omit<Shape<T>, 'values'> {
  readonly value: unknown;
  readonly written: string;
}

/** One case a value. */
export function casesOf<T>(shapes: readonly Shape<T>[]): ShapeCase<T>[] {
  return shapes.flatMap(({ values, ...rest }) =>
    values.map((value) => ({ ...rest, value, written: JSON.stringify(value) ?? 'nothing' })),
  );
}

/** A copy in which the value stands at the place; `undefined` takes away what stands there. */
export function withValue(object: unknown, place: string, value: unknown): unknown {
  return place === '' ? value : replaced(object, place.split(' '), value);
}

function replaced(source: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const child = (source as Record<string, unknown>)[key];
  const next = rest.length === 0 ? value : replaced(child, rest, value);
  if (Array.isArray(source)) {
    return source.map((item, index) => (index === Number(key) ? next : item));
  }
  const others = Object.entries(source as object).filter(([name]) => name !== key);
  return Object.fromEntries(next === undefined ? others : [...others, [key, next]]);
}
