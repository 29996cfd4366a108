// What the kinds of neighbour lines mean when they change: how a line is taken back, whether the session
// has to be started anew for it, and the word by which `plan` says so. The table is the one place for it.
//
// Reset means: both sides must negotiate again, or bgpd drops the session by itself. Everything else takes
// effect while the session is up.

export type ResetField =
  | 'address'
  | 'addPath'
  | 'asn'
  | 'families'
  | 'gracefulRestart'
  | 'holdTime'
  | 'instance'
  | 'localAs'
  | 'multiHop'
  | 'password'
  | 'port'
  | 'remoteAs'
  | 'routerId'
  | 'shutdown'
  | 'sourceAddress'
  | 'ttlSecurity';

export interface LineKind {
  /** What the line begins with; the longest that fits counts. */
  readonly words: string;
  readonly reset: ResetField | undefined;
  /** What `no neighbor ADDRESS` is followed by; undefined repeats the line, whole. */
  readonly removal: string | undefined;
}

function kind(words: string, reset?: ResetField, removal?: string): LineKind {
  return { words, reset, removal };
}

const KINDS: readonly LineKind[] = [
  kind('remote-as', 'remoteAs'),
  kind('local-as', 'localAs', 'local-as'),
  kind('description', undefined, 'description'),
  kind('shutdown', 'shutdown', 'shutdown'),
  kind('port', 'port', 'port'),
  kind('password', 'password', 'password'),
  kind('ebgp-multihop', 'multiHop', 'ebgp-multihop'),
  kind('ttl-security', 'ttlSecurity'),
  kind('update-source', 'sourceAddress', 'update-source'),
  kind('timers connect', undefined, 'timers connect'),
  kind('timers', 'holdTime', 'timers'),
  kind('graceful-restart', 'gracefulRestart'),
  kind('activate', 'families'),
  kind('addpath-tx-all-paths', 'addPath'),
  kind('route-reflector-client', 'instance'),
  kind('route-map herald-', undefined),
  kind('attribute-unchanged', undefined, 'attribute-unchanged'),
];

/** Undefined for a line that Herald does not write; such lines are left alone. */
export function lineKind(line: string): LineKind | undefined {
  return KINDS.find((candidate) => `${line} `.startsWith(wordEnd(candidate.words)));
}

function wordEnd(words: string): string {
  return /[a-z]$/.test(words) && words !== 'graceful-restart' ? `${words} ` : words;
}

/** Two lines of one slot replace each other; `route-map X in` and `route-map Y out` do not. */
export function lineSlot(line: string): string {
  const direction = /^route-map \S+ (in|out)$/.exec(line)?.[1] ?? '';
  return `${lineKind(line)?.words ?? line} ${direction}`;
}

export function removalOf(line: string): string {
  return lineKind(line)?.removal ?? line;
}
