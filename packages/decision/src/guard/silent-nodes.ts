// Which nodes look dead, and which of them are not believed to be. World and memory -> both.
//
//   Ready is False     the kubelet says so: believed at once, unless too many are dead
//   Ready is Unknown   nobody hears the node. Kubernetes gives up one silent node after the other, so whether most of
//                      them are silent, and the way to them is what is gone, is known a while after the first. Until
//                      then the node is in doubt
//
// Nodes come back one after the other, too: what is still silent when contact with the API server is back, or when most
// nodes are no longer silent, was kept from reporting by the same event, and that takes longer to tell from death. A
// node that was dead before a process began is believed to be, unless the process began in such an outage and bgpd
// still announces it.

import type { Node } from '@herald/api';
import { PersistentMap } from '@herald/net';
import { earliest } from '../earliest.ts';
import type { RetainedTables, World } from '../world.ts';

export interface DeadNode {
  /** When it was first seen not Ready, by World.now. */
  readonly sinceMs: number;
  /** Until then it is not believed. */
  readonly doubtUntilMs: number;
}

/** By name. */
export type DeadNodes = PersistentMap<DeadNode>;

export interface SilentNodes {
  readonly dead: DeadNodes;
  /** Names of the dead that are not believed; the same set as long as it has the same names. */
  readonly held: ReadonlySet<string>;
  /** Name of a node that was held and is Ready again -> until when what it says of its pods may be old. */
  readonly returned: PersistentMap<number>;
  /** When one of these ends by itself, the earliest. */
  readonly wakeAtMs: number | undefined;
}

type Before = SilentNodes & { readonly raw: Pick<World, 'nodes'> };

/** One event takes Kubernetes this long to see on all nodes: they report every 10 s and are given up after 40 s. */
const ONE_EVENT_MS = 60_000;
/** How long a kubelet may take to report again when it can; some wait for a minute. */
const OUTAGE_DOUBT_MS = 120_000;
/** A kubelet reports its node first, and its pods some seconds later: until then they are as they were given up. */
const PODS_REPORT_MS = 10_000;
const LONG_AGO: DeadNode = { sinceMs: -Infinity, doubtUntilMs: -Infinity };
export const NOBODY: ReadonlySet<string> = new Set();

export function looksDead(node: Node | undefined): boolean {
  return node !== undefined && !node.deleting && node.ready !== 'True';
}

export function silentNodes(world: World, before: Before | undefined): SilentNodes {
  const found = deadNodes(world, before);
  const areMany = areTooMany(found, world.nodes, world.settings);
  const wereMany = before !== undefined && areTooMany(before.dead, before.raw.nodes, world.settings);
  const dead = wereMany && !areMany ? stillSilent(found, before.held, world) : found;
  const held = heldNodes(dead, areMany, before?.held ?? NOBODY, world.now);
  const returned = returnedNodes(dead, before, world);
  return { dead, held, returned, wakeAtMs: wakeAtMs(dead, returned, world.now) };
}

function returnedNodes(
  dead: DeadNodes,
  before: Before | undefined,
  { now, nodes }: World,
): SilentNodes['returned'] {
  const last = before?.returned ?? PersistentMap.empty<number>();
  const held = [...(before?.held ?? NOBODY)];
  const back = held.filter((name) => !dead.has(name) && nodes.get(name)?.deleting === false);
  const over = [...last].filter(([name, untilMs]) => untilMs <= now || dead.has(name) || !nodes.has(name));
  return last.with(
    back.map((name) => [name, now + PODS_REPORT_MS] as const),
    over.map(([name]) => name),
  );
}

/** The event is over, and not every kubelet has reported yet. */
function stillSilent(dead: DeadNodes, held: ReadonlySet<string>, { nodes, now }: World): DeadNodes {
  const doubtUntilMs = now + OUTAGE_DOUBT_MS;
  const silent = [...dead].filter(([name]) => held.has(name) && nodes.get(name)?.ready === 'Unknown');
  return dead.with(silent.map(([name, node]) => [name, { ...node, doubtUntilMs }] as const));
}

function deadNodes(world: World, before: Before | undefined): DeadNodes {
  const { nodes } = world;
  const dead = before?.dead ?? PersistentMap.empty<DeadNode>();
  const changed = before ? nodes.changedKeys(before.raw.nodes) : [...nodes.keys()];
  const looking = changed
    .map((name) => nodes.get(name))
    .filter((node) => node !== undefined)
    .filter(looksDead);
  const found = before ? looking.flatMap((node) => dying(node, world, dead)) : atStart(looking, world);
  return dead.with(
    found,
    changed.filter((name) => !looksDead(nodes.get(name))),
  );
}

/** A node that speaks again and is not Ready is in doubt no longer. */
function dying({ name, ready }: Node, world: World, dead: DeadNodes): [string, DeadNode][] {
  const known = dead.get(name);
  if (known === undefined) {
    const doubtMs = ready === 'Unknown' ? silenceDoubtMs(world) : 0;
    return [[name, { sinceMs: world.now, doubtUntilMs: world.now + doubtMs }]];
  }
  const isTold = ready === 'False' && known.doubtUntilMs > world.now;
  return isTold ? [[name, { ...known, doubtUntilMs: world.now }]] : [];
}

function silenceDoubtMs(world: World): number {
  return isAfterOutage(world) ? OUTAGE_DOUBT_MS : world.settings.silentNodeMs;
}

function isAfterOutage({ now, freshness: { regainedAtMs } }: World): boolean {
  return regainedAtMs !== undefined && now < regainedAtMs + ONE_EVENT_MS;
}

function atStart(looking: readonly Node[], world: World): [string, DeadNode][] {
  const announced =
    looking.length > 0 && isAfterOutage(world) ? retainedNextHops(world.retained) : new Set<string>();
  return looking.map(({ name, ready, addresses }) => {
    const isDoubted = ready === 'Unknown' && addresses.some(({ address }) => announced.has(address.text));
    return [name, isDoubted ? { sinceMs: world.now, doubtUntilMs: world.now + OUTAGE_DOUBT_MS } : LONG_AGO];
  });
}

function retainedNextHops(retained: RetainedTables): ReadonlySet<string> {
  const tables = [...retained.values()].flatMap((table) => [...table.values()]);
  return new Set(tables.flatMap((paths) => paths.map(({ nextHop }) => nextHop)));
}

function areTooMany(dead: DeadNodes, nodes: World['nodes'], settings: World['settings']): boolean {
  return dead.size * 100 > settings.deadNodesPercent * nodes.size;
}

function heldNodes(
  dead: DeadNodes,
  areMany: boolean,
  last: ReadonlySet<string>,
  now: number,
): ReadonlySet<string> {
  if (dead.size === 0) {
    return NOBODY;
  }
  const isOfOneEvent = (name: string, { sinceMs }: DeadNode): boolean =>
    areMany && (last.has(name) || sinceMs > now - ONE_EVENT_MS);
  const held = new Set(
    [...dead]
      .filter(([name, node]) => node.doubtUntilMs > now || isOfOneEvent(name, node))
      .map(([name]) => name),
  );
  return held.size === last.size && held.isSubsetOf(last) ? last : held;
}

function wakeAtMs(dead: DeadNodes, returned: SilentNodes['returned'], now: number): number | undefined {
  const doubts = Array.from(dead.values(), ({ doubtUntilMs }) => doubtUntilMs);
  return earliest(...[...doubts, ...returned.values()].filter((end) => end > now));
}
