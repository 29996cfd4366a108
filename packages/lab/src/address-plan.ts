/**
 * Which address everything in the standard lab has: a pure function of what it is and its number.
 *
 * Only documentation ranges (RFC 5737, RFC 3849) and private ones. Routers, control-plane nodes and workers share
 * one segment; each router has a client behind it, each control-plane node a pod range.
 */
export interface HostAddresses {
  readonly ipv4: string;
  readonly ipv6: string;
}

export interface StubLink {
  readonly near: HostAddresses;
  readonly far: HostAddresses;
  readonly prefixes: readonly [ipv4: string, ipv6: string];
}

/** Tests take their service addresses from here. */
export const SERVICE_PREFIXES = ['203.0.113.0/24', '2001:db8:53::/64'] as const;

const FIRST_ROUTER = 1;
const FIRST_CONTROL_PLANE = 11;
const FIRST_GUEST = 31;
const FIRST_WORKER = 101;

export function routerAddresses(index: number): HostAddresses {
  return onSegment(FIRST_ROUTER + index);
}

export function controlPlaneAddresses(index: number): HostAddresses {
  return onSegment(FIRST_CONTROL_PLANE + index);
}

/** Anything else on the segment, such as an API server. */
export function guestAddresses(index: number): HostAddresses {
  return onSegment(FIRST_GUEST + index);
}

export function workerAddresses(index: number): HostAddresses {
  return onSegment(FIRST_WORKER + index);
}

export function clientLink(router: number): StubLink {
  return {
    near: { ipv4: `198.51.100.${router * 4 + 1}`, ipv6: `2001:db8:c:${router}::1` },
    far: { ipv4: `198.51.100.${router * 4 + 2}`, ipv6: `2001:db8:c:${router}::2` },
    prefixes: [`198.51.100.${router * 4}/30`, `2001:db8:c:${router}::/64`],
  };
}

export function podLink(controlPlane: number): StubLink {
  const number = controlPlane + 1;
  return {
    near: { ipv4: `10.244.${number}.1`, ipv6: `fd00:244:${number}::1` },
    far: { ipv4: `10.244.${number}.2`, ipv6: `fd00:244:${number}::2` },
    prefixes: [`10.244.${number}.0/24`, `fd00:244:${number}::/64`],
  };
}

/** "192.0.2.1/24" and "2001:db8:2::1/64", ready for an interface. */
export function withLengths(addresses: HostAddresses, prefixes: readonly [string, string]): string[] {
  const [length4, length6] = prefixes.map((prefix) => prefix.split('/')[1] ?? '');
  return [`${addresses.ipv4}/${length4}`, `${addresses.ipv6}/${length6}`];
}

export const SEGMENT_PREFIXES = ['192.0.2.0/24', '2001:db8:2::/64'] as const;

function onSegment(host: number): HostAddresses {
  return { ipv4: `192.0.2.${host}`, ipv6: `2001:db8:2::${host}` };
}
