// What one replica tells the others of itself, and what people are shown of it.

export interface ReplicaReport {
  readonly replica: string;
  /** Of the process, so that a replica recognises itself behind an address. */
  readonly instance: string;
  /** It has had no contact with its source for too long. */
  readonly stale: boolean;
  /** Since its last contact, in milliseconds. */
  readonly ageMs: number;
  readonly leading: boolean;
  readonly term: number;
  /** It has been told to end. */
  readonly leaving: boolean;
  /** Addresses of routers with an established session that were sent the complete table. */
  readonly serves: readonly string[];
}
