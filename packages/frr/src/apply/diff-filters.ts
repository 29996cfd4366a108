// Prefix lists, large-community lists and route-maps as they run and as they should be -> commands.
// Definitions come before the neighbours that use them; what nobody uses any more goes after them; so
// there are two lists. Only names that begin with `herald-` are ever taken away. Pure.

import type { Clauses, Statements } from './statements.ts';

type Filters = Pick<Statements, 'lists' | 'routeMaps'>;

const OURS = /^herald-/;

export function defineFilters(running: Filters, desired: Filters): string[] {
  return [
    ...[...desired.lists].flatMap(([name, lines]) => changeLines(running.lists.get(name), lines)),
    ...[...desired.routeMaps].flatMap(([name, clauses]) =>
      changeRouteMap(running.routeMaps.get(name), clauses),
    ),
  ];
}

export function removeFilters(running: Filters, desired: Filters): string[] {
  const maps = [...running.routeMaps.keys()].filter((name) => gone(name, desired.routeMaps));
  const lists = [...running.lists].filter(([name]) => gone(name, desired.lists));
  return [
    ...maps.map((name) => `no route-map ${name}`),
    ...lists.flatMap(([, lines]) => lines.map((line) => `no ${line}`)),
  ];
}

function gone(name: string, desired: ReadonlyMap<string, unknown>): boolean {
  return OURS.test(name) && !desired.has(name);
}

function changeLines(before: readonly string[] = [], after: readonly string[]): string[] {
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `no ${line}`),
    ...after.filter((line) => !before.includes(line)),
  ];
}

function changeRouteMap(before: Clauses = new Map(), after: Clauses): string[] {
  const removed = [...before.keys()].filter((header) => !after.has(header));
  return [
    ...[...after].flatMap(([header, lines]) => changeClause(header, before.get(header), lines)),
    ...removed.map((header) => `no ${header}`),
  ];
}

function changeClause(
  header: string,
  before: readonly string[] | undefined,
  after: readonly string[],
): string[] {
  const changes = changeLines(before, after);
  return before !== undefined && changes.length === 0 ? [] : [header, ...changes, 'exit'];
}
