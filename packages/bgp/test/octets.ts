// Octets as people write them in tests: hexadecimal with any spacing, and whole messages from their parts.

import type { Negotiated } from '../src/index.ts';

export function hex(text: string): Uint8Array {
  const digits = text.replaceAll(/\s/g, '');
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

const MARKER = 'ff'.repeat(16);

function uint16Hex(value: number): string {
  return value.toString(16).padStart(4, '0');
}

/** A message with its header around a body. */
export function message(type: number, body: string): Uint8Array {
  const octets = hex(body);
  return hex(
    `${MARKER}${uint16Hex(octets.length + 19)}${type.toString(16).padStart(2, '0')}${toHex(octets)}`,
  );
}

export interface UpdateParts {
  readonly withdrawn?: string;
  readonly attributes?: string;
  readonly nlri?: string;
}

/** An UPDATE from its three fields, lengths computed. */
export function update({ withdrawn = '', attributes = '', nlri = '' }: UpdateParts): Uint8Array {
  const lengths = [withdrawn, attributes].map((field) => uint16Hex(hex(field).length));
  return message(2, `${lengths[0]}${withdrawn}${lengths[1]}${attributes}${nlri}`);
}

/** An internal session with both families, four-octet AS numbers and no path identifiers. */
export const PLAIN: Negotiated = {
  peering: 'internal',
  holdTimeSeconds: 30,
  families: [4, 6],
  addPathSend: [],
  addPathReceive: [],
  maximumLength: 4096,
  asnOctets: 4,
  gracefulRestart: undefined,
};

export const ADD_PATH: Negotiated = { ...PLAIN, addPathSend: [4, 6], addPathReceive: [4, 6] };

export const EXTENDED: Negotiated = { ...ADD_PATH, maximumLength: 65535 };
