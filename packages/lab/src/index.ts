/** The lab's public surface: what demo, tests and benchmarks build their networks from. */
export * from './address-plan.ts';
export { CommandError, run, tryRun } from './command.ts';
export { forgetHalfOpen } from './half-open.ts';
export { FibMonitor } from './fib-monitor.ts';
export type { FibListener } from './fib-monitor.ts';
export { ensureFrrRoot } from './frr-root.ts';
export type { FrrRoot, Progress } from './frr-root.ts';
export type { FibEvent, FibNextHop, FibRoute } from './ip-route.ts';
export { Lab } from './lab.ts';
export { sweepStaleLabs } from './ledger.ts';
export { Namespace, addBridge, connect, plug } from './namespace.ts';
export type { IpFamily, LinkEnd } from './namespace.ts';
export { POD_USER, Pod, REPOSITORY, SHARED_PATH, bgpdFlags } from './pod.ts';
export type { PodRunOptions, PodSettings } from './pod.ts';
export { missingPrerequisites } from './prerequisites.ts';
export type { Daemon } from './prerequisites.ts';
export { Program } from './program.ts';
export type { LineListener, ProgramExit, ProgramOptions } from './program.ts';
export { RequestClient } from './request-client.ts';
export type { CountedRequestOptions, RequestOptions, RequestTotals, Target } from './request-client.ts';
export { BirdRouter } from './routers/bird-router.ts';
export { createRouter } from './routers/create-router.ts';
export type { RootSettings, RouterKind } from './routers/create-router.ts';
export { FrrRouter } from './routers/frr-router.ts';
export type { FrrRouterSettings } from './routers/frr-router.ts';
export { GobgpRouter } from './routers/gobgp-router.ts';
export { OpenbgpdRouter } from './routers/openbgpd-router.ts';
export { Router } from './routers/router.ts';
export type {
  ListenRangeOptions,
  NeighborOptions,
  PeerOptions,
  RouterOptions,
  RouterPath,
  RouterSession,
  RouterSettings,
} from './routers/router.ts';
export type { RouterSite } from './router-site.ts';
export type { Mount } from './sandbox.ts';
export { UPLINK } from './segment.ts';
export type { TcpBytes } from './tcp-reassembler.ts';
export { Topology } from './topology.ts';
export type { ControlPlane, TopologyOptions } from './topology.ts';
export { UpdateCapture } from './update-capture.ts';
export type { UpdateCaptureOptions } from './update-capture.ts';
export { VtyError, vtyCommand, vtyJson } from './vty.ts';
export { NotYet, WaitError, notYet, waitFor } from './wait-for.ts';
export type { Probe } from './wait-for.ts';
export { Worker } from './worker.ts';
export type { ListenOptions, WorkerSettings } from './worker.ts';
export { cacheDirectory } from './cache-directory.ts';
export type { AuditedRequest } from './cluster/audit-log.ts';
export { Cluster } from './cluster/cluster.ts';
export { clusterCommand } from './cluster/cluster-command.ts';
export type { ClusterCommandOptions } from './cluster/cluster-command.ts';
export type { ClusterFacts, NodeFacts, RouterFacts } from './cluster/cluster-facts.ts';
export { ROUTER_ASN, UP_ROUTERS, openRouter } from './cluster/cluster-keeper.ts';
export { ClusterNode } from './cluster/cluster-node.ts';
export type { NodeProgram, PodTraffic } from './cluster/cluster-node.ts';
export {
  API_ADDRESSES,
  API_PORT,
  KUBE_PROXY_HEALTH_PORT,
  POD_RANGES,
  SERVICE_RANGES,
} from './cluster/cluster-plan.ts';
export type { NodePlan, NodeRole } from './cluster/cluster-plan.ts';
export { CLUSTER_PACKAGES, missingClusterPrerequisites } from './cluster/cluster-prerequisites.ts';
export type { ClusterOptions } from './cluster/cluster-start.ts';
export { isReadyNode } from './cluster/cluster-status.ts';
export type { ClusterStatus, NodeConditions } from './cluster/cluster-status.ts';
export type { ControlPlane as ClusterControlPlane, ControlPlaneProgram } from './cluster/control-plane.ts';
export { ensureGoBinaries, missingGo } from './cluster/go-binaries.ts';
export type { GoBinaries, GoModule } from './cluster/go-binaries.ts';
export { WEB_IMAGE, WEB_PORT, WEB_READINESS_PORT } from './cluster/lab-images.ts';
export { writeOciArchive } from './cluster/oci-archive.ts';
export type { ImageSettings } from './cluster/oci-archive.ts';
