// A configuration as things that can be compared: lists, route-maps, instances and their neighbours, each
// with its lines. Text of frr.conf or of `show running-config` -> Statements. Pure.
//
// Reads what Herald writes and what bgpd prints of it. Lines that belong to neither (hostname, log targets
// of the command line, what another FRR version adds) end up where they are never compared.

export interface Statements {
  readonly globals: readonly string[];
  /** Prefix lists and large-community lists by name; Herald never uses one name for both. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly routeMaps: ReadonlyMap<string, Clauses>;
  /** By header, such as `router bgp 65000 view plain-7`. */
  readonly instances: ReadonlyMap<string, InstanceStatements>;
}

/** Lines by clause header, such as `route-map NAME permit 20`. */
export type Clauses = ReadonlyMap<string, readonly string[]>;

export interface InstanceStatements {
  readonly settings: readonly string[];
  /** By address. */
  readonly neighbors: ReadonlyMap<string, NeighborStatements>;
}

/** Lines without the words `neighbor ADDRESS`, by scope. */
export type NeighborStatements = ReadonlyMap<Scope, readonly string[]>;

/** '' is the instance itself, the others are address families. */
export type Scope = '' | 'ipv4 unicast' | 'ipv6 unicast';

export const SCOPES: readonly Scope[] = ['', 'ipv4 unicast', 'ipv6 unicast'];

interface Place {
  instance: string;
  scope: string;
  clause: { readonly map: string; readonly header: string } | undefined;
}

interface MutableInstance {
  readonly settings: string[];
  readonly neighbors: Map<string, Map<Scope, string[]>>;
}

const LIST = /^(?:ip prefix-list|bgp large-community-list (?:standard|expanded)) (\S+) /;
const ROUTE_MAP = /^route-map (\S+) (?:permit|deny) \d+$/;
const INSTANCE = /^router bgp /;
const FAMILY = /^address-family (.+)$/;
const NEIGHBOR = /^neighbor (\S+) (.+)$/;
const COMMENT = /^(?:!|#|$)/;
const BLOCK_END = /^(?:exit|end)$/;

export function parseStatements(text: string): Statements {
  const reader = new StatementReader();
  for (const line of text.split('\n')) {
    reader.read(line.trim());
  }
  return reader;
}

class StatementReader implements Statements {
  readonly globals: string[] = [];
  readonly lists = new Map<string, string[]>();
  readonly routeMaps = new Map<string, Map<string, string[]>>();
  readonly instances = new Map<string, MutableInstance>();
  #place: Place = topLevel();

  read(line: string): void {
    if (!COMMENT.test(line) && !this.#moved(line)) {
      this.#keep(line);
    }
  }

  #moved(line: string): boolean {
    if (BLOCK_END.test(line)) {
      this.#place = topLevel();
      return true;
    }
    if (line === 'exit-address-family') {
      this.#place.scope = '';
      return true;
    }
    return this.#entered(line);
  }

  #entered(line: string): boolean {
    const map = ROUTE_MAP.exec(line)?.[1];
    if (map !== undefined) {
      this.#place = { ...topLevel(), clause: { map, header: line } };
      entry(entry(this.routeMaps, map, newMap), line, newLines);
      return true;
    }
    if (INSTANCE.test(line)) {
      this.#place = { ...topLevel(), instance: line };
      entry(this.instances, line, newInstance);
      return true;
    }
    const scope = FAMILY.exec(line)?.[1];
    this.#place.scope = scope ?? this.#place.scope;
    return scope !== undefined;
  }

  #keep(line: string): void {
    const { clause, instance } = this.#place;
    if (clause !== undefined) {
      entry(entry(this.routeMaps, clause.map, newMap), clause.header, newLines).push(line);
    } else if (instance !== '') {
      this.#keepInInstance(entry(this.instances, instance, newInstance), line);
    } else {
      this.#keepAtTop(line);
    }
  }

  #keepInInstance(instance: MutableInstance, line: string): void {
    const [, address, rest] = NEIGHBOR.exec(line) ?? [];
    const scope = SCOPES.find((known) => known === this.#place.scope);
    if (address !== undefined && rest !== undefined && scope !== undefined) {
      entry(entry(instance.neighbors, address, newScopes), scope, newLines).push(rest);
    } else if (scope === '') {
      instance.settings.push(line);
    }
  }

  #keepAtTop(line: string): void {
    const list = LIST.exec(line)?.[1];
    const lines = list === undefined ? this.globals : entry(this.lists, list, newLines);
    lines.push(line);
  }
}

function topLevel(): Place {
  return { instance: '', scope: '', clause: undefined };
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}

const newLines = (): string[] => [];
const newMap = (): Map<string, string[]> => new Map();
const newScopes = (): Map<Scope, string[]> => new Map();
const newInstance = (): MutableInstance => ({ settings: [], neighbors: new Map() });
