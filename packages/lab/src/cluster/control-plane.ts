/**
 * etcd, API server, controller manager and scheduler in a namespace of their own, and the way to them from outside.
 *
 * In: a namespace on the segment, the certificate authority, folders. Out: a running API with its audit log. Each
 * program can be killed and started; etcd's content can be kept and put back, as a restore from a snapshot does.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Lab } from '../lab.ts';
import type { Namespace } from '../namespace.ts';
import type { Program } from '../program.ts';
import { waitFor } from '../wait-for.ts';
import { ApiDoor } from './api-door.ts';
import { askApi } from './api-request.ts';
import type { ApiAccess } from './api-request.ts';
import type { CertificateAuthority, KeyPair } from './certificates.ts';
import { API_ADDRESSES, API_PORT, API_SERVICE_ADDRESS } from './cluster-plan.ts';
import {
  API_SERVER_PAIR,
  AUDIT_POLICY,
  KUBELET_CLIENT_PAIR,
  apiServerArgv,
  controllerManagerArgv,
  etcdArgv,
  schedulerArgv,
} from './control-plane-config.ts';
import type { ControlPlaneFiles } from './control-plane-config.ts';
import { withLogTail } from './log-tail.ts';
import { writeKubeconfig } from './kubeconfig.ts';

export type ControlPlaneProgram = 'etcd' | 'apiserver' | 'controller-manager' | 'scheduler';

export interface ControlPlaneSettings {
  readonly lab: Lab;
  readonly namespace: Namespace;
  readonly authority: CertificateAuthority;
  /** Folder of the Kubernetes programs. */
  readonly programs: string;
  /** On a disk: etcd's data and the logs. */
  readonly data: string;
}

const ARGV: Readonly<Record<ControlPlaneProgram, (files: ControlPlaneFiles) => string[]>> = {
  etcd: etcdArgv,
  apiserver: apiServerArgv,
  'controller-manager': controllerManagerArgv,
  scheduler: schedulerArgv,
};
/** Three seconds on an idle machine. */
const READY_TIMEOUT_MS = 180_000;
const API_NAMES = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'];

export class ControlPlane {
  readonly namespace: Namespace;
  readonly auditLog: string;
  readonly #settings: ControlPlaneSettings;
  readonly #running = new Map<ControlPlaneProgram, Program>();
  readonly #files: ControlPlaneFiles;
  readonly #access: ApiAccess;

