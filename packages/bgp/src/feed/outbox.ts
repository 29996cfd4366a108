// What one session still has to say: the wanted table in, at any time; the next message out, when there is room
// for it. No IO: the socket asks, so a slow bgpd costs no memory.
//
// What has not been sent is never queued. The outbox knows the table that the peer will hold once it has read
// everything handed out, and compares that with the newest wanted one, a batch of prefixes at a time. A batch
// that has begun is finished: what is left of it is no more than what a socket buffer holds anyway.
//
// After the first table come the End-of-RIBs (RFC 4724 section 2), once. A change of the prefix named `last` is
// a batch of its own that comes after every other change known by then, in the first table right before the
// End-of-RIBs: a peer who has it has everything.

import { PersistentMap, type Family, type PrefixRoutes, type RouteTable } from '@herald/net';
import type { UpdateMessage } from '../wire/message.ts';
import type { Negotiated } from '../wire/negotiated.ts';
import { endOfRib } from '../wire/update.ts';
import { packInBlocks } from './blocks.ts';
import { diff, forgotten } from './diff.ts';
import type { Refusal } from './pack.ts';

/** Prefixes in a batch: enough to fill messages, little enough that a newer table does not wait for long. */
const BATCH_PREFIXES = 1024;

type Session = Pick<Negotiated, 'families' | 'addPathSend' | 'maximumLength'>;
type Batch = Generator<UpdateMessage | Refusal, void, undefined>;

export class Outbox {
  readonly #session: Session;
  readonly #last: string | undefined;
  #wanted: RouteTable;
  /** What the peer holds when it has read all that was handed out and the rest of the batch. */
  #said: RouteTable = PersistentMap.empty<PrefixRoutes>();
  #keys: readonly string[] = [];
  #next = 0;
  /** The prefix named `last` differs too; it is not among `#keys`. */
  #lastOwed = false;
  /** What `#keys` was computed for; another wanted table makes them stale. */
  #keysFor: RouteTable | undefined;
  #batch: Iterator<UpdateMessage | Refusal> = [].values();
  #firstTable = true;
  #endOfRibSaid = false;

  constructor(session: Session, table: RouteTable, last: string | undefined) {
    this.#session = session;
    this.#wanted = table;
    this.#last = last;
  }

  /** All End-of-RIBs have been handed out. */
  get endOfRibSaid(): boolean {
    return this.#endOfRibSaid;
  }

  /** Nothing wanted is left to say; to be asked after `next` gave undefined. */
  get isDone(): boolean {
    return this.#endOfRibSaid && this.#said === this.#wanted;
  }

  set(table: RouteTable): void {
    this.#wanted = table;
  }

  /** The peer asks for a family again (RFC 2918): what is said of it no longer counts. */
  refresh(family: Family): void {
    this.#said = forgotten(this.#said, family);
    this.#keysFor = undefined;
  }

  /** Undefined when everything wanted has been said. */
  next(): UpdateMessage | Refusal | undefined {
    for (;;) {
      const { value, done } = this.#batch.next();
      if (done !== true) {
        return value;
      }
      const batch = this.#nextBatch();
      if (batch === undefined) {
        return undefined;
      }
      this.#batch = batch;
    }
  }

  #nextBatch(): Batch | undefined {
    if (this.#keysFor !== this.#wanted) {
      this.#compare();
    }
    if (this.#next < this.#keys.length) {
      const keys = this.#keys.slice(this.#next, this.#next + BATCH_PREFIXES);
      this.#next += keys.length;
      return this.#changes(keys);
    }
    if (this.#firstTable) {
      this.#firstTable = false;
      return this.#firstTableEnd(this.#lastChange());
    }
    if (this.#lastOwed) {
      return this.#lastChange();
    }
    this.#said = this.#wanted; // same content: from now on unchanged shards are the same reference
    return undefined;
  }

  #compare(): void {
    const keys = this.#wanted.changedKeys(this.#said);
    this.#keys = keys.filter((key) => key !== this.#last);
    this.#lastOwed = this.#keys.length < keys.length;
    this.#next = 0;
    this.#keysFor = this.#wanted;
  }

  #lastChange(): Batch {
    const keys = this.#lastOwed && this.#last !== undefined ? [this.#last] : [];
    this.#lastOwed = false;
    return this.#changes(keys);
  }

  #changes(keys: readonly string[]): Batch {
    const { families, addPathSend: addPath, maximumLength } = this.#session;
    const changes = diff(this.#said, this.#wanted, keys, { families, addPath });
    const entries: [string, PrefixRoutes][] = [];
    const removed: string[] = [];
    for (const key of keys) {
      const entry = this.#wanted.get(key);
      if (entry === undefined) {
        removed.push(key);
      } else {
        entries.push([key, entry]);
      }
    }
    this.#said = this.#said.with(entries, removed);
    return packInBlocks(changes, { addPath, maximumLength });
  }

  /** One batch, so that a newer table cannot come between the last prefix and the End-of-RIBs. */
  *#firstTableEnd(last: Batch): Batch {
    yield* last;
    for (const family of this.#session.families) {
      yield endOfRib(family);
    }
    this.#endOfRibSaid = true;
  }
}
