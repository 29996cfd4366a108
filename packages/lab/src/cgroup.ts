/**
 * A control group as a bag of processes: everything that was started in it can be frozen, thawed and killed at
 * once, however it was forked, and nothing else. This is how a node's containers are found again without names.
 *
 * In: a group's name (a path below the hierarchy's root). Works on version 1 (the freezer's hierarchy holds the
 * processes) and on version 2. Synchronous, because it also runs while the process exits. It limits nothing; how
 * much a group gets of a busy processor can be said.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CgroupMount {
  readonly path: string;
  readonly version: 1 | 2;
  readonly controllers: readonly string[];
}

const CONTROLLERS = new Set(['freezer', 'cpu', 'memory', 'pids', 'devices', 'cpuset', 'blkio', 'cpuacct']);
/** What an ordinary process weighs, and the most that can be said, by version of the hierarchy. */
const WEIGHTS = {
  1: { file: 'cpu.shares', ordinary: 1024, most: 262_144 },
  2: { file: 'cpu.weight', ordinary: 100, most: 10_000 },
} as const;
const EMPTY_TIMEOUT_MS = 5_000;
const PAUSE_MS = 10;

/** The lines of /proc/self/mountinfo that are hierarchies of control groups. */
export function parseCgroupMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const path = left.split(' ')[4];
    const [type, , options = ''] = right.split(' ');
    if (path === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    const controllers = options.split(',').filter((option) => CONTROLLERS.has(option));
    return [{ path, version: type === 'cgroup' ? 1 : 2, controllers } as const];
  });
}

/** The hierarchy whose groups can be frozen: the freezer's own, or the unified one. */
export function freezerMount(mounts: readonly CgroupMount[]): CgroupMount | undefined {
  return mountOf(mounts, 'freezer');
}

function mountOf(mounts: readonly CgroupMount[], controller: string): CgroupMount | undefined {
  return (
    mounts.find(({ controllers }) => controllers.includes(controller)) ??
    mounts.find(({ version }) => version === 2)
  );
}

export class Cgroup {
  readonly name: string;
  readonly #mounts: readonly CgroupMount[];
  readonly #freezer: CgroupMount;

  constructor(name: string, mountinfo = readFileSync('/proc/self/mountinfo', 'utf8')) {
    const mounts = parseCgroupMounts(mountinfo);
    const freezer = freezerMount(mounts);
    if (freezer === undefined) throw new Error('This machine has no control groups mounted.');
    this.name = name;
    this.#mounts = mounts;
    this.#freezer = freezer;
  }

  /** A process that writes its number here belongs to the group from then on, as do its children. */
  get processesFile(): string {
    return join(this.#path, 'cgroup.procs');
  }

  /** In every hierarchy: a container runtime wants to limit resources below it. */
  create(): void {
    for (const mount of this.#mounts) mkdirSync(join(mount.path, this.name), { recursive: true });
  }

  /** On a busy processor all of the group together get as much as so many ordinary processes outside. */
  weigh(processes: number): void {
    const mount = mountOf(this.#mounts, 'cpu');
    if (mount === undefined) return;
    const { file, ordinary, most } = WEIGHTS[mount.version];
    const path = join(mount.path, this.name, file);
    // Version 2 has it only where the group above hands the processor on.
    if (existsSync(path)) writeFileSync(path, `${Math.min(most, ordinary * processes)}`);
  }

  freeze(): void {
    this.#setFrozen('FROZEN', '1');
  }

  thaw(): void {
    this.#setFrozen('THAWED', '0');
  }

  processes(): number[] {
    return processesBelow(this.#path);
  }

  /** Kills all and waits until they are gone; a frozen process dies when it is thawed. */
  killAll(): void {
    if (!existsSync(this.#path)) return;
    const deadline = performance.now() + EMPTY_TIMEOUT_MS;
    for (let pids = this.processes(); pids.length > 0; pids = this.processes()) {
      for (const pid of pids) kill(pid);
      this.thaw();
      if (performance.now() > deadline) return;
      pause(PAUSE_MS);
    }
  }

  /** Takes the group and everything below it out of every hierarchy; what still holds a process stays. */
  remove(): void {
    for (const mount of this.#mounts) removeFolder(join(mount.path, this.name));
  }

  get #path(): string {
    return join(this.#freezer.path, this.name);
  }

  #setFrozen(state: string, flag: string): void {
    if (!existsSync(this.#path)) return;
    if (this.#freezer.version === 1) writeFileSync(join(this.#path, 'freezer.state'), state);
    else writeFileSync(join(this.#path, 'cgroup.freeze'), flag);
  }
}

function processesBelow(folder: string): number[] {
  try {
    const own = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    return [...own, ...subfolders(folder).flatMap(processesBelow)];
  } catch {
    // A container's group may go while it is looked at.
    return [];
  }
}

function subfolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

function removeFolder(folder: string): void {
  if (!existsSync(folder)) return;
  for (const below of subfolders(folder)) removeFolder(below);
  try {
    rmdirSync(folder);
  } catch {
    // Still in use, or gone already.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the look and the signal.
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
