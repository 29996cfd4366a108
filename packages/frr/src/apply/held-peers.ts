// Peers that cannot be resolved now (their Secret is missing or unusable) are left as they run: the
// desired configuration is completed with what bgpd has of them - neighbour, the view it lives in, the
// filters it uses - so that the comparison finds nothing to do. Pure.
//
// A held peer that does not run stays away: it is never created without its password. If the local ASN has
// changed, nothing can be held, because every instance is made anew.

import { PEER_DESCRIPTION } from '../plan/peer-neighbor.ts';
import type { Clauses, InstanceStatements, NeighborStatements, Statements } from './statements.ts';

export function neighborPeer(neighbor: NeighborStatements): string | undefined {
  const description = neighbor.get('')?.find((line) => line.startsWith(DESCRIPTION));
  return description?.slice(DESCRIPTION.length);
}

const DESCRIPTION = `description ${PEER_DESCRIPTION}`;

/** `desired` with the peers named in `held` as they are in `running`. */
export function holdPeers(desired: Statements, running: Statements, held: ReadonlySet<string>): Statements {
  const isHeld = (neighbor: NeighborStatements): boolean => held.has(neighborPeer(neighbor) ?? '');
  const instances = new Map<string, InstanceStatements>();
  for (const header of new Set([...desired.instances.keys(), ...running.instances.keys()])) {
    const wanted = desired.instances.get(header);
    const runs = keepable(running.instances.get(header), desired, header);
    const merged = mergeInstance(wanted, runs, isHeld);
    if (merged !== undefined) {
      instances.set(header, merged);
    }
  }
  return { ...desired, ...heldFilters(desired, running, instances), instances };
}

/** `router bgp 65000 view x` can only stay beside `router bgp 65000`. */
function keepable(
  runs: InstanceStatements | undefined,
  desired: Statements,
  header: string,
): InstanceStatements | undefined {
  return desired.instances.has(header.replace(/ view .*/, '')) ? runs : undefined;
}

/** A view is there for its router: without one it is not wanted, whatever its feed. */
function mergeInstance(
  wanted: InstanceStatements | undefined,
  runs: InstanceStatements | undefined,
  isHeld: (neighbor: NeighborStatements) => boolean,
): InstanceStatements | undefined {
  const kept = [...(runs?.neighbors ?? [])].filter(([, neighbor]) => isHeld(neighbor));
  if (wanted === undefined) {
    return kept.length > 0 ? runs : undefined;
  }
  const others = [...wanted.neighbors].filter(([, neighbor]) => !isHeld(neighbor));
  const lostItsRouter = others.length < wanted.neighbors.size && kept.length === 0;
  return lostItsRouter && !others.some(([, neighbor]) => neighborPeer(neighbor) !== undefined)
    ? undefined
    : { settings: wanted.settings, neighbors: new Map([...others, ...kept]) };
}

function heldFilters(
  desired: Statements,
  running: Statements,
  instances: ReadonlyMap<string, InstanceStatements>,
): Pick<Statements, 'lists' | 'routeMaps'> {
  const used = [...instances.values()].flatMap(usedMaps);
  const maps = [...used, ...used.flatMap((name) => calledMaps(running.routeMaps.get(name)))];
  const routeMaps = withMissing(desired.routeMaps, running.routeMaps, maps);
  const lists = maps.flatMap((name) => listNames(routeMaps.get(name)));
  return { routeMaps, lists: withMissing(desired.lists, running.lists, lists) };
}

function usedMaps({ neighbors }: InstanceStatements): string[] {
  const lines = [...neighbors.values()].flatMap((neighbor) => Array.from(neighbor.values()).flat());
  return lines.flatMap(mapName);
}

function mapName(line: string): string[] {
  return /^route-map (\S+) (?:in|out)$/.exec(line)?.slice(1) ?? [];
}

function calledMaps(clauses: Clauses | undefined): string[] {
  return linesOf(clauses).flatMap((line) => /^call (\S+)$/.exec(line)?.slice(1) ?? []);
}

function listNames(clauses: Clauses | undefined): string[] {
  return linesOf(clauses).flatMap((line) => /^match large-community (\S+)/.exec(line)?.slice(1) ?? []);
}

function linesOf(clauses: Clauses | undefined): string[] {
  return [...(clauses?.values() ?? [])].flat();
}

function withMissing<T>(
  wanted: ReadonlyMap<string, T>,
  runs: ReadonlyMap<string, T>,
  names: readonly string[],
): ReadonlyMap<string, T> {
  const missing = [...new Set(names)].filter((name) => !wanted.has(name));
  const found = missing.flatMap((name): [string, T][] => {
    const value = runs.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return new Map([...wanted, ...found]);
}
