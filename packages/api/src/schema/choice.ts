// Fields whose values are a short list of words. As a string with an enum, because a union of literals is
// not a structural schema for Kubernetes.

import { Type } from 'typebox';

export function choice<const T extends string>(
  words: readonly T[],
  options: { description: string; default?: T },
) {
  return Type.Unsafe<T>({ type: 'string', enum: [...words], ...options });
}
