// What a benchmark says: figures with their bounds. A bound is judged as a ratio to a reference that was
// measured in the same run wherever there is one; `value` is then the ratio and `reference` what it is a
// ratio to, and the absolute values are figures of their own without a bound.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value may be at most this; null where the figure only informs. */
  readonly bound: number | null;
  /** What the value was measured against in the same run; null where there is nothing to compare with. */
  readonly reference: string | null;
  readonly ok: boolean;
  /** How many samples the value comes from. */
  readonly n: number;
}

export interface Bounded {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly n: number;
  readonly bound?: number;
  readonly reference?: string;
}

export function figure({ name, value, unit, n, bound, reference }: Bounded): Figure {
  const rounded = Number(value.toPrecision(4));
  return {
    name,
    value: rounded,
    unit,
    bound: bound ?? null,
    reference: reference ?? null,
    ok: bound === undefined || rounded <= bound,
    n,
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Nearest-rank percentile of unsorted samples; `share` between 0 and 1. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The time in a line such as `established 1700000000000.123`. */
export function epochMs(line: string): number {
  return Number(line.split(' ').at(-1));
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((f) => [
    f.ok ? 'ok  ' : 'MISS',
    f.name,
    `${f.value} ${f.unit}`,
    f.bound === null ? '' : `bound ${f.bound}`,
    f.reference === null ? '' : `against ${f.reference}`,
    `n=${f.n}`,
  ]);
  const widths = rows.reduce<number[]>(
    (max, row) => row.map((cell, i) => Math.max(cell.length, max[i] ?? 0)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
