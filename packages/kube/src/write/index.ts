export type { OwnKind } from './lane.ts';
export { ReplicaWriter } from './replica-writer.ts';
export type { ReplicaWriterOptions } from './replica-writer.ts';
export type { WriteGate } from './leader-client.ts';
export { ServiceWriter } from './service-writer.ts';
export type { ServiceWriterOptions } from './service-writer.ts';
export { StatusWriter } from './status-writer.ts';
export type { StatusWriterOptions } from './status-writer.ts';
export type {
  ObjectReference,
  ServiceCondition,
  WantedCondition,
  WantedEvent,
  WantedObjectStatus,
  WantedStatus,
} from './wanted-status.ts';
export { statusKind, WriteCounts } from './write-counts.ts';
export type { CountedWrite } from './write-counts.ts';
