// Are two projected values the same? Stores keep the old reference when they are, so that whatever was
// computed from it stays. Made for values that come out of projection: plain trees of records, arrays and
// primitives whose absent fields are spelled the same way. It allocates nothing.

export function sameProjected(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && sameItems(a, b);
  }
  return !Array.isArray(b) && sameFields(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i++) {
    if (!sameProjected(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let balance = 0;
  for (const key in a) {
    const other = b[key];
    // Only an absent field and an undefined one look alike; asking always would double the time.
    if (!sameProjected(a[key], other) || (other === undefined && !Object.hasOwn(b, key))) {
      return false;
    }
    balance++;
  }
  for (const _ in b) {
    balance--;
  }
  return balance === 0;
}
