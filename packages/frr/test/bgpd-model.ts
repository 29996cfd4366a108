// A model of how bgpd's configuration changes with each command, strict where the real one is strict:
// a neighbour needs its `remote-as` first, a filter that is used must exist and one that is in use must
// not go, multihop excludes GTSM. Commands in, text as `show running-config` prints it out.
//
// It also keeps what would happen to sessions: the addresses whose session a command would have ended.

interface Neighbor {
  readonly lines: Map<string, string>;
  readonly families: Map<string, Map<string, string>>;
}

interface Instance {
  readonly settings: Set<string>;
  readonly neighbors: Map<string, Neighbor>;
}

const QUIET = /^(?:description|timers connect|route-map|attribute-unchanged)/;

export class BgpdModel {
  readonly #lists = new Map<string, string[]>();
  readonly #maps = new Map<string, Map<string, string[]>>();
  readonly #instances = new Map<string, Instance>();
  readonly #globals = new Set<string>();
  readonly touched = new Set<string>();
  #instance: Instance | undefined;
  #clause: string[] | undefined;
  #family = '';

  run(commands: readonly string[]): this {
    for (const command of commands) {
      this.#run(command);
    }
    return this;
  }

  #run(command: string): void {
    const negated = command.startsWith('no ') && !command.startsWith('no bgp default');
    const line = negated ? command.slice(3) : command;
    if (line === 'exit') {
      this.#instance = undefined;
      this.#clause = undefined;
      this.#family = '';
    } else if (line === 'exit-address-family') {
      this.#family = '';
    } else if (line.startsWith('address-family ')) {
      this.#family = line.slice('address-family '.length);
    } else if (this.#clause !== undefined) {
      this.#inClause(this.#clause, line, negated);
    } else if (this.#instance !== undefined) {
      this.#inInstance(this.#instance, line, negated);
    } else {
      this.#atTop(line, negated);
    }
  }

  #inClause(clause: string[], line: string, negated: boolean): void {
    if (negated) {
      clause.splice(clause.indexOf(line), 1);
    } else {
      clause.push(line);
    }
  }

  #atTop(line: string, negated: boolean): void {
    const [, list] = /^(?:ip prefix-list|bgp large-community-list \w+) (\S+) /.exec(line) ?? [];
    const [, map] = /^route-map (\S+)/.exec(line) ?? [];
    if (line.startsWith('router bgp')) {
      this.#router(line, negated);
    } else if (map !== undefined) {
      this.#routeMap(map, line, negated);
    } else if (list !== undefined) {
      this.#list(list, line, negated);
    } else {
      this.#globals.add(line);
    }
  }

  #router(line: string, negated: boolean): void {
    if (!negated) {
      this.#instance = this.#instances.get(line) ?? { settings: new Set(), neighbors: new Map() };
      this.#instances.set(line, this.#instance);
      return;
    }
    const header = line.replace(' vrf ', ' view ');
    if (line.includes(' view ') || !this.#instances.has(header)) {
      throw new Error(`would delete the default instance or nothing: no ${line}`);
    }
    this.#instances.delete(header);
  }

  #routeMap(name: string, line: string, negated: boolean): void {
    const clauses = this.#maps.get(name) ?? new Map<string, string[]>();
    if (negated) {
      this.#expect(!this.#uses().includes(name), `${name} is in use`);
      this.#maps.delete(name);
      return;
    }
    this.#clause = clauses.get(line) ?? [];
    this.#maps.set(name, clauses.set(line, this.#clause));
  }

  #list(name: string, line: string, negated: boolean): void {
    const lines = this.#lists.get(name) ?? [];
    const matched = [...this.#maps.values()].flatMap((map) => [...map.values()].flat());
    if (negated) {
      this.#expect(!matched.some((match) => match.endsWith(` ${name}`)), `${name} is in use`);
      this.#lists.set(
        name,
        lines.filter((other) => other !== line),
      );
    } else {
      this.#lists.set(name, [...lines, line]);
    }
  }

  #inInstance(instance: Instance, line: string, negated: boolean): void {
    const [, address, rest] = /^neighbor (\S+) ?(.*)$/.exec(line) ?? [];
    if (address === undefined || rest === undefined) {
      this.#setting(instance, line, negated);
    } else {
      this.#neighbor(instance, address, rest, negated);
    }
  }

  #setting(instance: Instance, line: string, negated: boolean): void {
    const words = line.replace(/ \d[\d.]*$/, '');
    for (const other of instance.settings) {
      if (other.startsWith(words)) {
        instance.settings.delete(other);
      }
    }
    if (!negated) {
      instance.settings.add(line);
    }
  }

  #neighbor(instance: Instance, address: string, rest: string, negated: boolean): void {
    if (!QUIET.test(rest)) {
      this.touched.add(address);
    }
    if (negated && rest === '') {
      instance.neighbors.delete(address);
      return;
    }
    const found = instance.neighbors.get(address);
    this.#expect(
      found !== undefined || rest.startsWith('remote-as '),
      `neighbor ${address} ${rest} without remote-as`,
    );
    const neighbor = found ?? {
      lines: new Map<string, string>(),
      families: new Map<string, Map<string, string>>(),
    };
    instance.neighbors.set(address, neighbor);
    const lines = this.#scope(neighbor);
    if (negated) {
      lines.delete(slot(rest));
    } else {
      this.#set(lines, rest);
    }
  }

  #scope(neighbor: Neighbor): Map<string, string> {
    if (this.#family === '') {
      return neighbor.lines;
    }
    const lines = neighbor.families.get(this.#family) ?? new Map<string, string>();
    neighbor.families.set(this.#family, lines);
    return lines;
  }

  #set(lines: Map<string, string>, rest: string): void {
    const [, map] = /^route-map (\S+)/.exec(rest) ?? [];
    this.#expect(map === undefined || this.#maps.has(map), `route-map ${map} does not exist`);
    lines.set(slot(rest), rest);
    this.#expect(
      !(lines.has('ebgp-multihop') && lines.has('ttl-security')),
      'ebgp-multihop and ttl-security cannot be configured together',
    );
  }

  #uses(): string[] {
    return [...this.runningConfig().matchAll(/^neighbor \S+ route-map (\S+)/gm)].map(
      ([, name]) => name ?? '',
    );
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) {
      throw new Error(`bgpd would refuse: ${otherwise}`);
    }
  }

  linesOf(address: string): string[] {
    return this.runningConfig()
      .split('\n')
      .filter((line) => line.startsWith(`neighbor ${address} `));
  }

  runningConfig(): string {
    const lines = [...this.#globals];
    for (const [header, clause] of [...this.#maps.values()].flatMap((map) => Array.from(map))) {
      lines.push(header, ...clause, 'exit');
    }
    for (const [header, instance] of this.#instances) {
      lines.push(header, ...body(instance), 'exit');
    }
    return [...lines, ...[...this.#lists.values()].flat()].join('\n');
  }
}

function slot(rest: string): string {
  const direction = / (in|out)$/.exec(rest)?.[1] ?? '';
  const words = /^(?:timers connect|graceful-restart|[\w-]+)/.exec(rest)?.[0] ?? rest;
  return `${words}${direction === '' ? '' : ` ${direction}`}`;
}

function body({ settings, neighbors }: Instance): string[] {
  const lines = [...settings];
  for (const [address, neighbor] of neighbors) {
    lines.push(...prefixed(address, neighbor.lines));
  }
  for (const family of ['ipv4 unicast', 'ipv6 unicast']) {
    lines.push(`address-family ${family}`);
    for (const [address, { families }] of neighbors) {
      lines.push(...prefixed(address, families.get(family) ?? new Map()));
    }
    lines.push('exit-address-family');
  }
  return lines;
}

function prefixed(address: string, lines: ReadonlyMap<string, string>): string[] {
  return [...lines.values()].map((line) => `neighbor ${address} ${line}`);
}
