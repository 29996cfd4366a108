// How the tables are written: a change to the spec of a valid object, and what has to be said about it.
// `undefined` as a value removes the field.

export interface RefusedCase {
  readonly change: Readonly<Record<string, unknown>>;
  /** The field that the sentence is about. */
  readonly field: string;
  /** A part of the sentence that only the right rule has. */
  readonly says: string;
  /** Only where the API server cannot know: the object is stored and a condition says it. */
  readonly storedAnyway?: true;
  /** A reason other than Invalid. */
  readonly reason?: string;
}

export interface KindCases {
  readonly kind: string;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly accepted: readonly Readonly<Record<string, unknown>>[];
  readonly refused: readonly RefusedCase[];
}

export function refusal(change: RefusedCase['change'], field: string, says: string): RefusedCase {
  return { change, field, says };
}

/** A manifest of the kind with the change made to the valid spec. */
export function manifest(of: KindCases, change: Readonly<Record<string, unknown>> = {}): object {
  const merged = { ...of.spec, ...change };
  const spec = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  return { apiVersion: 'heraldbgp.io/v1alpha1', kind: of.kind, metadata: { name: of.name }, spec };
}
