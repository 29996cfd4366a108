// What a router's kernel does with prefixes, held against what is true: every next hop is a node that serves or did until
// a moment ago, and no prefix that somebody serves is without one. Next hops and moments in, violations out; pure.

import type { Truth } from './truth.ts';

/** BIRD and zebra (IPv6) take a route out and put it back within a millisecond; a request does not notice. */
const BLINK_MS = 50;

export interface Violation {
  readonly atMs: number;
  readonly text: string;
}

export class RouteClaims {
  readonly #truth: Truth;
  readonly #violations: Violation[] = [];
  /** Prefix -> names of the nodes that the kernel sends to. */
  readonly #kernel = new Map<string, readonly string[]>();
  /** Prefix that has to be there and is not -> since when. */
  readonly #missing = new Map<string, number>();
  /** Said once, until it is no longer so. */
  readonly #said = new Set<string>();

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** The kernel sends there from now on. */
  take(prefix: string, nodes: readonly string[], atMs: number): void {
    this.#wasMissing(prefix, atMs);
    this.#kernel.set(prefix, nodes);
    this.#missing.delete(prefix);
    if (nodes.length === 0 && this.#truth.mustBeThere(prefix)) {
      this.#missing.set(prefix, atMs);
    }
    this.#mayBe(prefix, atMs);
  }

  /** Time has passed. */
  look(nowMs: number): void {
    for (const prefix of this.#truth.prefixes) {
      this.#mayBe(prefix, nowMs);
      if (!this.#truth.mustBeThere(prefix)) {
        this.#missing.delete(prefix);
      }
      this.#wasMissing(prefix, nowMs);
    }
  }

  /** Where the kernel is not as it should be by now; empty: everything is. */
  differences(): readonly string[] {
    return this.#truth.prefixes.flatMap((prefix) => {
      const [has, wants] = [this.#kernel.get(prefix) ?? [], this.#truth.nodes(prefix)];
      return has.toSorted().join() === wants.join()
        ? []
        : [`${prefix} via [${has.join(' ')}], not [${wants.join(' ')}]`];
    });
  }

  #wasMissing(prefix: string, nowMs: number): void {
    const sinceMs = this.#missing.get(prefix);
    const ms = sinceMs === undefined ? 0 : Math.round(nowMs - sinceMs);
    this.#say(ms > BLINK_MS, `${prefix} is not there`, `${prefix} has had no next hop for ${ms} ms`, nowMs);
  }

  #mayBe(prefix: string, nowMs: number): void {
    for (const node of this.#kernel.get(prefix) ?? []) {
      const isWrong = !this.#truth.mayHave(prefix, node, nowMs);
      const text = `${prefix} leads to ${node}, which does not serve it`;
      this.#say(isWrong, `${prefix} ${node}`, text, nowMs);
    }
  }

  #say(isSo: boolean, subject: string, text: string, atMs: number): void {
    if (!isSo) {
      this.#said.delete(subject);
    } else if (!this.#said.has(subject)) {
      this.#said.add(subject);
      this.#violations.push({ atMs, text });
    }
  }
}
