export { EXCHANGE_PATH } from './exchange/exchange-endpoint.ts';
export type { ExchangeOptions } from './exchange/exchange-endpoint.ts';
export { readKeys } from './exchange/exchange-keys.ts';
export type { ReplicaReport } from './exchange/replica-report.ts';
export { ask, unseal } from './exchange/seal.ts';
export type { Question } from './exchange/seal.ts';
export type { ListenAddress } from './loopback.ts';
export type { Observer } from './metrics/metrics.ts';
export type { TokenCheck } from './pod-access.ts';
export type { PodListenerOptions } from './pod-listener.ts';
export { createServer } from './server.ts';
export type { Server, ServerOptions } from './server.ts';
export type {
  ExchangeView,
  FeedCounters,
  FeedView,
  KeptView,
  KubernetesView,
  LeaderView,
  LoopView,
  NotReady,
  RequestCount,
  RunningPeer,
  SourceView,
  ViewSource,
  Views,
  WatchView,
  WriteCount,
} from './views.ts';
