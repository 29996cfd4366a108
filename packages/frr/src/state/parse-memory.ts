// The head of `show memory`: what bgpd's allocator holds -> bytes. Pure. The table of types below the
// head is not read; its names differ between versions. What FRR calls "holding block headers" is
// mallinfo's hblkhd: large blocks that are mapped outside the heap, and in use.

export interface BgpdMemory {
  readonly heapBytes: number;
  readonly usedBytes: number;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

export function parseMemory(text: string): BgpdMemory {
  const mapped = amount(text, 'Holding block headers');
  return {
    heapBytes: amount(text, 'Total heap allocated') + mapped,
    usedBytes: amount(text, 'Used ordinary blocks') + mapped,
  };
}

function amount(text: string, label: string): number {
  const [, count, unit] = new RegExp(`${label}:\\s+(\\d+) (\\w+)`).exec(text) ?? [];
  return Number(count ?? 0) * (UNIT_BYTES[unit ?? ''] ?? 0);
}