  private constructor(settings: ControlPlaneSettings, door: ApiDoor, admin: KeyPair) {
    this.#settings = settings;
    this.namespace = settings.namespace;
    this.auditLog = `${settings.data}/audit.log`;
    this.#files = {
      authority: settings.authority,
      etcdData: `${settings.data}/etcd`,
      auditPolicy: `${settings.data}/audit-policy.json`,
      auditLog: this.auditLog,
      controllerManagerKubeconfig: `${settings.data}/controller-manager.kubeconfig`,
      schedulerKubeconfig: `${settings.data}/scheduler.kubeconfig`,
    };
    this.#access = { port: door.port, authority: settings.authority.certificate, user: admin };
  }

  /** Resolves when the API server is ready. */
  static async start(settings: ControlPlaneSettings): Promise<ControlPlane> {
    mkdirSync(settings.data, { recursive: true });
    const target = { host: API_ADDRESSES.ipv4, port: API_PORT };
    const [door, admin] = await Promise.all([
      ApiDoor.open(settings.lab.ledger, settings.namespace, target),
      signAll(settings.authority),
    ]);
    settings.lab.beforeClose(() => door.close());
    const controlPlane = new ControlPlane(settings, door, admin);
    controlPlane.#writeFiles();
    for (const name of ['etcd', 'apiserver'] as const) await controlPlane.start(name);
    await controlPlane.ready();
    for (const name of ['controller-manager', 'scheduler'] as const) await controlPlane.start(name);
    return controlPlane;
  }

  get access(): ApiAccess {
    return this.#access;
  }

  start(name: ControlPlaneProgram): Promise<void> {
    const [program = '', ...flags] = ARGV[name](this.#files);
    const argv = [`${this.#settings.programs}/${program}`, ...flags];
    const script = `cd /; exec "$@" >>'${this.logFile(name)}' 2>&1`;
    this.#running.set(name, this.namespace.start(name, ['sh', '-ec', script, name, ...argv]));
    return Promise.resolve();
  }

  /** kill -9. */
  async kill(name: ControlPlaneProgram): Promise<void> {
    const program = this.#running.get(name);
    program?.kill('SIGKILL');
    await program?.exited;
  }

  /** Stops without ending: connections stay open and nobody answers. */
  pause(name: ControlPlaneProgram): Promise<void> {
    this.#running.get(name)?.pause();
    return Promise.resolve();
  }

  resume(name: ControlPlaneProgram): Promise<void> {
    this.#running.get(name)?.resume();
    return Promise.resolve();
  }

  logFile(name: ControlPlaneProgram): string {
    return `${this.#settings.data}/${name}.log`;
  }

  async ready(): Promise<void> {
    const isReady = async (): Promise<boolean> => (await askApi(this.#access, '/readyz')) === 'ok';
    await withLogTail(this.logFile('apiserver'), () =>
      waitFor('the API server is ready', isReady, READY_TIMEOUT_MS),
    );
  }

  /** Keeps etcd's content as it is; etcd and API server are away for a moment. */
  saveEtcd(): Promise<void> {
    return this.#withoutEtcd(() => this.#copy(this.#files.etcdData, this.#saved));
  }

  /** Puts back what was kept: revisions run backwards. */
  restoreEtcd(): Promise<void> {
    return this.#withoutEtcd(() => this.#copy(this.#saved, this.#files.etcdData));
  }

  async #withoutEtcd(change: () => void): Promise<void> {
    await this.kill('apiserver');
    await this.kill('etcd');
    change();
    for (const name of ['etcd', 'apiserver'] as const) await this.start(name);
    await this.ready();
  }

  #copy(from: string, to: string): void {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  }

  get #saved(): string {
    return `${this.#files.etcdData}-saved`;
  }

  #writeFiles(): void {
    const { authority } = this.#settings;
    const server = `https://${API_ADDRESSES.ipv4}:${API_PORT}`;
    const common = { server, authority: authority.certificate };
    writeFileSync(this.#files.auditPolicy, JSON.stringify(AUDIT_POLICY));
    writeKubeconfig(this.#files.controllerManagerKubeconfig, {
      ...common,
      user: authority.pair('controller-manager'),
    });
    writeKubeconfig(this.#files.schedulerKubeconfig, { ...common, user: authority.pair('scheduler') });
  }
}

/** Gives the administrator's pair. */
async function signAll(authority: CertificateAuthority): Promise<KeyPair> {
  const addresses = [API_SERVICE_ADDRESS, API_ADDRESSES.ipv4, API_ADDRESSES.ipv6, '127.0.0.1'];
  const alternativeNames = [
    ...API_NAMES.map((name) => `DNS:${name}`),
    ...addresses.map((address) => `IP:${address}`),
  ];
  const masters = 'system:masters';
  const [admin] = await Promise.all([
    authority.sign({ name: 'admin', commonName: 'lab-admin', organization: masters }),
    authority.sign({ name: API_SERVER_PAIR, commonName: 'kube-apiserver', alternativeNames }),
    authority.sign({ name: KUBELET_CLIENT_PAIR, commonName: 'apiserver-kubelet', organization: masters }),
    authority.sign({ name: 'controller-manager', commonName: 'system:kube-controller-manager' }),
    authority.sign({ name: 'scheduler', commonName: 'system:kube-scheduler' }),
  ]);
  return admin;
}
