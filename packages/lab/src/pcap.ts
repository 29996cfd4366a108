/**
 * Reads a capture as `tcpdump -w -` streams it: bytes in any pieces -> TCP segments.
 *
 * Ethernet, IPv4 and IPv6 without extension headers; everything else is skipped. Byte order and time unit are taken
 * from the file header. Keeps only what is incomplete.
 */
export interface TcpSegment {
  readonly timeMs: number;
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  readonly sequence: number;
  readonly isSyn: boolean;
  readonly isEnd: boolean;
  readonly payload: Buffer;
}

const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const ETHERNET_HEADER = 14;
const NANOSECOND_MAGIC = 0xa1b23c4d;
const TCP = 6;
const SYN = 0x02;
const FIN_OR_RST = 0x05;

export class PcapReader {
  readonly #onSegment: (segment: TcpSegment) => void;
  #rest: Buffer = Buffer.alloc(0);
  #format: { readonly littleEndian: boolean; readonly unitsPerMs: number } | undefined;

  constructor(onSegment: (segment: TcpSegment) => void) {
    this.#onSegment = onSegment;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#format === undefined && !this.#readFileHeader()) return;
    while (this.#readRecord());
  }

  #readFileHeader(): boolean {
    if (this.#rest.length < FILE_HEADER) return false;
    const littleEndian = (this.#rest[0] ?? 0) !== 0xa1;
    const magic = littleEndian ? this.#rest.readUInt32LE(0) : this.#rest.readUInt32BE(0);
    this.#format = { littleEndian, unitsPerMs: magic === NANOSECOND_MAGIC ? 1_000_000 : 1_000 };
    this.#rest = this.#rest.subarray(FILE_HEADER);
    return true;
  }

  #readRecord(): boolean {
    if (this.#rest.length < RECORD_HEADER) return false;
    const length = this.#word(8);
    if (this.#rest.length < RECORD_HEADER + length) return false;
    const timeMs = this.#word(0) * 1_000 + this.#word(4) / (this.#format?.unitsPerMs ?? 1_000);
    const segment = decodeFrame(this.#rest.subarray(RECORD_HEADER, RECORD_HEADER + length), timeMs);
    this.#rest = this.#rest.subarray(RECORD_HEADER + length);
    if (segment !== undefined) this.#onSegment(segment);
    return true;
  }

  #word(offset: number): number {
    return this.#format?.littleEndian === true
      ? this.#rest.readUInt32LE(offset)
      : this.#rest.readUInt32BE(offset);
  }
}

export function decodeFrame(frame: Buffer, timeMs: number): TcpSegment | undefined {
  if (frame.length < ETHERNET_HEADER + 20) return undefined;
  const packet = frame.subarray(ETHERNET_HEADER);
  switch (frame.readUInt16BE(12)) {
    case 0x0800:
      return decodeIpv4(packet, timeMs);
    case 0x86dd:
      return decodeIpv6(packet, timeMs);
    default:
      return undefined;
  }
}

function decodeIpv4(packet: Buffer, timeMs: number): TcpSegment | undefined {
  const header = ((packet[0] ?? 0) & 0x0f) * 4;
  // The frame may be padded, so the packet's own length counts.
  const total = packet.readUInt16BE(2);
  if (packet[9] !== TCP || packet.length < total) return undefined;
  const source = packet.subarray(12, 16).join('.');
  const destination = packet.subarray(16, 20).join('.');
  return decodeTcp(packet.subarray(header, total), { timeMs, source, destination });
}

function decodeIpv6(packet: Buffer, timeMs: number): TcpSegment | undefined {
  if (packet.length < 40) return undefined;
  const end = 40 + packet.readUInt16BE(4);
  if (packet[6] !== TCP || packet.length < end) return undefined;
  const source = ipv6Text(packet.subarray(8, 24));
  const destination = ipv6Text(packet.subarray(24, 40));
  return decodeTcp(packet.subarray(40, end), { timeMs, source, destination });
}

function decodeTcp(
  segment: Buffer,
  envelope: Pick<TcpSegment, 'timeMs' | 'source' | 'destination'>,
): TcpSegment | undefined {
  if (segment.length < 20) return undefined;
  const flags = segment[13] ?? 0;
  return {
    ...envelope,
    sourcePort: segment.readUInt16BE(0),
    destinationPort: segment.readUInt16BE(2),
    sequence: segment.readUInt32BE(4),
    isSyn: (flags & SYN) !== 0,
    isEnd: (flags & FIN_OR_RST) !== 0,
    payload: segment.subarray(((segment[12] ?? 0) >> 4) * 4),
  };
}

/** RFC 5952: the leftmost longest run of zero groups, at least two, becomes "::". */
export function ipv6Text(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  const runs = groups.map((_, start) => {
    const end = groups.findIndex((group, index) => index >= start && group !== '0');
    return (end < 0 ? 8 : end) - start;
  });
  const longest = Math.max(...runs);
  if (longest < 2) return groups.join(':');
  const start = runs.indexOf(longest);
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + longest).join(':')}`;
}
