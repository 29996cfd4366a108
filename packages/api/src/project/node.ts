// Node object -> Node. Heartbeats, images, capacity and whatever else changes without meaning for a next
// hop is left behind here, so that an unchanged node stays the same value.

import { parseAddress, parsePrefix } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Node, NodeAddress, NodeAddressType, Taint } from '../model/node.ts';
import { Reading, clusterMeta } from './reading.ts';
import { list, oneOf, record, text, textMap, type JsonRecord } from './untrusted.ts';

const ZONE_LABEL = 'topology.kubernetes.io/zone';
const ADDRESS_TYPES: readonly NodeAddressType[] = ['InternalIP', 'ExternalIP'];
/** Longer than any list of addresses that a peer could be given as next hops. */
const ANNOTATION_LENGTH = 1024;

export function projectNode(object: unknown): Projected<Node> {
  const reading = new Reading('Node', object);
  const spec = record(record(object)['spec']);
  const status = record(record(object)['status']);
  return reading.finish({
    kind: 'Node',
    ...clusterMeta(reading.meta),
    deleting: reading.deleting,
    ready: conditionStatus(status, 'Ready') ?? 'Unknown',
    networkUnavailable: conditionStatus(status, 'NetworkUnavailable') === 'True',
    unschedulable: spec['unschedulable'] === true,
    taints: list(spec['taints']).map(taint),
    addresses: nodeAddresses(status, reading),
    annotations: textMap(reading.metadata['annotations'], (_, value) => value.length <= ANNOTATION_LENGTH),
    podCidrs: reading.takeAll('spec.podCIDRs', podCidrTexts(spec), parsePrefix),
    zone: reading.meta.labels[ZONE_LABEL] ?? '',
  });
}

function conditionStatus(status: JsonRecord, type: string): Node['ready'] | undefined {
  const condition = list(status['conditions'])
    .map(record)
    .find((candidate) => candidate['type'] === type);
  return oneOf(condition?.['status'], ['True', 'False', 'Unknown']);
}

function taint(source: unknown): Taint {
  const { key, effect } = record(source);
  return { key: text(key) ?? '', effect: text(effect) ?? '' };
}

function nodeAddresses(status: JsonRecord, reading: Reading): NodeAddress[] {
  return list(status['addresses']).flatMap((source, index) => {
    const type = oneOf(record(source)['type'], ADDRESS_TYPES);
    if (type === undefined) {
      return [];
    }
    const parsed = parseAddress(text(record(source)['address']) ?? '');
    const address = reading.take(`status.addresses[${index}].address`, parsed);
    return address === undefined ? [] : [{ type, address }];
  });
}

/** `podCIDR` is what clusters before dual stack have. */
function podCidrTexts(spec: JsonRecord): string[] {
  const several = list(spec['podCIDRs']);
  const sources = several.length > 0 ? several : [spec['podCIDR']];
  return sources.filter((source): source is string => typeof source === 'string' && source !== '');
}
