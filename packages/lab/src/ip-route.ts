/**
 * Reads what iproute2 says about routes: `ip -j route` (a table) and `ip -ts -o monitor route` (its changes).
 *
 * Text in, values out; no process is started here. A lone next hop stands before `proto`, several stand after it,
 * each on its own continued line; both spellings are read. Prefixes are always written with their length.
 */
export interface FibNextHop {
  readonly address: string;
  readonly device: string;
  readonly weight: number;
}

export interface FibRoute {
  readonly prefix: string;
  readonly protocol: string;
  /** unicast | blackhole | unreachable | ... */
  readonly type: string;
  readonly nextHops: readonly FibNextHop[];
}

export interface FibEvent {
  readonly kind: 'set' | 'removed';
  /** Microsecond precision, from the moment that the monitor read the kernel's message. */
  readonly timeMs: number;
  readonly table: string;
  readonly route: FibRoute;
}

interface JsonNextHop {
  readonly gateway?: string;
  readonly via?: { readonly host?: string };
  readonly dev?: string;
  readonly weight?: number;
}

interface JsonRoute extends JsonNextHop {
  readonly dst?: string;
  readonly type?: string;
  readonly protocol?: string;
  readonly nexthops?: readonly JsonNextHop[];
}

export function parseRoutes(json: string, family: 4 | 6): FibRoute[] {
  const routes = JSON.parse(json.trim() || '[]') as readonly JsonRoute[];
  return routes.map((route) => ({
    prefix: fullPrefix(route.dst ?? 'default', family),
    protocol: route.protocol ?? 'boot',
    type: route.type ?? 'unicast',
    nextHops: (route.nexthops ?? [route]).flatMap(jsonNextHop),
  }));
}

function jsonNextHop(hop: JsonNextHop): FibNextHop[] {
  const address = hop.gateway ?? hop.via?.host;
  return address === undefined ? [] : [{ address, device: hop.dev ?? '', weight: hop.weight ?? 1 }];
}

const LINE = /^(?:\[(?<time>[^\]]+)\]\s*)?(?<deleted>Deleted )?(?<rest>.*)$/;
const TYPES = new Set([
  'unicast',
  'blackhole',
  'unreachable',
  'prohibit',
  'throw',
  'local',
  'broadcast',
  'anycast',
  'multicast',
]);
const DESTINATION = /^(default|[0-9a-fA-F:.]+(\/\d+)?)$/;

/** undefined for lines that are no route of a prefix (errors, neighbour tables). */
export function parseMonitorLine(line: string): FibEvent | undefined {
  const { time, deleted, rest = '' } = LINE.exec(line)?.groups ?? {};
  const [words = [], ...hops] = rest
    .replaceAll('\\', ' ')
    .split(/\bnexthop\b/)
    .map(splitWords);
  const type = TYPES.has(words[0] ?? '') ? (words.shift() ?? '') : 'unicast';
  const destination = words.shift() ?? '';
  if (!DESTINATION.test(destination)) return undefined;
  return {
    kind: deleted === undefined ? 'set' : 'removed',
    timeMs: parseTime(time),
    table: valueAfter(words, 'table') ?? 'main',
    route: {
      prefix: fullPrefix(destination, destination.includes(':') ? 6 : 4),
      protocol: valueAfter(words, 'proto') ?? 'boot',
      type,
      nextHops: [words, ...hops].flatMap(wordNextHop),
    },
  };
}

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/);
}

function wordNextHop(words: readonly string[]): FibNextHop[] {
  const via = words.indexOf('via');
  if (via < 0) return [];
  // "via inet6 fe80::1" names the family when it differs from the route's.
  const named = words[via + 1]?.startsWith('inet') === true;
  const address = words[via + (named ? 2 : 1)] ?? '';
  return [
    { address, device: valueAfter(words, 'dev') ?? '', weight: Number(valueAfter(words, 'weight') ?? 1) },
  ];
}

function valueAfter(words: readonly string[], word: string): string | undefined {
  const index = words.indexOf(word);
  return index < 0 ? undefined : words[index + 1];
}

function fullPrefix(destination: string, family: 4 | 6): string {
  if (destination === 'default') return family === 4 ? '0.0.0.0/0' : '::/0';
  if (destination.includes('/')) return destination;
  return `${destination}/${family === 4 ? 32 : 128}`;
}

/** "2026-12-01T21:34:02.505831", written in UTC: the monitor is started with TZ=UTC. */
function parseTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN;
  const [seconds = '', fraction = '0'] = text.split('.');
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1_000;
}
