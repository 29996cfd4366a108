export type { Advertisement, AdvertisedNextHops, Aggregation } from './model/advertisement.ts';
export type { Endpoint, EndpointSlice } from './model/endpoint-slice.ts';
export type { LabelExpression, LabelSelector, SelectorOperator } from './model/label-selector.ts';
export { matchesAny, matchesSelector } from './model/label-selector.ts';
export type { Labels, Meta } from './model/meta.ts';
export type { Namespace } from './model/namespace.ts';
export type { Node, NodeAddress, NodeAddressType, Taint } from './model/node.ts';
export type { Peer, PeerBfd, PeerGracefulRestart, PeerNextHop } from './model/peer.ts';
export type { Pool, ServiceAllocation } from './model/pool.ts';
export type { Secret, SecretData } from './model/secret.ts';
export { secretData } from './model/secret.ts';
export type { Service, ServicePort } from './model/service.ts';
export type {
  BgpdSettings,
  ElectionSettings,
  ExchangeSettings,
  GuardSettings,
  HttpSettings,
  LogLevel,
  PodListenerSettings,
  ProbeSettings,
  Settings,
  Source,
} from './model/settings.ts';
export type { Fault, Projected } from './fault.ts';
export { REASONS } from './reason.ts';
export type { Reason } from './reason.ts';
export { sameProjected } from './same-projected.ts';
export { formatDuration, parseDuration } from './duration.ts';
export {
  RESOURCE_KINDS,
  customResourceDefinition,
  customResourceDefinitionYaml,
} from './crd/custom-resource-definition.ts';
export type { CustomResourceDefinition } from './crd/custom-resource-definition.ts';
export { fault } from './fault.ts';
export { projectAdvertisement } from './project/bgp-advertisement.ts';
export { projectPeer } from './project/bgp-peer.ts';
export type { Origin } from './project/custom-resource.ts';
export { projectEndpointSlice } from './project/endpoint-slice.ts';
export { projectPool } from './project/ip-address-pool.ts';
export { projectNamespace } from './project/namespace.ts';
export { projectNode } from './project/node.ts';
export { projectObject } from './project/object.ts';
export type { AnyObject } from './project/object.ts';
export { projectSecret } from './project/secret.ts';
export { projectService } from './project/service.ts';
export { isReplicaUrl } from './schema/settings-exchange.ts';
export { parseSettings, settingsJsonSchema } from './project/settings.ts';
export type { Surroundings } from './project/settings.ts';
export { API_VERSION, GROUP, VERSION } from './schema/resource-kind.ts';
export type { PrinterColumn, ResourceKind } from './schema/resource-kind.ts';
export type { BgpAdvertisementStatus } from './schema/bgp-advertisement.ts';
export type { BgpPeerStatus } from './schema/bgp-peer.ts';
export type { HeraldReplicaStatus } from './schema/herald-replica.ts';
export type { IpAddressPoolStatus } from './schema/ip-address-pool.ts';
export type { Condition } from './schema/status-field.ts';
