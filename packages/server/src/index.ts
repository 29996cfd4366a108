export type { ListenAddress } from './loopback.ts';
export type { Observer } from './metrics/metrics.ts';
export type { TokenCheck } from './pod-access.ts';
export type { PodListenerOptions } from './pod-listener.ts';
export { createServer } from './server.ts';
export type { Server, ServerOptions } from './server.ts';
export type {
  FeedCounters,
  FeedView,
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
