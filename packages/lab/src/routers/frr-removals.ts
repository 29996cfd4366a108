/**
 * Two configurations of a lab router -> the commands that take away what only the old one has.
 *
 * Loading a configuration only ever adds. A neighbour that is gone as a whole is removed by one command; everything
 * else line by line, in its own context. For the configurations of this package, not for FRR's language in general.
 */
type Contexts = ReadonlyMap<string, readonly string[]>;

const NEIGHBOR = /^neighbor (\S+) /;
/** One neighbour has one of each, so the new line replaces the old one. */
const REPLACED_BY_NEW =
  /^(?:neighbor \S+ (?:remote-as|timers|timers connect|password|ebgp-multihop|ttl-security|port|update-source|maximum-prefix|prefix-list)|bgp router-id|maximum-paths(?: ibgp)?)\b/;

export function frrRemovals(before: string, after: string): string {
  const old = contextsOf(before);
  const fresh = contextsOf(after);
  const gone = goneNeighbors(old, fresh);
  return [...old]
    .flatMap(([path, lines]) => contextRemovals(path, lines, fresh.get(path) ?? [], gone))
    .join('\n');
}

function contextRemovals(
  path: string,
  old: readonly string[],
  fresh: readonly string[],
  gone: ReadonlySet<string>,
): string[] {
  const stays = new Set([...fresh, ...fresh.map(slot)]);
  const inBlock = path.includes('address-family');
  const commands = old
    .filter((line) => !stays.has(line) && !stays.has(slot(line)))
    .flatMap((line) => {
      const neighbor = NEIGHBOR.exec(line)?.[1];
      if (neighbor === undefined || !gone.has(neighbor)) return [negated(line)];
      return inBlock || !line.includes(' remote-as ') ? [] : [`no neighbor ${neighbor}`];
    });
  if (commands.length === 0) return [];
  const headers = path === '' ? [] : path.split('\n');
  return [...headers, ...commands, ...headers.map(() => 'exit')];
}

/** What a line sets, when a new line of the same kind takes its place. */
function slot(line: string): string {
  return REPLACED_BY_NEW.exec(line)?.[0] ?? line;
}

function negated(line: string): string {
  return line.startsWith('no ') ? line.slice(3) : `no ${line}`;
}

function goneNeighbors(old: Contexts, fresh: Contexts): Set<string> {
  const gone = neighborsOf(old);
  for (const name of neighborsOf(fresh)) gone.delete(name);
  return gone;
}

function neighborsOf(contexts: Contexts): Set<string> {
  const lines = [...contexts.values()].flat();
  return new Set(lines.flatMap((line) => NEIGHBOR.exec(line)?.[1] ?? []));
}

/** Context path (its header lines, joined by newline) -> its lines. */
function contextsOf(text: string): Contexts {
  const contexts = new Map<string, string[]>();
  let path: string[] = [];
  for (const line of text
    .split('\n')
    .map((one) => one.trim())
    .filter(isCommand)) {
    if (isExit(line)) path = path.slice(0, -1);
    else if (isHeader(line)) path = [...path, line];
    else contexts.set(path.join('\n'), [...(contexts.get(path.join('\n')) ?? []), line]);
  }
  return contexts;
}

function isCommand(line: string): boolean {
  return line !== '' && !line.startsWith('!') && !line.startsWith('frr defaults');
}

function isExit(line: string): boolean {
  return line === 'exit' || line === 'exit-address-family';
}

function isHeader(line: string): boolean {
  return /^(router |address-family |route-map )/.test(line);
}
