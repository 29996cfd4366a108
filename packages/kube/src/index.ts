export { ClusterSource } from './cluster/cluster-source.ts';
export type { ClusterOptions, CurrentService } from './cluster/cluster-source.ts';
export { withOneUnreachable } from './cluster/trouble-fault.ts';
export type { WatchFreshness } from './cluster/watch-freshness.ts';
export { ReplicaStore } from './cluster/replica-store.ts';
export type { ReplicaStoreOptions } from './cluster/replica-store.ts';
export { FolderSource } from './folder/folder-source.ts';
export type { FolderOptions, FolderTimes } from './folder/folder-source.ts';
export { readFolder } from './folder/read-folder.ts';
export type { FolderContent } from './folder/read-folder.ts';
export type { AddressWrite, AddressWriter, Source } from './source.ts';
export type { Unsubscribe } from './stores/change-signal.ts';
export type { ObjectSet } from './stores/object-set.ts';
export { ApiClient } from './transport/api-client.ts';
export { ApiError, retryAfterMs } from './transport/api-error.ts';
export type { ApiErrorKind } from './transport/api-error.ts';
export type { ApiRequest } from './transport/api-request.ts';
export type { RequestCount } from './transport/request-counts.ts';
export type { WatchTimes } from './watch/watch-times.ts';
export { Elector, UptimeClock } from './lease/index.ts';
export type { Clock, ElectorOptions, Leadership } from './lease/index.ts';
export { ReplicaWriter, ServiceWriter, statusKind, StatusWriter, WriteCounts } from './write/index.ts';
export type {
  CountedWrite,
  ObjectReference,
  OwnKind,
  ReplicaWriterOptions,
  ServiceCondition,
  ServiceWriterOptions,
  StatusWriterOptions,
  WantedCondition,
  WantedEvent,
  WantedObjectStatus,
  WantedStatus,
  WriteGate,
} from './write/index.ts';
export { TokenAccess } from './access/token-access.ts';
export type { TokenAccessOptions } from './access/token-access.ts';
