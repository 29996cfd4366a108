// What every projected object carries, and the words shared by all of them. A projected object is the
// part of an API object that Herald reads, parsed once: whatever Herald does not read is absent, so that
// a heartbeat or a field of somebody else makes no difference. Values never change after projection.

export type Labels = Readonly<Record<string, string>>;

export interface Meta {
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch; 0 when the object does not say (a manifest). */
  readonly createdAt: number;
  readonly labels: Labels;
}
