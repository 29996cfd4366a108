// What bgpd runs and what it should run -> groups of commands in an order in which nothing is ever wider
// than wanted: (1) neighbours and views that go, (2) filters, (3) settings of instances, (4) one group a
// neighbour, new or changed, (5) filters nobody uses any more. No difference, no group. Pure.
//
// A group is about one subject and starts at the top level of the configuration, so that one that fails
// leaves the others alone. A neighbour that moves to another instance goes in (1) and comes in (4).

import { defineFilters, removeFilters } from './diff-filters.ts';
import { changeSettings, isView, removeInstance } from './diff-instance.ts';
import { diffNeighbor } from './diff-neighbor.ts';
import { neighborPeer } from './held-peers.ts';
import type { InstanceStatements, NeighborStatements, Statements } from './statements.ts';

export interface CommandGroup {
  /** What the group is about; a peer's name where it is one. */
  readonly subject: Subject;
  readonly commands: readonly string[];
}

export type Subject =
  | { readonly kind: 'process' }
  | { readonly kind: 'filters' }
  | { readonly kind: 'instance'; readonly header: string }
  | { readonly kind: 'neighbor'; readonly address: string; readonly peer: string | undefined };

export function diffConfig(running: Statements, desired: Statements): CommandGroup[] {
  const instances = [...desired.instances];
  const groups: CommandGroup[] = [
    ...removals(running, desired),
    group({ kind: 'process' }, newGlobals(running, desired)),
    group({ kind: 'filters' }, defineFilters(running, desired)),
    ...instances.map(([header, wanted]) => settingsGroup(header, running.instances.get(header), wanted)),
    ...instances.flatMap(([header, wanted]) => neighborGroups(header, running.instances.get(header), wanted)),
    group({ kind: 'filters' }, removeFilters(running, desired)),
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

function group(subject: Subject, commands: readonly string[]): CommandGroup {
  return { subject, commands };
}

function within(header: string, commands: readonly string[]): string[] {
  return [header, ...commands, 'exit'];
}

/** Log targets and the like are added; what else bgpd was given is not ours to take back. */
function newGlobals(running: Statements, desired: Statements): string[] {
  return desired.globals.filter((line) => !running.globals.includes(line) && !line.startsWith('frr '));
}

/** Views before the default instance, which carries the process. */
function removals(running: Statements, desired: Statements): CommandGroup[] {
  const gone = [...running.instances.keys()].filter((header) => !desired.instances.has(header));
  const ordered = [...gone.filter(isView), ...gone.filter((header) => !isView(header))];
  return [
    ...[...desired.instances].flatMap(([header, wanted]) =>
      neighborRemovals(header, running.instances.get(header), wanted),
    ),
    ...ordered.map((header) => group({ kind: 'instance', header }, [removeInstance(header)])),
  ];
}

function neighborRemovals(
  header: string,
  runs: InstanceStatements | undefined,
  wanted: InstanceStatements,
): CommandGroup[] {
  return [...(runs?.neighbors ?? [])]
    .filter(([address]) => !wanted.neighbors.has(address))
    .map(([address, neighbor]) =>
      neighborGroup(address, neighbor, within(header, [`no neighbor ${address}`])),
    );
}

function settingsGroup(
  header: string,
  runs: InstanceStatements | undefined,
  wanted: InstanceStatements,
): CommandGroup {
  const changes = changeSettings(runs, wanted);
  return group({ kind: 'instance', header }, changes.length === 0 ? [] : within(header, changes));
}

function neighborGroups(
  header: string,
  runs: InstanceStatements | undefined,
  wanted: InstanceStatements,
): CommandGroup[] {
  return [...wanted.neighbors].map(([address, neighbor]) => {
    const { commands } = diffNeighbor(address, runs?.neighbors.get(address), neighbor);
    return neighborGroup(address, neighbor, commands.length === 0 ? [] : within(header, commands));
  });
}

function neighborGroup(
  address: string,
  neighbor: NeighborStatements,
  commands: readonly string[],
): CommandGroup {
  return group({ kind: 'neighbor', address, peer: neighborPeer(neighbor) }, commands);
}
