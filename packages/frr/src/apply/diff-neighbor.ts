// One neighbour as it runs and as it should be -> the commands between them, for the context of its
// instance. Pure.
//
// A change that needs a new session happens behind `shutdown`: the router sees one orderly end and one new
// session that has everything, however many lines changed, and a new neighbour says nothing before it is
// whole. What is taken back comes first, because some lines exclude each other (multihop and GTSM).

import { lineKind, lineSlot, removalOf } from './neighbor-line.ts';
import type { ResetField } from './neighbor-line.ts';
import { SCOPES } from './statements.ts';
import type { NeighborStatements, Scope } from './statements.ts';

export interface NeighborChange {
  readonly commands: readonly string[];
  readonly resets: readonly ResetField[];
}

interface ScopeChange {
  readonly scope: Scope;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const NOTHING: NeighborStatements = new Map();
const SHUTDOWN = 'shutdown';

export function diffNeighbor(
  address: string,
  before: NeighborStatements | undefined,
  after: NeighborStatements,
): NeighborChange {
  const changes = SCOPES.map((scope) => diffScope(scope, before ?? NOTHING, after));
  const resets = before === undefined || isShutdown(before) ? [] : resetFields(changes);
  if (changes.every((change) => change.removed.length + change.added.length === 0)) {
    return { commands: [], resets };
  }
  const lines = inOrder(address, changes);
  const gated = before === undefined || changes.some(touchesSession);
  return { commands: gated ? behindShutdown(address, before, after, lines) : lines, resets };
}

function isShutdown(neighbor: NeighborStatements): boolean {
  return shutdownLine(neighbor) !== undefined;
}

/** With the words for the router, if there are any. */
function shutdownLine(neighbor: NeighborStatements): string | undefined {
  return neighbor.get('')?.find((line) => lineSlot(line) === lineSlot(SHUTDOWN));
}

function diffScope(scope: Scope, before: NeighborStatements, after: NeighborStatements): ScopeChange {
  const old = before.get(scope) ?? [];
  const wanted = after.get(scope) ?? [];
  const added = wanted.filter((line) => !old.includes(line));
  const replaced = new Set(added.map(lineSlot));
  const removed = old.filter(
    (line) => !wanted.includes(line) && lineKind(line) !== undefined && !replaced.has(lineSlot(line)),
  );
  return { scope, removed, added };
}

/** Taking `shutdown` back ends no session. */
function resetFields(changes: readonly ScopeChange[]): ResetField[] {
  const lines = changes.flatMap(({ removed, added }) => [
    ...removed.filter((line) => lineSlot(line) !== lineSlot(SHUTDOWN)),
    ...added,
  ]);
  return [...new Set(lines.flatMap((line) => lineKind(line)?.reset ?? []))].sort();
}

function touchesSession({ removed, added }: ScopeChange): boolean {
  return [...removed, ...added].some((line) => lineKind(line)?.reset !== undefined);
}

/** A new neighbour exists only once it has its `remote-as`, which is its first line. */
function behindShutdown(
  address: string,
  before: NeighborStatements | undefined,
  after: NeighborStatements,
  lines: readonly string[],
): string[] {
  const shutdown = `neighbor ${address} ${shutdownLine(after) ?? SHUTDOWN}`;
  const opening = `no neighbor ${address} ${SHUTDOWN}`;
  const others = lines.filter((line) => line !== shutdown && line !== opening);
  const creating = before === undefined ? 1 : 0;
  const opened = isShutdown(after) ? [] : [opening];
  return [...others.slice(0, creating), shutdown, ...others.slice(creating), ...opened];
}

function inOrder(address: string, changes: readonly ScopeChange[]): string[] {
  return changes.flatMap((change) => scopeCommands(address, change));
}

function scopeCommands(address: string, change: ScopeChange): string[] {
  const lines = [
    ...change.removed.map((line) => `no neighbor ${address} ${removalOf(line)}`),
    ...change.added.map((line) => `neighbor ${address} ${line}`),
  ];
  return change.scope === '' || lines.length === 0
    ? lines
    : [`address-family ${change.scope}`, ...activateLast(lines), 'exit-address-family'];
}

function activateLast(lines: readonly string[]): string[] {
  return [...lines.filter((line) => !activates(line)), ...lines.filter(activates)];
}

function activates(line: string): boolean {
  return line.endsWith(' activate') && !line.startsWith('no ');
}
