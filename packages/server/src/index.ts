export type { ListenAddress } from './loopback.ts';
export type { Observer } from './metrics/metrics.ts';
export { createServer } from './server.ts';
export type { Server, ServerOptions } from './server.ts';
export type { FeedCounters, FeedView, LoopView, NotReady, SourceView, ViewSource, Views } from './views.ts';
