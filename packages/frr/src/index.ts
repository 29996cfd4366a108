export type { AppliedPeer, AppliedPlan } from './plan/applied-plan.ts';
export { feedAttributes } from './plan/dressing.ts';
export type { FeedPlacement } from './plan/feed-neighbor.ts';
export type { FrrConfig } from './plan/frr-config.ts';
export type { PeerRefusal } from './plan/password.ts';
export type { PlannedConfig } from './plan/plan-config.ts';
export { planBoot, planConfig } from './plan/plan-config.ts';
export { MARKER_PREFIX } from './plan/policy.ts';
export { renderBoot } from './render/render-boot.ts';
export { renderConfig } from './render/render-config.ts';
export type { VtyErrorCode } from './vty/vty-error.ts';
export { VtyError } from './vty/vty-error.ts';
export type { VtySettings } from './vty/io/vty-session.ts';
export { VTY_BOUNDS, VtySession } from './vty/io/vty-session.ts';
export { runShow, runShowJson } from './vty/io/run-show.ts';
export type { CommandGroup, Subject } from './apply/diff-config.ts';
export { diffConfig } from './apply/diff-config.ts';
export { holdPeers } from './apply/held-peers.ts';
export type { ResetField } from './apply/neighbor-line.ts';
export type { ResetReason } from './apply/plan-reset.ts';
export { planReset } from './apply/plan-reset.ts';
export type { Statements } from './apply/statements.ts';
export { parseStatements } from './apply/statements.ts';
export type { VtyshProgram } from './apply/io/check-config.ts';
export { ConfigRefused, checkConfig } from './apply/io/check-config.ts';
export type { ApplyProblem } from './apply/io/run-groups.ts';
export type { ApplyOutcome, SessionOutputSettings } from './apply/io/session-output.ts';
export { redialFeed } from './apply/io/redial-feed.ts';
export { SessionOutput } from './apply/io/session-output.ts';
export type { BgpdMemory } from './state/parse-memory.ts';
export type { BgpdSessions, FeedNeighbor, PeerTraffic } from './state/parse-neighbors.ts';
export type { HeldPath, HeldTable } from './state/parse-routes.ts';
export type { InstanceName } from './state/io/bgpd-state.ts';
export {
  readMarkerSeen,
  readMemory,
  readPrefix,
  readRetained,
  readSessions,
  readTable,
} from './state/io/bgpd-state.ts';
export type { LogEvent, LogLevel, LogLine } from './log/parse-log.ts';
export { parseLog } from './log/parse-log.ts';
export { maskSecrets } from './log/mask-secrets.ts';
