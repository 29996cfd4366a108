// Capabilities of an OPEN (RFC 5492): the nine kinds that matter to us as values, all others as octets.
//
// Octets of one capability in, a value or undefined (wrong length) out, and back. What two sides agree on is
// negotiated.ts; how capabilities sit in the OPEN is open.ts. RFC 2918, 4724, 4760, 6793, 7313, 7911, 8538,
// 8654, 9494.

import type { AfiSafi } from './afi-safi.ts';
import { copied, joined, OctetReader, uint16, uint32 } from './octets.ts';
import { NO_DATA } from './problem.ts';
import { ADD_PATH_MODE, CAPABILITY, GRACEFUL_RESTART } from './registry.ts';

export type AddPathMode = 'receive' | 'send' | 'both';

export interface GracefulRestartFamily extends AfiSafi {
  /** F bit: forwarding state was kept. */
  readonly forwarding: boolean;
}

export type Capability =
  | ({ readonly kind: 'multiprotocol' } & AfiSafi)
  | { readonly kind: 'route-refresh' }
  | { readonly kind: 'extended-message' }
  | {
      readonly kind: 'graceful-restart';
      /** R bit: the speaker itself restarted. */
      readonly restarting: boolean;
      /** N bit: NOTIFICATION and hold timer expiry keep routes too (RFC 8538). */
      readonly notification: boolean;
      readonly restartTimeSeconds: number;
      readonly families: readonly GracefulRestartFamily[];
    }
  | { readonly kind: 'four-octet-asn'; readonly asn: number }
  | { readonly kind: 'add-path'; readonly families: readonly (AfiSafi & { readonly mode: AddPathMode })[] }
  | { readonly kind: 'enhanced-route-refresh' }
  | {
      readonly kind: 'long-lived-graceful-restart';
      readonly families: readonly (GracefulRestartFamily & { readonly staleTimeSeconds: number })[];
    }
  | { readonly kind: 'unknown'; readonly code: number; readonly octets: Uint8Array };

export type CapabilityOf<K extends Capability['kind']> = Extract<Capability, { kind: K }>;

const MODE_NAMES: ReadonlyMap<number, AddPathMode> = new Map([
  [ADD_PATH_MODE.receive, 'receive'],
  [ADD_PATH_MODE.send, 'send'],
  [ADD_PATH_MODE.both, 'both'],
]);

//  +----------------+----------------+---------------------------+
//  | Code (1 octet) | Length (1)     | Value (Length octets) ... |
//  +----------------+----------------+---------------------------+
export function encodeCapability(capability: Capability): Uint8Array {
  const [code, value] = codeAndValue(capability);
  return joined([Uint8Array.of(code, value.length), value]);
}

function codeAndValue(capability: Capability): [number, Uint8Array] {
  switch (capability.kind) {
    case 'multiprotocol':
      return [CAPABILITY.multiprotocol, joined([uint16(capability.afi), Uint8Array.of(0, capability.safi)])];
    case 'route-refresh':
      return [CAPABILITY.routeRefresh, NO_DATA];
    case 'extended-message':
      return [CAPABILITY.extendedMessage, NO_DATA];
    case 'graceful-restart':
      return [CAPABILITY.gracefulRestart, gracefulRestartValue(capability)];
    case 'four-octet-asn':
      return [CAPABILITY.fourOctetAsn, uint32(capability.asn)];
    case 'add-path':
      return [CAPABILITY.addPath, addPathValue(capability)];
    case 'enhanced-route-refresh':
      return [CAPABILITY.enhancedRouteRefresh, NO_DATA];
    case 'long-lived-graceful-restart':
      return [CAPABILITY.longLivedGracefulRestart, longLivedValue(capability)];
    case 'unknown':
      return [capability.code, capability.octets];
  }
}

//  +-+-+---+-----------------------+---------------+------+-+-------+
//  |R|N|0 0| Restart time (12 bit) | AFI (16 bit)  | SAFI |F|0 ...  |  the last three repeat
//  +-+-+---+-----------------------+---------------+------+-+-------+
function gracefulRestartValue(capability: CapabilityOf<'graceful-restart'>): Uint8Array {
  const flags =
    (capability.restarting ? GRACEFUL_RESTART.restarting : 0) |
    (capability.notification ? GRACEFUL_RESTART.notification : 0);
  const time = capability.restartTimeSeconds & 0xfff;
  return joined([uint16((flags << 8) | time), ...capability.families.map(gracefulRestartFamily)]);
}

