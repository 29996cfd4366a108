// What the controller needs from a place that objects come from, whether that is a folder of manifests or
// an API server: whole snapshots, a signal, faults, its freshness; and from where allocated addresses go.

import type { Fault, Service } from '@herald/api';
import type { Unsubscribe } from './stores/change-signal.ts';
import type { ObjectSet } from './stores/object-set.ts';

/** A wanted write to a Service's addresses; no addresses means: take away what was given. */
export interface AddressWrite {
  readonly serviceKey: string;
  /** The Service that was decided about; a write for an object that was replaced since is dropped. */
  readonly uid: string;
  readonly addresses: readonly { readonly text: string }[];
  /** What was decided about; a write is dropped if the source shows another reference by now. */
  readonly decidedFrom: Service;
  /** The leadership in which it was decided. */
  readonly term: number;
}

export interface AddressWriter {
  /** Keeps addresses for good; they show in a later snapshot. */
  applyAllocations(writes: readonly AddressWrite[]): Promise<void>;
}

export interface Source {
  /** The newest whole state; the same reference as long as nothing changed. */
  snapshot(): ObjectSet;
  /** False until everything that there was at the start has been read. */
  readonly synced: boolean;
  /** Called without payload when the snapshot, `synced` or the faults changed. */
  onChange(listener: () => void): Unsubscribe;
  /** What is wrong with the input now: object, field, rule. */
  faults(): readonly Fault[];
  /** When the source was last known to be current, in milliseconds since the epoch; 0 before the first time. */
  readonly freshAtMs: number;
  close(): Promise<void>;
}
