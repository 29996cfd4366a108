export type { AfiSafi } from './wire/afi-safi.ts';
export { unicast, unicastFamily } from './wire/afi-safi.ts';
export type { AddPathMode, Capability, CapabilityOf } from './wire/capability.ts';
export type { Decoded } from './wire/codec.ts';
export { decode, encode } from './wire/codec.ts';
export { MessageFramer } from './wire/framer.ts';
export type {
  Aggregator,
  AsSegment,
  Attributes,
  ExtendedCommunity,
  KeepaliveMessage,
  Message,
  Nlri,
  NotificationMessage,
  OpenMessage,
  Origin,
  Reach,
  RouteRefreshMessage,
  UnknownAttribute,
  Unreach,
  UpdateMessage,
} from './wire/message.ts';
export type { Negotiated } from './wire/negotiated.ts';
export { BEFORE_OPEN, capabilityOf, negotiate } from './wire/negotiated.ts';
export {
  administrativeShutdown,
  communicationOf,
  hardResetReason,
  notification,
} from './wire/notification.ts';
export type { Disposition, Outcome, WireProblem } from './wire/problem.ts';
export { endOfRib, endOfRibFamily, updateMessage } from './wire/update.ts';
export type {
  SessionAction,
  SessionEvent,
  SessionSettings,
  SessionState,
  Step,
  Timer,
} from './fsm/session.ts';
export { IDLE, step } from './fsm/step.ts';
export type { Change, DiffOptions } from './feed/diff.ts';
export { diff } from './feed/diff.ts';
export type { PackOptions, Refusal, RefusalReason } from './feed/pack.ts';
export { pack } from './feed/pack.ts';
export type {
  FeedCounters,
  FeedEvents,
  FeedProblem,
  FeedProblemReason,
  FeedSettings,
  FeedState,
} from './feed/settings.ts';
export type { FeedOptions } from './feed/io/feed.ts';
export { Feed } from './feed/io/feed.ts';
export { Listeners } from './feed/io/listeners.ts';