function gracefulRestartFamily(family: GracefulRestartFamily): Uint8Array {
  const flags = family.forwarding ? GRACEFUL_RESTART.forwarding : 0;
  return joined([uint16(family.afi), Uint8Array.of(family.safi, flags)]);
}

//  +---------------+------+--------------+
//  | AFI (16 bit)  | SAFI | Send/Receive |  repeats
//  +---------------+------+--------------+
function addPathValue({ families }: CapabilityOf<'add-path'>): Uint8Array {
  return joined(
    families.flatMap(({ afi, safi, mode }) => [uint16(afi), Uint8Array.of(safi, ADD_PATH_MODE[mode])]),
  );
}

function longLivedValue({ families }: CapabilityOf<'long-lived-graceful-restart'>): Uint8Array {
  return joined(
    families.flatMap((family) => [
      gracefulRestartFamily(family),
      uint32(family.staleTimeSeconds).subarray(1), // 24 bits
    ]),
  );
}

interface CapabilityRule {
  readonly fits: (length: number) => boolean;
  readonly read: (reader: OctetReader) => Capability;
}

const RULES: ReadonlyMap<number, CapabilityRule> = new Map([
  [CAPABILITY.multiprotocol, { fits: (length) => length === 4, read: readMultiprotocol }],
  [CAPABILITY.routeRefresh, empty({ kind: 'route-refresh' })],
  [CAPABILITY.extendedMessage, empty({ kind: 'extended-message' })],
  [CAPABILITY.gracefulRestart, { fits: (length) => length % 4 === 2, read: readGracefulRestart }],
  [CAPABILITY.fourOctetAsn, { fits: (length) => length === 4, read: readFourOctetAsn }],
  [CAPABILITY.addPath, { fits: (length) => length % 4 === 0, read: readAddPath }],
  [CAPABILITY.enhancedRouteRefresh, empty({ kind: 'enhanced-route-refresh' })],
  [CAPABILITY.longLivedGracefulRestart, { fits: (length) => length % 7 === 0, read: readLongLived }],
]);

function empty(capability: Capability): CapabilityRule {
  return { fits: (length) => length === 0, read: () => capability };
}

/** Undefined when a capability that we know does not have a length that it can have. */
export function decodeCapability(code: number, octets: Uint8Array): Capability | undefined {
  const rule = RULES.get(code);
  if (rule === undefined) {
    return { kind: 'unknown', code, octets: copied(octets) };
  }
  return rule.fits(octets.length) ? rule.read(new OctetReader(octets)) : undefined;
}

function readFourOctetAsn(reader: OctetReader): Capability {
  return { kind: 'four-octet-asn', asn: reader.uint32() };
}

function readMultiprotocol(reader: OctetReader): Capability {
  const afi = reader.uint16();
  reader.uint8(); // reserved
  return { kind: 'multiprotocol', afi, safi: reader.uint8() };
}

function readGracefulRestart(reader: OctetReader): Capability {
  const first = reader.uint16();
  const families: GracefulRestartFamily[] = [];
  while (reader.remaining > 0) {
    families.push(readGracefulRestartFamily(reader));
  }
  return {
    kind: 'graceful-restart',
    restarting: ((first >>> 8) & GRACEFUL_RESTART.restarting) !== 0,
    notification: ((first >>> 8) & GRACEFUL_RESTART.notification) !== 0,
    restartTimeSeconds: first & 0xfff,
    families,
  };
}

function readGracefulRestartFamily(reader: OctetReader): GracefulRestartFamily {
  const afi = reader.uint16();
  const safi = reader.uint8();
  return { afi, safi, forwarding: (reader.uint8() & GRACEFUL_RESTART.forwarding) !== 0 };
}

/** RFC 7911 section 4: a tuple with another mode is ignored. */
function readAddPath(reader: OctetReader): Capability {
  const families: (AfiSafi & { mode: AddPathMode })[] = [];
  while (reader.remaining > 0) {
    const afiSafi = { afi: reader.uint16(), safi: reader.uint8() };
    const mode = MODE_NAMES.get(reader.uint8());
    if (mode !== undefined) {
      families.push({ ...afiSafi, mode });
    }
  }
  return { kind: 'add-path', families };
}

function readLongLived(reader: OctetReader): Capability {
  const families: (GracefulRestartFamily & { staleTimeSeconds: number })[] = [];
  while (reader.remaining > 0) {
    const family = readGracefulRestartFamily(reader);
    families.push({ ...family, staleTimeSeconds: reader.uint8() * 0x10000 + reader.uint16() });
  }
  return { kind: 'long-lived-graceful-restart', families };
}
