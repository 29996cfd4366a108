// Service object -> Service. In a manifest the defaults of the API server are missing and are filled in
// here as it would.

import { parseAddress, type Address, type Family } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Labels } from '../model/meta.ts';
import type { Service, ServicePort } from '../model/service.ts';
import { Reading } from './reading.ts';
import { list, oneOf, record, text, textMap, wholeNumber, type JsonRecord } from './untrusted.ts';

const ANNOTATION_PREFIXES = ['heraldbgp.io/', 'metallb.io/', 'metallb.universe.tf/'];

export function projectService(object: unknown): Projected<Service> {
  const reading = new Reading('Service', object);
  const spec = record(record(object)['spec']);
  const ipFamilyPolicy = policyOf(spec);
  return reading.finish({
    kind: 'Service',
    ...reading.meta,
    annotations: ownAnnotations(reading.metadata),
    deleting: reading.deleting,
    type: text(spec['type']) ?? 'ClusterIP',
    loadBalancerClass: filledText(spec['loadBalancerClass']),
    externalTrafficPolicy: oneOf(spec['externalTrafficPolicy'], ['Cluster', 'Local']) ?? 'Cluster',
    healthCheckNodePort: healthCheckNodePort(spec),
    ipFamilies: familiesOf(spec, ipFamilyPolicy),
    ipFamilyPolicy,
    ports: list(spec['ports']).map(port),
    selector: canonicalSelector(textMap(spec['selector'])),
    publishNotReadyAddresses: spec['publishNotReadyAddresses'] === true,
    loadBalancerIP: filledText(spec['loadBalancerIP']),
    ingress: ingressAddresses(object, reading),
    ingressNamesHost: ingressEntries(object).some(isHost),
  });
}

function ownAnnotations(metadata: JsonRecord): Labels {
  return textMap(metadata['annotations'], (key) =>
    ANNOTATION_PREFIXES.some((prefix) => key.startsWith(prefix)),
  );
}

function filledText(value: unknown): string | undefined {
  return text(value) === '' ? undefined : text(value);
}

/** The API server writes 0 for "none". */
function healthCheckNodePort(spec: JsonRecord): number | undefined {
  const number = wholeNumber(spec['healthCheckNodePort']);
  return number === 0 ? undefined : number;
}

function policyOf(spec: JsonRecord): Service['ipFamilyPolicy'] {
  return (
    oneOf(spec['ipFamilyPolicy'], ['SingleStack', 'PreferDualStack', 'RequireDualStack']) ?? 'SingleStack'
  );
}

/** What the object says; else the families of its cluster addresses; else what the policy asks for. */
function familiesOf(spec: JsonRecord, policy: Service['ipFamilyPolicy']): readonly Family[] {
  const said = list(spec['ipFamilies']).flatMap(familyOfWord);
  if (said.length > 0) {
    return said;
  }
  const held = list(spec['clusterIPs']).flatMap(familyOfAddress);
  if (held.length > 0) {
    return held;
  }
  return policy === 'SingleStack' ? [4] : [4, 6];
}

function familyOfWord(word: unknown): Family[] {
  if (word === 'IPv4') {
    return [4];
  }
  return word === 'IPv6' ? [6] : [];
}

function familyOfAddress(source: unknown): Family[] {
  const parsed = parseAddress(text(source) ?? '');
  return parsed.ok ? [parsed.value.family] : [];
}

function port(source: unknown): ServicePort {
  const { protocol, port: number } = record(source);
  return { protocol: text(protocol) ?? 'TCP', port: wholeNumber(number) ?? 0 };
}

function canonicalSelector(selector: Labels): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

function ingressEntries(object: unknown): readonly JsonRecord[] {
  const { loadBalancer } = record(record(object)['status']);
  return list(record(loadBalancer)['ingress']).map(record);
}

function isHost({ ip, hostname }: JsonRecord): boolean {
  return filledText(ip) === undefined && filledText(hostname) !== undefined;
}

function ingressAddresses(object: unknown, reading: Reading): Address[] {
  return ingressEntries(object).flatMap((entry, index) => {
    const ip = filledText(entry['ip']);
    const field = `status.loadBalancer.ingress[${index}].ip`;
    const address = ip === undefined ? undefined : reading.take(field, parseAddress(ip));
    return address === undefined ? [] : [address];
  });
}
