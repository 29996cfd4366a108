// Brings the nodes up to date as routes see them: the ones that changed, and the ones whose wait to join as a
// node is over. Starting point, joins -> NodeView, names of nodes that look different, what to remember.

import type { StartingPoint } from '../incremental/starting-point.ts';
import { brought } from './join.ts';
import type { Join, JoinClock } from './join.ts';
import { dueNodes } from './join-memory.ts';
import type { JoinMemory } from './join-memory.ts';
import { refreshedNodes } from './node-view.ts';
import type { NodeView } from './node-view.ts';

export interface Joins {
  readonly memory: JoinMemory;
  readonly clock: JoinClock;
}

export interface EvaluatedNodes {
  readonly view: NodeView;
  readonly changed: readonly string[];
  readonly joins: Pick<JoinMemory, 'nodes' | 'arriving'>;
}

export function evaluateNodes(start: StartingPoint, joins: Joins): EvaluatedNodes {
  const { read, base } = start;
  const names = nodesToLookAt(start, joins);
  const { view, changed } = refreshedNodes(base.view, read.nodes, names, base.policy, (name) =>
    nodeJoin(name, joins),
  );
  return { view, changed, joins: remembered(joins.memory, view, names) };
}

function nodesToLookAt({ read, base, kind }: StartingPoint, { memory, clock }: Joins): ReadonlySet<string> {
  return new Set([
    ...read.nodes.changedKeys(base.read.nodes),
    ...dueNodes(memory, clock),
    // A fresh start compares with nothing, and so would not see who is gone.
    ...(kind === 'fresh' ? memory.nodes.keys() : []),
  ]);
}

function nodeJoin(name: string, { memory, clock }: Joins): Join {
  return brought(memory.nodes.get(name) ?? clock.arriving, undefined, clock);
}

function remembered(
  { nodes, arriving }: JoinMemory,
  view: NodeView,
  names: ReadonlySet<string>,
): EvaluatedNodes['joins'] {
  const usable = [...names].flatMap((name): [string, Join][] => {
    const state = view.states.get(name);
    return state && state.reason === undefined ? [[name, state.join]] : [];
  });
  const waiting = usable.filter(([, { settled }]) => !settled);
  return {
    nodes: nodes.with(usable, without(names, usable)),
    arriving: arriving.with(waiting, without(names, waiting)),
  };
}

function without(names: ReadonlySet<string>, entries: readonly (readonly [string, Join])[]): string[] {
  const listed = new Set(entries.map(([name]) => name));
  return [...names].filter((name) => !listed.has(name));
}
