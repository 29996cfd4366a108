/**
 * How a program is shut into a root file system of its own, before it starts.
 *
 * In: which folder is the root, what is visible in it, with which rights. Out: one argument vector that ends in
 * the program itself, without a process in between, so that signals and the pid are the program's own. The root is
 * an empty read-only tmpfs with the chosen folder's parts bound into it read-only, hence mount points can be made
 * without touching that folder. All mounts live in the program's mount namespace and go with it.
 */
import { basename } from 'node:path';

export interface Mount {
  readonly source: string;
  readonly target: string;
}

export interface SandboxOptions {
  /** The folder whose /usr, /etc and so on the program sees. `/` is the machine's own. */
  readonly root: string;
  /** An existing empty folder; it stays empty for everybody else. */
  readonly mountPoint: string;
  readonly readOnly?: readonly Mount[];
  readonly writable?: readonly Mount[];
  readonly rights: 'root' | Unprivileged;
}

export interface Unprivileged {
  readonly uid: number;
  readonly gid: number;
}

/** What a root folder contributes. /home, /root, /opt and the like are nobody's business inside. */
const ROOT_PARTS = ['bin', 'etc', 'lib', 'lib32', 'lib64', 'libx32', 'sbin', 'usr', 'var'];

export function sandboxArgv(options: SandboxOptions, argv: readonly string[]): string[] {
  return ['unshare', '--mount', '--', 'sh', '-ec', sandboxScript(options), 'sandbox', ...argv];
}

export function sandboxScript(options: SandboxOptions): string {
  const at = (path: string): string => quote(`${options.mountPoint}${path}`);
  const { readOnly = [], writable = [] } = options;
  return [
    `mount -t tmpfs -o mode=755,size=4m lab ${at('')}`,
    ...ROOT_PARTS.flatMap((part) => bindPart(options.root, part, at)),
    `mkdir -p ${at('/proc')} ${at('/dev')} ${at('/tmp')} ${at('/run')}`,
    `mount --rbind /proc ${at('/proc')}`,
    `mount --rbind /dev ${at('/dev')}`,
    `mount -t tmpfs -o mode=1777 lab ${at('/tmp')}`,
    ...runFolder(options.rights, at),
    ...readOnly.flatMap((mount) => bind(mount, 'ro', at)),
    ...writable.flatMap((mount) => bind(mount, 'rw', at)),
    `mount -o remount,ro ${at('')}`,
    `cd ${at('')}`,
    'pivot_root . .',
    'umount -l .',
    'cd /tmp',
    `exec ${rightsPrefix(options.rights)}"$@"`,
  ].join('\n');
}

type At = (path: string) => string;

function bindPart(root: string, part: string, at: At): string[] {
  const source = quote(root === '/' ? `/${part}` : `${root}/${part}`);
  const target = at(`/${part}`);
  return [
    `if [ -L ${source} ]; then cp -P ${source} ${target};`,
    `elif [ -d ${source} ]; then mkdir ${target}; mount --bind ${source} ${target};`,
    `mount -o remount,bind,ro ${target}; fi`,
  ];
}

/** Daemons with root's rights expect a writable /run; an unprivileged pod has none. */
function runFolder(rights: SandboxOptions['rights'], at: At): string[] {
  return rights === 'root' ? [`mount -t tmpfs -o mode=755 lab ${at('/run')}`] : [];
}

function bind(mount: Mount, mode: 'ro' | 'rw', at: At): string[] {
  const source = quote(mount.source);
  const target = at(mount.target);
  return [
    `if [ -d ${source} ]; then mkdir -p ${target};`,
    `else mkdir -p "$(dirname ${target})"; touch ${target}; fi`,
    `mount --bind ${source} ${target}`,
    ...(mode === 'ro' ? [`mount -o remount,bind,ro ${target}`] : []),
  ];
}

function rightsPrefix(rights: SandboxOptions['rights']): string {
  if (rights === 'root') return '';
  return (
    `setpriv --reuid=${rights.uid} --regid=${rights.gid} --clear-groups ` +
    '--inh-caps=-all --bounding-set=-all --no-new-privs -- '
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A folder seen under its own path inside. */
export function samePath(path: string): Mount {
  return { source: path, target: path };
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function programName(argv: readonly string[]): string {
  return basename(argv[0] ?? 'program');
}
