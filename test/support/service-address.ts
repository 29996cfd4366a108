// Service addresses by number (203.0.113.N and 2001:db8:53::N), the manifests of a dual-stack Service on them,
// and what routers are expected to have for it: prefix -> numbers of workers.

import { DUAL_STACK, service, slices, type Manifest, type ServiceFields } from './manifests.ts';

/** Prefix -> numbers of the workers that are its next hops. */
export type Expected = Readonly<Record<string, readonly number[]>>;

export function serviceAddresses(number: number): [ipv4: string, ipv6: string] {
  return [`203.0.113.${number}`, `2001:db8:53::${number.toString(16)}`];
}

export function v4(number: number, workers: readonly number[]): Expected {
  return { [`${serviceAddresses(number)[0]}/32`]: workers };
}

export function v6(number: number, workers: readonly number[]): Expected {
  return { [`${serviceAddresses(number)[1]}/128`]: workers };
}

export function both(number: number, workers: readonly number[]): Expected {
  return { ...v4(number, workers), ...v6(number, workers) };
}

/** Names of the nodes with these numbers, one for each endpoint. */
export function on(...workers: readonly number[]): string[] {
  return workers.map((index) => `worker-${index}`);
}

/** A Service with an address of each family and endpoints of each family. */
export function dualStack(
  name: string,
  number: number,
  endpoints: Parameters<typeof slices>[1],
  fields: ServiceFields = {},
): Manifest[] {
  const spec = { ...DUAL_STACK, ...fields.spec };
  return [
    service(name, { addresses: serviceAddresses(number), ...fields, spec }),
    ...slices(name, endpoints),
  ];
}
