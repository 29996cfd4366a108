// Does for a folder what an API server does with `status.loadBalancer`: keeps the addresses that were given
// to a Service and shows them in it. Only what is safely on disk is shown, because what is shown is
// announced. A manifest that states addresses itself wins; a write for another object of the same name
// (another UID) is dropped, as a failed precondition would be.
//
// Not a second allocator: it gives nothing and judges nothing. Addresses of a Service that is gone go too.

import type { Service } from '@herald/api';
import { sameProjected } from '@herald/api';
import type { Parsed } from '@herald/net';
import { parseAddress } from '@herald/net';
import type { AddressWrite } from '../source.ts';
import { loadAddresses, saveAddresses, type AddressBook, type KeptAddresses } from './address-file.ts';

export class StatusOverlay {
  readonly #path: string;
  #book: AddressBook = new Map();
  #saving: Promise<unknown> = Promise.resolve();
  /** Keys of Services whose addresses may have to go; they stay here until that is on disk. */
  readonly #leaving = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  async load(): Promise<Parsed<AddressBook>> {
    const book = await loadAddresses(this.#path);
    this.#book = book.ok ? book.value : new Map();
    return book;
  }

  /** Keys of the Services that have addresses kept. */
  keys(): string[] {
    return [...this.#book.keys()];
  }

  /** The Service as it is shown: with its kept addresses unless its manifest has some. */
  shown(service: Service): Service {
    const kept = this.#book.get(service.key);
    const applies = kept?.uid === service.uid && service.ingress.length === 0;
    return applies ? { ...service, ingress: kept.addresses } : service;
  }

  /** Resolves with the keys of the Services that show something else now, once that is on disk. */
  async apply(
    writes: readonly AddressWrite[],
    find: (key: string) => Service | undefined,
  ): Promise<string[]> {
    return this.#change((book) => {
      for (const write of writes) {
        const kept = keptOf(write, find(write.serviceKey));
        if (kept !== 'dropped') {
          setOrDelete(book, write.serviceKey, kept);
        }
      }
    });
  }

  /** What was to be forgotten and could not be written; the next `forget` tries again. */
  get isForgetting(): boolean {
    return this.#leaving.size > 0;
  }

  /** Forgets the addresses of those Services that are gone or were replaced by another of the same name. */
  async forget(keys: Iterable<string>, find: (key: string) => Service | undefined): Promise<void> {
    const asked = [...this.#leaving, ...keys];
    const gone = asked.filter((key) => this.#isOutdated(key, find(key)));
    gone.forEach((key) => this.#leaving.add(key));
    if (gone.length > 0) {
      await this.#change((book) => gone.forEach((key) => book.delete(key)));
    }
    asked.forEach((key) => this.#leaving.delete(key));
  }

  #isOutdated(key: string, service: Service | undefined): boolean {
    const kept = this.#book.get(key);
    return kept !== undefined && kept.uid !== service?.uid;
  }

  /** One change at a time, each seeing the result of the one before. */
  async #change(edit: (book: Map<string, KeptAddresses>) => void): Promise<string[]> {
    const run = this.#saving.then(async () => {
      const book = new Map(this.#book);
      edit(book);
      const changed = changedServices(this.#book, book);
      if (changed.length > 0) {
        await saveAddresses(this.#path, book);
        this.#book = book;
      }
      return changed;
    });
    this.#saving = run.catch(() => undefined);
    return run;
  }
}

function keptOf(write: AddressWrite, service: Service | undefined): KeptAddresses | undefined | 'dropped' {
  if (service?.uid !== write.uid) {
    return 'dropped';
  }
  const addresses = write.addresses
    .map(({ text }) => parseAddress(text))
    .filter((parsed) => parsed.ok)
    .map((parsed) => parsed.value);
  return addresses.length === 0 ? undefined : { uid: write.uid, addresses };
}

function setOrDelete(book: Map<string, KeptAddresses>, key: string, kept: KeptAddresses | undefined): void {
  if (kept === undefined) {
    book.delete(key);
  } else {
    book.set(key, kept);
  }
}

function changedServices(before: AddressBook, after: AddressBook): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !sameProjected(before.get(key), after.get(key)),
  );
}
