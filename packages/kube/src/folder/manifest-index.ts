// Which file's object counts. One object may stand in several files: the first by path wins, the others are
// said as `DuplicateObject` and take over when the winner goes. Input: what one file holds now; output: the
// objects whose winner changed. Costs what the file holds, not what the folder holds.

import type { Fault } from '@herald/api';
import { objectRef, type KubeObject, type ObjectRef } from '../stores/object-set.ts';
import type { ManifestContent } from './manifest-content.ts';
import { duplicateFault } from './manifest-fault.ts';

export interface IndexChange {
  readonly objects: readonly KubeObject[];
  readonly removed: readonly ObjectRef[];
}

type Holders = Map<string, KubeObject>;

const NO_OBJECTS: ReadonlyMap<string, KubeObject> = new Map();

export class ManifestIndex {
  readonly #files = new Map<string, ManifestContent>();
  /** By object name: the files that hold it, by path. */
  readonly #holders = new Map<string, Holders>();
  readonly #faulty = new Set<string>();
  readonly #duplicates = new Set<string>();

  /** What the file holds now; undefined when it is gone. */
  update(path: string, content: ManifestContent | undefined): IndexChange {
    const before = this.#files.get(path)?.objects ?? NO_OBJECTS;
    const after = content?.objects ?? NO_OBJECTS;
    const objects: KubeObject[] = [];
    const removed: ObjectRef[] = [];
    for (const name of changedNames(before, after)) {
      const known = this.find(name);
      const winner = this.#replace(name, path, after.get(name));
      if (winner === undefined) {
        removed.push(...(known === undefined ? [] : [objectRef(known)]));
      } else if (winner !== known) {
        objects.push(winner);
      }
    }
    this.#setFile(path, content);
    return { objects, removed };
  }

  /** The object that counts under this name ("Service default/web"). */
  find(name: string): KubeObject | undefined {
    const holders = this.#holders.get(name) ?? new Map<string, KubeObject>();
    return holders.get(firstPath(holders) ?? '');
  }

  paths(): IterableIterator<string> {
    return this.#files.keys();
  }

  content(path: string): ManifestContent | undefined {
    return this.#files.get(path);
  }

  faults(): Fault[] {
    const ofFiles = [...this.#faulty].sort().flatMap((path) => this.#files.get(path)?.faults ?? []);
    return [...ofFiles, ...[...this.#duplicates].sort().flatMap((name) => this.#duplicateFaults(name))];
  }

  #setFile(path: string, content: ManifestContent | undefined): void {
    if (content === undefined) {
      this.#files.delete(path);
    } else {
      this.#files.set(path, content);
    }
    if (content === undefined || content.faults.length === 0) {
      this.#faulty.delete(path);
    } else {
      this.#faulty.add(path);
    }
  }

  #replace(name: string, path: string, object: KubeObject | undefined): KubeObject | undefined {
    const holders = this.#holders.get(name) ?? new Map<string, KubeObject>();
    if (object === undefined) {
      holders.delete(path);
    } else {
      holders.set(path, object);
    }
    this.#keep(name, holders);
    return this.find(name);
  }

  #keep(name: string, holders: Holders): void {
    if (holders.size === 0) {
      this.#holders.delete(name);
    } else {
      this.#holders.set(name, holders);
    }
    if (holders.size > 1) {
      this.#duplicates.add(name);
    } else {
      this.#duplicates.delete(name);
    }
  }

  #duplicateFaults(name: string): Fault[] {
    const [winner, ...losers] = [...(this.#holders.get(name)?.keys() ?? [])].sort();
    return winner === undefined ? [] : losers.map((loser) => duplicateFault(name, winner, loser));
  }
}

function changedNames(
  before: ReadonlyMap<string, KubeObject>,
  after: ReadonlyMap<string, KubeObject>,
): Set<string> {
  const names = new Set<string>();
  for (const [name, object] of after) {
    if (before.get(name) !== object) {
      names.add(name);
    }
  }
  for (const name of before.keys()) {
    if (!after.has(name)) {
      names.add(name);
    }
  }
  return names;
}

function firstPath(holders: Holders): string | undefined {
  let first: string | undefined;
  for (const path of holders.keys()) {
    if (first === undefined || path < first) {
      first = path;
    }
  }
  return first;
}
