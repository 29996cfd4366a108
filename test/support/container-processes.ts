// The processes of a running pod as the machine's kernel sees them, not as its YAML says: what they may, which namespaces
// they are in, what they were told, which files they can read, what memory they take.
//
// In: ids of containers from the pod's status, or UIDs of pods. Out: facts from /proc and the control groups (v1 and v2 alike).

import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface ContainerProcess {
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: string;
  /** Fields of /proc/PID/status. */
  readonly status: Readonly<Record<string, string>>;
}

export interface MountPoint {
  readonly path: string;
  readonly options: readonly string[];
}

/** Of a container, by its id as in a pod's status, with or without the scheme; or of a pod, by its UID. */
export function processesOf(containerOrPod: string): ContainerProcess[] {
  const id = containerOrPod.replace(/^.*:\/\//, '');
  return pids()
    .filter((pid) => text(pid, 'cgroup').includes(id))
    .map((pid) => ({
      pid,
      commandLine: words(text(pid, 'cmdline')),
      environment: words(text(pid, 'environ')),
      status: fieldsOf(text(pid, 'status')),
    }));
}

export function networkOf(pid: number): string {
  return readlinkSync(`/proc/${pid}/ns/net`);
}

export function mountsOf(pid: number): MountPoint[] {
  const lines = text(pid, 'mountinfo').trim().split('\n');
  return lines.map((line) => {
    const [, , , , path = '', options = ''] = line.split(' ');
    return { path, options: options.split(',') };
  });
}

/** Files that everybody may read, below everything that was mounted for the pod, and that hold one of the secrets. */
export function secretsInTheOpen(pid: number, secrets: readonly string[]): string[] {
  const folders = mountsOf(pid).filter(({ path }) => /^\/(run|etc|var)\//.test(path));
  return folders
    .flatMap(({ path }) => openFiles(join(`/proc/${pid}/root`, path)))
    .filter((path) => secrets.some((secret) => readFileSync(path, 'utf8').includes(secret)));
}

/** What a process has resident, a page that others have too counted as its share of it (proportional set size). */
export function proportionalBytes(pid: number): number {
  return Number.parseInt(fieldsOf(text(pid, 'smaps_rollup'))['Pss'] ?? '0', 10) * 1024;
}

/** As the kubelet counts it: what is used without the files that the kernel could drop at once. */
export function workingSetBytes(pid: number): number {
  const lines = text(pid, 'cgroup').trim().split('\n');
  const group = (pattern: RegExp): string | undefined =>
    lines.map((line) => pattern.exec(line)?.[1]).find((path) => path !== undefined);
  const first = join('/sys/fs/cgroup/memory', group(/:memory:(.*)$/) ?? '');
  const isFirst = group(/:memory:(.*)$/) !== undefined && existsSync(first);
  const folder = isFirst ? first : join('/sys/fs/cgroup', group(/^0::(.*)$/) ?? '');
  const used = Number(
    readFileSync(join(folder, isFirst ? 'memory.usage_in_bytes' : 'memory.current'), 'utf8'),
  );
  const statistics = readFileSync(join(folder, 'memory.stat'), 'utf8');
  const dropped = (isFirst ? /^total_inactive_file (\d+)$/m : /^inactive_file (\d+)$/m).exec(statistics);
  return used - Number(dropped?.[1] ?? 0);
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for a process that has just ended. */
function text(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function words(zeroSeparated: string): string {
  return zeroSeparated.replaceAll('\0', ' ').trim();
}

function fieldsOf(status: string): Record<string, string> {
  const lines = status.trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => line.split(/:\s+/)).map(([name = '', value = '']) => [name, value]),
  );
}

function openFiles(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return readdirSync(path).flatMap((name) => openFiles(join(path, name)));
  return stat?.isFile() === true && (stat.mode & 0o004) !== 0 ? [path] : [];
}
