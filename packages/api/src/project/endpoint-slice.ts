// EndpointSlice object -> EndpointSlice. The nil rules of discovery.k8s.io/v1 are applied here and nowhere
// else. Only the first address of an endpoint counts; the API says the others are fungible and unused.

import { parseAddress, type Family } from '@herald/net';
import type { Projected } from '../fault.ts';
import type { Endpoint, EndpointSlice } from '../model/endpoint-slice.ts';
import { Reading, type NamedMeta } from './reading.ts';
import { flag, list, record, text } from './untrusted.ts';

const SERVICE_LABEL = 'kubernetes.io/service-name';

export function projectEndpointSlice(object: unknown): Projected<EndpointSlice> {
  const reading = new Reading('EndpointSlice', object);
  const source = record(object);
  const family = familyOf(source['addressType']);
  return reading.finish({
    kind: 'EndpointSlice',
    ...reading.meta,
    serviceKey: serviceKey(reading.meta),
    family,
    endpoints: family === undefined ? [] : endpoints(list(source['endpoints']), family, reading),
  });
}

function serviceKey({ labels, namespace }: NamedMeta): string {
  const service = labels[SERVICE_LABEL] ?? '';
  return service === '' ? '' : `${namespace}/${service}`;
}

function familyOf(addressType: unknown): Family | undefined {
  if (addressType === 'IPv4') {
    return 4;
  }
  return addressType === 'IPv6' ? 6 : undefined;
}

function endpoints(sources: readonly unknown[], family: Family, reading: Reading): Endpoint[] {
  return sources.flatMap((source, index) => {
    const address = addressOf(source, family);
    if (address === undefined) {
      reading.note(`endpoints[${index}].addresses[0]`, `is not an IPv${family} address`, 'Unreadable');
      return [];
    }
    return [endpoint(source, address)];
  });
}

/**
 * undefined when there is none, or one of the other family. Text that we cannot read is kept as it is:
 * kube-proxy reads more than we do (leading zeros in old objects), and the node is what counts here.
 */
function addressOf(source: unknown, family: Family): string | undefined {
  const written = text(list(record(source)['addresses'])[0]) ?? '';
  const parsed = parseAddress(written);
  if (!parsed.ok) {
    return written === '' ? undefined : written;
  }
  return parsed.value.family === family ? parsed.value.text : undefined;
}

function endpoint(source: unknown, address: string): Endpoint {
  const { conditions, nodeName } = record(source);
  const { ready, serving, terminating } = record(conditions);
  const node = text(nodeName);
  return {
    address,
    nodeName: node === '' ? undefined : node,
    ready: flag(ready) ?? true,
    serving: flag(serving) ?? true,
    terminating: flag(terminating) ?? false,
  };
}
