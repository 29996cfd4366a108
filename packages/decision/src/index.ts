export type { Allocation, FamilyCount, PoolVerdict } from './allocate/allocation.ts';
export type { CheckOutcome } from './checks/check.ts';
export { nodeReason } from './checks/node-checks.ts';
export type { Decided } from './decide.ts';
export { decide, deciding } from './decide.ts';
export type { Steps } from './steps.ts';
export type {
  AdvertisementVerdict,
  Decision,
  Joining,
  PeerRoutes,
  PeerSession,
  ServiceVerdict,
  SessionPlan,
  Tables,
} from './decision.ts';
export type { ExplainedAddress, ExplainedNode, ExplainedPrefix, Explanation } from './explain.ts';
export { explain } from './explain.ts';
export { keepEqual } from './incremental/keep-equal.ts';
export type { Memory } from './memory.ts';
export { emptyMemory } from './memory.ts';
export type { Instance, PeerVerdict, ResolvedPeer } from './peers/resolved-peer.ts';
export type { PlannedPeer, PlannedSessions } from './peers/session-of-peer.ts';
export type { Cover, Covers } from './peers/withdraw-peers.ts';
export { nextCovers, staleVerdict } from './peers/withdraw-peers.ts';
export type { KeptTables } from './routes/kept-tables.ts';
export { keptTables } from './routes/kept-tables.ts';
export type { ExplainedNextHop, ExplainedPeer, LeftOut } from './routes/explain-prefix.ts';
export type {
  DecisionSettings,
  Freshness,
  Leadership,
  OtherReplica,
  PerFamily,
  Replica,
  Replicas,
  RetainedPath,
  RetainedTables,
  SessionState,
  World,
} from './world.ts';
export { ALONE } from './world.ts';
