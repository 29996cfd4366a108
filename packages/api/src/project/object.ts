// Any API object -> the projection of its kind. For sources that hold several kinds in one place, such as
// a folder of manifests; a watch of one kind calls that kind's projection.

import { fault, unusable, type Projected } from '../fault.ts';
import type { Advertisement } from '../model/advertisement.ts';
import type { EndpointSlice } from '../model/endpoint-slice.ts';
import type { Namespace } from '../model/namespace.ts';
import type { Node } from '../model/node.ts';
import type { Peer } from '../model/peer.ts';
import type { Pool } from '../model/pool.ts';
import type { Secret } from '../model/secret.ts';
import type { Service } from '../model/service.ts';
import { API_VERSION, GROUP } from '../schema/resource-kind.ts';
import { projectAdvertisement } from './bgp-advertisement.ts';
import { projectPeer } from './bgp-peer.ts';
import type { Origin } from './custom-resource.ts';
import { projectEndpointSlice } from './endpoint-slice.ts';
import { projectPool } from './ip-address-pool.ts';
import { projectNamespace } from './namespace.ts';
import { projectNode } from './node.ts';
import { Reading } from './reading.ts';
import { projectSecret } from './secret.ts';
import { projectService } from './service.ts';
import { record, text } from './untrusted.ts';

export type AnyObject = Node | Service | EndpointSlice | Namespace | Secret | Peer | Pool | Advertisement;

type Projection = (object: unknown, origin: Origin) => Projected<AnyObject>;

const PROJECTIONS: ReadonlyMap<string, Projection> = new Map<string, Projection>([
  ['v1/Node', projectNode],
  ['v1/Service', projectService],
  ['v1/Namespace', projectNamespace],
  ['v1/Secret', projectSecret],
  ['discovery.k8s.io/v1/EndpointSlice', projectEndpointSlice],
  [`${API_VERSION}/BGPPeer`, projectPeer],
  [`${API_VERSION}/IPAddressPool`, projectPool],
  [`${API_VERSION}/BGPAdvertisement`, projectAdvertisement],
]);

/** Written by Herald for people; nothing to read. */
const OUTPUTS: ReadonlySet<string> = new Set([`${API_VERSION}/HeraldReplica`]);

/** undefined for a kind that Herald does not read; a fault for one that claims to be Herald's and is not. */
export function projectObject(object: unknown, origin: Origin): Projected<AnyObject> | undefined {
  const kind = text(record(object)['kind']) ?? '';
  const apiVersion = text(record(object)['apiVersion']) ?? '';
  const name = `${apiVersion}/${kind}`;
  const projection = PROJECTIONS.get(name);
  if (projection !== undefined) {
    return projection(object, origin);
  }
  const pretends = apiVersion.split('/')[0] === GROUP && !OUTPUTS.has(name);
  return pretends ? unusable([unknownKind(kind, object)]) : undefined;
}

function unknownKind(kind: string, object: unknown): ReturnType<typeof fault> {
  const { subject } = new Reading(kind === '' ? 'Object' : kind, object);
  return fault(subject, 'kind', `is not a kind of ${API_VERSION}`);
}
