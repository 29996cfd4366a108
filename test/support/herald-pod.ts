// Herald as it runs in a cluster, in a pod of the lab: the bgpd container and the controller container, with
// a folder of manifests as their source. Both can be killed and started again one by one.

import { join } from 'node:path';

import { REPOSITORY, SHARED_PATH, waitFor, notYet, type Pod, type Program } from '@herald/lab';

import { bgpdPid } from './bgpd-pid.ts';
import type { ManifestFolder } from './manifests.ts';

const HERALD = join(REPOSITORY, 'packages/controller/src/herald.ts');
const MANIFESTS = '/manifests';
const HTTP_PORT = 8179;
const READY_MS = 20_000;

export interface HeraldPodOptions {
  readonly pod: Pod;
  readonly manifests: ManifestFolder;
  /** Over the defaults below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: the name of the machine. */
  readonly name?: string;
  /** What else the pod is told about itself. */
  readonly env?: Readonly<Record<string, string>>;
}

export class HeraldPod {
  readonly pod: Pod;
  readonly #manifests: ManifestFolder;
  readonly #env: Readonly<Record<string, string>>;
  #bgpd: Program | undefined;
  #controller: Program | undefined;

  constructor({ pod, manifests, settings, name, env }: HeraldPodOptions) {
    this.#env = { ...env, ...(name === undefined ? {} : { POD_NAME: name }) };
    this.pod = pod;
    this.#manifests = manifests;
    pod.writeShared('herald.json', JSON.stringify({ ...defaults(pod), ...settings }));
  }

  static async start(options: HeraldPodOptions): Promise<HeraldPod> {
    const herald = new HeraldPod(options);
    herald.startBgpd();
    herald.startController();
    await herald.serving();
    return herald;
  }

  get bgpd(): Program {
    return running(this.#bgpd, 'bgpd');
  }

  get controller(): Program {
    return running(this.#controller, 'the controller');
  }

  startBgpd(): void {
    this.#bgpd = this.#run('bgpd');
  }

  startController(): void {
    this.#controller = this.#run('run');
  }

  async stopController(): Promise<void> {
    this.controller.kill('SIGTERM');
    await this.controller.exited;
  }

  async killController(): Promise<void> {
    this.controller.kill('SIGKILL');
    await this.controller.exited;
  }

  /** The daemon itself, below the program of its container. */
  signalBgpd(signal: NodeJS.Signals): void {
    process.kill(bgpdPid(this.pod), signal);
  }

  /** bgpd crashes, and its container ends with it. */
  async killBgpd(): Promise<void> {
    this.signalBgpd('SIGKILL');
    await this.bgpd.exited;
  }

  /** What the API answers; throws what it says when that is an error. */
  async get<T = unknown>(path: string): Promise<T> {
    const url = `http://127.0.0.1:${HTTP_PORT}${path}`;
    const text = await this.pod.namespace.run(['curl', '--silent', '--show-error', '--fail-with-body', url]);
    return JSON.parse(text) as T;
  }

  /** The API answers. */
  async serving(patienceMs = READY_MS): Promise<void> {
    await waitFor(
      'the status API answers',
      async () => {
        if (!this.controller.isRunning) {
          return notYet(this.controller.output);
        }
        return await this.get('/api/v1/status');
      },
      patienceMs,
    );
  }

  #run(command: 'bgpd' | 'run'): Program {
    return this.pod.runNode([HERALD, command, '--config', `${SHARED_PATH}/herald.json`], {
      mounts: [{ source: this.#manifests.path, target: MANIFESTS }],
      env: { ...this.#env, NODE_NO_WARNINGS: '1', NODE_COMPILE_CACHE: `${SHARED_PATH}/compile-cache` },
    });
  }
}

function defaults(pod: Pod): Record<string, unknown> {
  return {
    asn: 64_512,
    routerId: pod.ipv4,
    source: { kind: 'folder', path: MANIFESTS },
    stateDir: `${SHARED_PATH}/state`,
    bgpd: { vtyDir: SHARED_PATH, configDir: `${SHARED_PATH}/frr`, vtysh: '/usr/bin/vtysh' },
    http: { address: '127.0.0.1', port: HTTP_PORT },
    // The lab's workers serve at once; whoever looks at how nodes join sets a delay.
    guard: { joinDelay: '0s' },
  };
}

function running(program: Program | undefined, what: string): Program {
  if (program === undefined) {
    throw new Error(`${what} was never started`);
  }
  return program;
}
