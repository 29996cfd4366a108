/**
 * An ordinary pod: a network namespace behind its node, and programs in it that have no rights at all.
 *
 * Every program gets uid 65532, no capability (bounding set included), no_new_privs, a read-only root file system, its own /tmp
 * and the pod's shared folder, as a container under Pod Security "restricted" would. The repository is
 * visible read-only at its own path, so that scripts run from where they are.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lab } from './lab.ts';
import type { Namespace } from './namespace.ts';
import type { Program } from './program.ts';
import { isBelow, programName, samePath, sandboxArgv } from './sandbox.ts';
import type { Mount, SandboxOptions } from './sandbox.ts';
import { vtyCommand, vtyJson } from './vty.ts';
import { waitFor } from './wait-for.ts';

export interface PodSettings {
  readonly lab: Lab;
  readonly namespace: Namespace;
  /** The root folder from `ensureFrrRoot`. */
  readonly root: string;
  readonly ipv4: string;
  readonly ipv6: string;
}

export interface PodRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Further folders or files of the machine to see inside, read-only. */
  readonly mounts?: readonly Mount[];
  readonly priority?: number;
}

export const POD_USER = { uid: 65_532, gid: 65_532 } as const;
/** The emptyDir that the pod's containers share, as seen inside. */
export const SHARED_PATH = '/shared';
export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const BGPD_READY_MS = 10_000;

export class Pod {
  readonly namespace: Namespace;
  readonly ipv4: string;
  readonly ipv6: string;
  /** The shared folder's path outside. */
  readonly sharedDirectory: string;
  readonly #settings: PodSettings;
  #started = 0;

  constructor(settings: PodSettings) {
    this.#settings = settings;
    this.namespace = settings.namespace;
    this.ipv4 = settings.ipv4;
    this.ipv6 = settings.ipv6;
    this.sharedDirectory = settings.lab.folder(settings.namespace.label, 'shared');
    // The pod's user owns nothing outside; anybody may write here, as the volume's group could.
    chmodSync(this.sharedDirectory, 0o1777);
  }

  get name(): string {
    return this.namespace.label;
  }

  run(command: string, args: readonly string[], options: PodRunOptions = {}): Program {
    const argv = [command, ...args];
    return this.namespace.start(programName(argv), sandboxArgv(this.#sandbox(options), argv), {
      env: { PATH: '/usr/sbin:/usr/bin', HOME: '/tmp', ...options.env },
      ...(options.priority === undefined ? {} : { priority: options.priority }),
    });
  }

  /** Runs a script of the repository on the Node.js that runs the lab. */
  runNode(args: readonly string[], options: PodRunOptions = {}): Program {
    return this.run(process.execPath, args, options);
  }

  /**
   * The pod's bgpd as the product starts it: no zebra, no privileges. Resolves when its vty answers.
   * `configuration` is the boot file; more can be loaded by `vty`.
   */
  async runBgpd(configuration: string): Promise<Program> {
    this.writeShared('bgpd.conf', configuration);
    const program = this.run('/usr/lib/frr/bgpd', bgpdFlags());
    await waitFor(
      `bgpd of ${this.name} answers`,
      async () => {
        if (!program.isRunning) return false;
        return this.vty('show version');
      },
      BGPD_READY_MS,
    );
    return program;
  }

  vty(command: string): Promise<string> {
    return vtyCommand(join(this.sharedDirectory, 'bgpd.vty'), command);
  }

  vtyJson<T>(command: string): Promise<T> {
    return vtyJson<T>(join(this.sharedDirectory, 'bgpd.vty'), command);
  }

  writeShared(name: string, text: string): void {
    const path = join(this.sharedDirectory, name);
    writeFileSync(path, text);
    chmodSync(path, 0o644);
  }

  #sandbox(options: PodRunOptions): SandboxOptions {
    this.#started += 1;
    return {
      root: this.#settings.root,
      mountPoint: this.#settings.lab.folder(this.name, `root-${this.#started}`),
      readOnly: [...toolMounts(), ...(options.mounts ?? [])],
      writable: [{ source: this.sharedDirectory, target: SHARED_PATH }],
      rights: POD_USER,
    };
  }
}

/** The flags that the product uses; see the design of the pod. */
export function bgpdFlags(directory = SHARED_PATH): string[] {
  const files = ['-z', `${directory}/none/zserv.api`, '--vty_socket', directory];
  const own = ['-i', `${directory}/bgpd.pid`, '-f', `${directory}/bgpd.conf`, '--log', 'stdout'];
  return ['-Z', '-S', '-x', '-p', '1790', '-l', '127.0.0.1', '-P', '0', ...files, ...own];
}

function toolMounts(): Mount[] {
  const node = dirname(process.execPath);
  const visible = isBelow(node, REPOSITORY) || isBelow(node, '/usr');
  return [samePath(REPOSITORY), ...(visible ? [] : [samePath(node)])];
}
