/**
 * What one lab has made on this machine, and how it is taken away again.
 *
 * Everything is written down before it exists, in a file that outlives the process, so that the next lab can sweep
 * what a killed one left. Only what is written here is ever destroyed: processes by pid and start time (a pid that
 * was given to somebody else is left alone), control groups, namespaces and folders by their exact names. Synchronous, because it
 * also runs while the process exits.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cgroup } from './cgroup.ts';
import { runSync } from './command.ts';

export interface ProcessEntry {
  readonly pid: number;
  readonly startTime: string;
}

interface LedgerState {
  readonly owner: ProcessEntry;
  readonly namespaces: readonly string[];
  readonly processes: readonly ProcessEntry[];
  readonly directories: readonly string[];
  /** Absent in records of labs that know none. */
  readonly cgroups?: readonly string[];
}

/** Below /run because it is emptied by a reboot, as are the namespaces and processes themselves. */
export const STATE_DIRECTORY = '/run/herald-lab';

export class Ledger {
  readonly #file: string;
  readonly #namespaces = new Set<string>();
  readonly #processes = new Map<number, ProcessEntry>();
  readonly #directories = new Set<string>();
  readonly #cgroups = new Set<string>();
  #destroyed = false;

  constructor(id: string, stateDirectory = STATE_DIRECTORY) {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o755 });
    this.#file = join(stateDirectory, `${id}.json`);
    this.#save();
  }

  addNamespace(name: string): void {
    this.#namespaces.add(name);
    this.#save();
  }

  addDirectory(path: string): void {
    this.#directories.add(path);
    this.#save();
  }

  addCgroup(name: string): void {
    this.#cgroups.add(name);
    this.#save();
  }

  addProcess(pid: number): void {
    const startTime = processStartTime(pid);
    if (startTime === undefined) return;
    this.#processes.set(pid, { pid, startTime });
    this.#save();
  }

  removeProcess(pid: number): void {
    if (this.#processes.delete(pid)) this.#save();
  }

  get isDestroyed(): boolean {
    return this.#destroyed;
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    destroyRecorded(this.#state());
    rmSync(this.#file, { force: true });
  }

  #state(): LedgerState {
    return {
      owner: { pid: process.pid, startTime: processStartTime(process.pid) ?? '' },
      namespaces: [...this.#namespaces],
      processes: [...this.#processes.values()],
      directories: [...this.#directories],
      cgroups: [...this.#cgroups],
    };
  }

  #save(): void {
    if (this.#destroyed) return;
    // Renamed into place: a sweep never reads half a file.
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#state()));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Removes what labs of dead processes left behind; gives the number of labs swept. */
export function sweepStaleLabs(stateDirectory = STATE_DIRECTORY): number {
  let swept = 0;
  for (const file of ledgerFiles(stateDirectory)) {
    const state = readState(file);
    if (state === undefined || isRunning(state.owner)) continue;
    destroyRecorded(state);
    rmSync(file, { force: true });
    swept += 1;
  }
  return swept;
}

export function isRunning(entry: ProcessEntry): boolean {
  return processStartTime(entry.pid) === entry.startTime;
}

/** Field 22 of /proc/PID/stat; undefined when there is no such process or it is only waiting to be reaped. */
export function processStartTime(pid: number): string | undefined {
  try {
    return parseStartTime(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The second field is the program's name in brackets and may itself hold spaces and brackets. */
export function parseStartTime(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

function ledgerFiles(stateDirectory: string): string[] {
  try {
    return readdirSync(stateDirectory)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(stateDirectory, name));
  } catch {
    return [];
  }
}

function readState(file: string): LedgerState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LedgerState;
  } catch {
    return undefined;
  }
}

function destroyRecorded(state: LedgerState): void {
  const cgroups = (state.cgroups ?? []).map((name) => new Cgroup(name));
  for (const cgroup of cgroups) cgroup.killAll();
  for (const entry of state.processes) if (isRunning(entry)) kill(-entry.pid);
  for (const name of state.namespaces) {
    killInside(name);
    runSync(['ip', 'netns', 'del', name]);
  }
  for (const cgroup of cgroups) cgroup.remove();
  for (const path of state.directories) rmSync(path, { recursive: true, force: true });
}

/** A program's children may outlive it, in a group of their own; a namespace is as good a record as a number. */
function killInside(namespace: string): void {
  const { stdout } = runSync(['ip', 'netns', 'pids', namespace]);
  for (const pid of stdout.split('\n').filter((line) => line !== '')) kill(Number(pid));
}

/** A process, or with its number negative the group that it leads. */
function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch {
    // It ended between the look and the signal.
  }
}
