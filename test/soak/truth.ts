// What is true of the world while it is troubled: which nodes serve which prefix, which ones did until a moment ago, and
// whether a prefix has to be there. Changes in; what a router may and must have at any moment out.

/**
 * What is gone is gone from every router after this: a replica without contact is stale after 6 s, leaves a router to a
 * fresh one that has served it for 10 s, and a busy machine takes its time.
 */
export const GRACE_MS = 18_000;
/** A node that is silent stays for so long before it counts (guard.silentNodeDelay). */
export const SILENCE_MS = 10_000;

interface Served {
  /** Names of nodes. */
  readonly nodes: ReadonlySet<string>;
  /** Name of a node that was taken out -> until when a router may still have it. */
  readonly leaving: ReadonlyMap<string, number>;
}

const NOTHING: Served = { nodes: new Set(), leaving: new Map() };

export class Truth {
  readonly #prefixes = new Map<string, Served>();

  get prefixes(): readonly string[] {
    return [...this.#prefixes.keys()];
  }

  nodes(prefix: string): readonly string[] {
    return [...(this.#prefixes.get(prefix) ?? NOTHING).nodes].sort();
  }

  /** Nodes that are about to be written: from now on a router may have them, and those of before, too. */
  announce(prefix: string, nodes: readonly string[]): void {
    const before = this.#prefixes.get(prefix) ?? NOTHING;
    this.#prefixes.set(prefix, { ...before, nodes: new Set([...before.nodes, ...nodes]) });
  }

  /** They have been written: what is not among them is to leave. `moreMs`: nobody can know before. */
  settle(prefix: string, nodes: readonly string[], moreMs = 0): void {
    const before = this.#prefixes.get(prefix) ?? NOTHING;
    const untilMs = Date.now() + GRACE_MS + moreMs;
    const leaving = new Map([...before.leaving].filter(([, end]) => end > Date.now()));
    before.nodes.forEach((node) => leaving.set(node, untilMs));
    nodes.forEach((node) => leaving.delete(node));
    this.#prefixes.set(prefix, { nodes: new Set(nodes), leaving });
  }

  mayHave(prefix: string, node: string, atMs: number): boolean {
    const { nodes, leaving } = this.#prefixes.get(prefix) ?? NOTHING;
    return nodes.has(node) || (leaving.get(node) ?? 0) >= atMs;
  }

  /** Somebody serves it. */
  mustBeThere(prefix: string): boolean {
    return (this.#prefixes.get(prefix) ?? NOTHING).nodes.size > 0;
  }
}
