/**
 * One node as a machine: a network namespace, a view of the file system and a control group of its own, in which its
 * programs run. It can be booted, cut from its link, frozen and lose power.
 *
 * In: a namespace on the segment and the node's folders. The mounts that container runtime and kubelet make live in the
 * machine's mount namespace and are gone with its last process; nothing of the real machine's /run, /var/lib, /var/log
 * or kernel settings is touched. Which programs a node runs is cluster-node.ts's business.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { Cgroup } from '../cgroup.ts';
import type { Namespace } from '../namespace.ts';
import type { Program } from '../program.ts';
import { UPLINK } from '../segment.ts';
import type { NodeFolders } from './node-config.ts';

export interface MachineSettings {
  readonly namespace: Namespace;
  readonly folders: NodeFolders;
  /** Recorded by the caller, so that it is taken away whatever happens. */
  readonly cgroup: string;
  /** Folders of programs that are searched before the system's own. */
  readonly searchPath: readonly string[];
}

const READY_TIMEOUT_MS = 10_000;

/** Values that the kubelet wants machine-wide. It finds them in the machine's view and writes nothing. */
const WANTED_SETTINGS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

export class NodeMachine {
  readonly namespace: Namespace;
  readonly folders: NodeFolders;
  readonly #settings: MachineSettings;
  readonly #cgroup: Cgroup;
  readonly #programs = new Map<string, Program>();
  #holder: Program | undefined;

  constructor(settings: MachineSettings) {
    this.#settings = settings;
    this.namespace = settings.namespace;
    this.folders = settings.folders;
    this.#cgroup = new Cgroup(settings.cgroup);
  }

  /** The group below which containers are put, so that they are frozen and killed with the machine. */
  get containersCgroup(): string {
    return `${this.#settings.cgroup}/pods`;
  }

  /** Makes the empty machine: state from before is gone as a memory's content is, data stay. */
  async boot(): Promise<void> {
    const { state, data } = this.folders;
    rmSync(state, { recursive: true, force: true });
    for (const folder of [state, data, `${data}/run`]) mkdirSync(folder, { recursive: true });
    // Version 2 allows no processes beside groups; hence a leaf for the node's own.
    for (const cgroup of [this.#system, new Cgroup(this.containersCgroup)]) cgroup.create();
    const script = machineScript(this.folders);
    this.#holder = this.#start('machine', ['unshare', '--mount', '--', 'sh', '-ec', script]);
    await this.#holder.lineMatching(/^machine is ready$/, READY_TIMEOUT_MS);
  }

  /** Starts a program that stays, its output in a file. */
  run(name: string, argv: readonly string[]): Program {
    const path = [...this.#settings.searchPath, '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':');
    const inside = ['nsenter', `--target=${this.#holderPid}`, '--mount', '--', 'env', `PATH=${path}`];
    const program = this.#start(name, [...inside, ...argv], this.logFile(name));
    this.#programs.set(name, program);
    return program;
  }

  logFile(name: string): string {
    return `${this.folders.data}/${name}.log`;
  }

  async stop(name: string): Promise<void> {
    await this.#programs.get(name)?.stop();
  }

  async kill(name: string): Promise<void> {
    const program = this.#programs.get(name);
    program?.kill('SIGKILL');
    await program?.exited;
  }

  /** A paused machine: nothing runs, links stay up, clocks go on. */
  freeze(): void {
    this.#cgroup.freeze();
  }

  thaw(): void {
    this.#cgroup.thaw();
  }

  linkDown(): Promise<void> {
    return this.namespace.linkDown(UPLINK);
  }

  linkUp(): Promise<void> {
    return this.namespace.linkUp(UPLINK);
  }

  /** Everything that runs on it ends at once and is reaped. */
  async killAll(): Promise<void> {
    const programs = [...this.#programs.values(), ...(this.#holder === undefined ? [] : [this.#holder])];
    this.#cgroup.killAll();
    await Promise.all(programs.map((program) => program.exited));
    this.#programs.clear();
  }

  get #system(): Cgroup {
    return new Cgroup(`${this.#settings.cgroup}/system`);
  }

  get #holderPid(): number {
    if (this.#holder === undefined) throw new Error(`${this.namespace.label} was not booted`);
    return this.#holder.pid;
  }

  #start(name: string, argv: readonly string[], logFile?: string): Program {
    const output = logFile === undefined ? '' : ` >>'${logFile}' 2>&1`;
    const script = `echo $$ >'${this.#system.processesFile}'; cd /; exec "$@"${output}`;
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
    return this.namespace.start(name, ['sh', '-ec', script, name, ...argv], { env });
  }
}

/** Runs in a mount namespace that nobody else sees; ends in a process that holds it. */
function machineScript({ state, data }: NodeFolders): string {
  return [
    'mount --make-rshared /',
    `mount --bind ${state} ${data}/run`,
    'mount -t tmpfs -o mode=755 lab /run',
    `mkdir -p ${state} /run/netns /run/lock`,
    `mount --bind ${data}/run ${state}`,
    'for folder in /var/lib /var/log; do mount -t tmpfs -o mode=755 lab $folder; done',
    ...Object.entries(WANTED_SETTINGS).map(([path, value]) => showSetting(state, path, value)),
    'echo machine is ready',
    'exec sleep infinity',
  ].join('\n');
}

function showSetting(state: string, path: string, value: string): string {
  const file = `${state}/${path.replaceAll('/', '-')}`;
  return `echo ${value} >${file}; mount --bind ${file} /proc/sys/${path}`;
}
