// Herald from its bundle, as the image carries it, in a pod of the lab with an API server as its source: start and
// stop of both processes, what the API of the controller says, and what the kernel says of the controller.

import { readFileSync } from 'node:fs';

import { SHARED_PATH, notYet, waitFor, type Pod, type PodRunOptions, type Program } from '@herald/lab';

import { bundle } from '../../deploy/image/bundle.ts';
import type { ApiStage } from './api-stage.ts';
import { bgpdPid } from './bgpd-pid.ts';
import { NAMESPACE } from './cluster-herald.ts';

export const HERALD_ASN = 64_512;

export interface HeraldStatus {
  readonly source: { readonly synced: boolean };
  readonly services: { readonly announced: number };
  readonly ready: boolean;
  readonly replica: { readonly leading: boolean };
}

const BUNDLE = '/herald';
const HTTP_PORT = 8179;
const POD_PORT = 8443;
const KEY = 'a key that all replicas of this lab have';
/** Addresses are written by who makes the Services: giving them takes longer than all that is measured. */
const SEVERAL = {
  ipam: false,
  podListener: { address: '0.0.0.0', port: POD_PORT },
  exchange: { keyFile: `${SHARED_PATH}/key` },
};
const CONFIG = `${SHARED_PATH}/herald.json`;
const WAIT_MS = 900_000;
/** Clock ticks of /proc are hundredths of a second on every Linux. */
const TICK_MS = 10;

export class BundledHerald {
  readonly #pod: Pod;
  readonly #options: PodRunOptions;
  #bgpd: Program | undefined;
  #controller: Program | undefined;

  private constructor(pod: Pod, options: PodRunOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  /** As many replicas as there are pods; they tell each other how they are. */
  static async prepare(
    stage: ApiStage,
    moreSettings: Readonly<Record<string, unknown>> = {},
  ): Promise<[BundledHerald, ...BundledHerald[]]> {
    const folder = stage.lab.folder('bundle');
    await bundle(folder);
    const mounts = [{ source: folder, target: BUNDLE }];
    const { controlPlanes } = stage.topology;
    const company = controlPlanes.length > 1 ? 'others' : 'alone';
    const [first, ...others] = controlPlanes.map(({ pod }, index) => {
      pod.writeShared('kubeconfig', stage.accountKubeconfig);
      pod.writeShared('key', KEY);
      pod.writeShared('herald.json', JSON.stringify({ ...settings(pod, company), ...moreSettings }));
      return new BundledHerald(pod, { mounts, env: identity(pod, index) });
    });
    if (first === undefined) {
      throw new RangeError('the stage has no pod');
    }
    return [first, ...others];
  }

  get address(): string {
    return this.#pod.ipv4;
  }

  start(): void {
    this.startBgpd();
    this.startController();
  }

  startController(): void {
    this.#controller = this.#run('run');
  }

  startBgpd(): void {
    this.#bgpd = this.#run('bgpd');
  }

  /** bgpd goes on. */
  async endController(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#controller?.kill(signal);
    await this.#controller?.exited;
  }

  /** The whole pod crashes. */
  async kill(): Promise<void> {
    await Promise.all([this.endController('SIGKILL'), this.killBgpd()]);
  }

  /** It crashes, and its container ends with it. */
  async killBgpd(): Promise<void> {
    this.signalBgpd('SIGKILL');
    await this.#bgpd?.exited;
  }

  signalController(signal: NodeJS.Signals): void {
    this.#controller?.kill(signal);
  }

  signalBgpd(signal: NodeJS.Signals): void {
    process.kill(bgpdPid(this.#pod), signal);
  }

  async stop(): Promise<void> {
    for (const program of [this.#controller, this.#bgpd]) {
      program?.kill('SIGTERM');
      await program?.exited;
    }
  }

  /** Waits until the controller says what is wanted of it. */
  async says(
    description: string,
    test: (status: HeraldStatus) => boolean,
    patienceMs = WAIT_MS,
  ): Promise<void> {
    await waitFor(
      description,
      async () => {
        if (this.#controller?.isRunning !== true) {
          throw new Error(`the controller has ended: ${this.#controller?.output}`);
        }
        const status = await this.#status();
        return test(status) || notYet(status);
      },
      patienceMs,
    );
  }

  async leads(): Promise<boolean> {
    return (await this.#status()).replica.leading;
  }

  /** Megabytes of a million bytes. */
  memory(field: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.#controller?.pid}/status`, 'utf8');
    return (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  }

  /** Processor time that was used so far, in milliseconds. */
  processorMs(): { readonly controller: number; readonly bgpd: number } {
    return { controller: usedMs(this.#controller?.pid ?? 0), bgpd: usedMs(bgpdPid(this.#pod)) };
  }

  async #status(): Promise<HeraldStatus> {
    const url = `http://127.0.0.1:${HTTP_PORT}/api/v1/status`;
    const curl = ['curl', '--silent', '--show-error', '--fail-with-body', url];
    return JSON.parse(await this.#pod.namespace.run(curl)) as HeraldStatus;
  }

  #run(command: 'bgpd' | 'run'): Program {
    return this.#pod.runNode([`${BUNDLE}/herald.mjs`, command, '--config', CONFIG], this.#options);
  }
}

/** The one that leads, when exactly one does. */
export async function leaderOf(
  replicas: readonly BundledHerald[],
  patienceMs = WAIT_MS,
): Promise<BundledHerald> {
  return await waitFor(
    'one of them leads',
    async () => {
      const leading = await Promise.all(replicas.map((replica) => replica.leads()));
      const [leader, ...more] = replicas.filter((_, index) => leading[index]);
      return leader !== undefined && more.length === 0 ? leader : notYet(leading);
    },
    patienceMs,
  );
}

function settings(pod: Pod, company: 'others' | 'alone'): object {
  return {
    asn: HERALD_ASN,
    routerId: pod.ipv4,
    source: { kind: 'kubernetes', kubeconfig: `${SHARED_PATH}/kubeconfig` },
    stateDir: `${SHARED_PATH}/state`,
    bgpd: { vtyDir: SHARED_PATH, configDir: `${SHARED_PATH}/frr`, vtysh: '/usr/bin/vtysh' },
    http: { address: '127.0.0.1', port: HTTP_PORT },
    ...(company === 'others' && SEVERAL),
    // There are no nodes behind the Node objects that could say when they are programmed.
    guard: { joinDelay: '0s' },
  };
}

function identity(pod: Pod, index: number): Record<string, string> {
  return {
    POD_NAME: `herald-${index}`,
    POD_NAMESPACE: NAMESPACE,
    POD_UID: `00000000-0000-4000-8000-00000000000${index}`,
    POD_IP: pod.ipv4,
    NODE_NAME: `node-${index}`,
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: `${SHARED_PATH}/compile-cache`,
  };
}

function usedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold blanks; user and system time are the 12th and 13th words after it.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(words[11]) + Number(words[12])) * TICK_MS;
}
