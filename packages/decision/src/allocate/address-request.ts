// What a Service asks for: certain addresses, a certain pool, a key to share its address with others. Read
// from annotations in our spelling, in both of MetalLB's when compatibility is on, and from
// `spec.loadBalancerIP`.
//
// Asking twice is fine as long as both say the same. Whether what is asked for can be had is not judged here.

import type { Reason, Service } from '@herald/api';
import { parseAddress } from '@herald/net';
import type { Address } from '@herald/net';

export interface AcceptedRequest {
  readonly ok: true;
  /** At most one of each family. */
  readonly addresses: readonly Address[];
  readonly pool: string | undefined;
}

export type AddressRequest = AcceptedRequest | { readonly ok: false; readonly reason: Reason };

export type Spellings = 'herald' | 'compatible';

interface Annotation {
  readonly herald: string;
  readonly compatible: readonly string[];
}

const ADDRESSES: Annotation = annotation('load-balancer-ips', 'loadBalancerIPs');
const POOL: Annotation = annotation('address-pool', 'address-pool');
const SHARING: Annotation = annotation('allow-shared-ip', 'allow-shared-ip');

function annotation(ours: string, theirs: string): Annotation {
  const herald = `heraldbgp.io/${ours}`;
  return { herald, compatible: [herald, `metallb.io/${theirs}`, `metallb.universe.tf/${theirs}`] };
}

export function readRequest(service: Service, spellings: Spellings): AddressRequest {
  const pools = new Set(valuesOf(service, POOL, spellings));
  const wishes = valuesOf(service, ADDRESSES, spellings);
  const spec = service.loadBalancerIP ?? '';
  const lists = (spec === '' ? wishes : [...wishes, spec]).map(readAddresses);
  if (lists.includes(undefined)) {
    return { ok: false, reason: 'RequestInvalid' };
  }
  const distinct = new Map(lists.flatMap((list) => (list ? [[textOf(list), list]] : [])));
  if (pools.size > 1 || distinct.size > 1) {
    return { ok: false, reason: 'RequestConflict' };
  }
  const [addresses = []] = distinct.values();
  const [pool] = pools;
  return { ok: true, addresses, pool };
}

/** The key under which the Service shares its address; '' when it does not share. */
export function readSharingKey(service: Service, spellings: Spellings): string {
  return valuesOf(service, SHARING, spellings).at(0) ?? '';
}

function valuesOf(service: Service, wanted: Annotation, spellings: Spellings): string[] {
  const names = spellings === 'compatible' ? wanted.compatible : [wanted.herald];
  return names
    .map((name) => (Object.hasOwn(service.annotations, name) ? (service.annotations[name] ?? '').trim() : ''))
    .filter((value) => value !== '');
}

/** undefined unless the text is one address, or one of each family, separated by a comma. */
function readAddresses(text: string): Address[] | undefined {
  const parsed = text.split(',').map((part) => parseAddress(part.trim()));
  const addresses = parsed.flatMap((part) => (part.ok ? [part.value] : []));
  const families = new Set(addresses.map(({ family }) => family));
  return addresses.length === parsed.length && families.size === addresses.length ? addresses : undefined;
}

function textOf(addresses: readonly Address[]): string {
  return addresses
    .map(({ text }) => text)
    .sort()
    .join(',');
}
