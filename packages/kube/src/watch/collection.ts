// What a list-watch loop is told to follow, and what it tells whoever keeps the objects. One value for each
// collection of the API: where it is, what is kept of its objects, and whether it may be missing.

import type { Fault, Projected } from '@herald/api';

export interface Collection<T> {
  /** How the collection is called in faults: "Nodes", "Secret herald/tor-1". */
  readonly title: string;
  readonly kind: string;
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string>>;
  /** What is kept of an object; must not hold on to the rest of it. */
  project(object: unknown): Projected<T>;
  /** Of a kind that is installed with Herald: a server that does not know it (404) has none of them. */
  readonly mayBeMissing: boolean;
}

/** An object as it was read. */
export interface Entry<T> {
  /** Name, or namespace/name. */
  readonly key: string;
  readonly resourceVersion: string;
  /** Of its spec; undefined for kinds that do not count. */
  readonly generation: number | undefined;
  /** undefined: it could not be used, and the faults say why. */
  readonly value: T | undefined;
  readonly faults: readonly Fault[];
}

export type Change<T> =
  | { readonly kind: 'set'; readonly entry: Entry<T> }
  | { readonly kind: 'removed'; readonly key: string };

/** complete: what is not among the entries is gone. partial: nothing can be said about it. */
export type Extent = 'complete' | 'partial';

export interface Keeper<T> {
  /** Objects that are kept now. */
  readonly size: number;
  replace(entries: readonly Entry<T>[], extent: Extent): void;
  /** All that arrived at once, in its order. */
  change(changes: readonly Change<T>[]): void;
  /** An object that could not be taken in; the loop goes on without it. */
  setAside(key: string, fault: Fault): void;
}

/** forbidden, missing: for an administrator. suspect: waiting for a second list. incomplete: an object was too large. */
export type TroubleKind =
  | 'unreachable'
  | 'refused'
  | 'forbidden'
  | 'missing'
  | 'malformed'
  | 'suspect'
  | 'incomplete';

/** What keeps a collection from being followed, or from being believed. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** Continues the sentence after the collection's title. */
  readonly rule: string;
}
