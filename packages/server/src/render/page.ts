// One page of a list: where it starts, how long it may be, and how many there are in all.

export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<T> {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly items: readonly T[];
}

/** Renders only what is on the page. */
export function pageOf<S, T>(all: readonly S[], query: PageQuery, render: (item: S) => T): Page<T> {
  const { limit, offset } = query;
  return {
    total: all.length,
    limit,
    offset,
    items: all.slice(offset, offset + limit).map((item) => render(item)),
  };
}
