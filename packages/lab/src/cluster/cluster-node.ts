/**
 * One node of a cluster: containerd, kubelet and kube-proxy on a machine of its own.
 *
 * In: its plan, the machine, the cluster's certificates. Handles what tests do to nodes: each program can be killed and
 * started, the node cut from the API server or from everything, frozen, and powered off and on as a real machine is.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { run } from '../command.ts';
import type { Namespace } from '../namespace.ts';
import { UPLINK } from '../segment.ts';
import { waitFor } from '../wait-for.ts';
import type { CertificateAuthority, KeyPair } from './certificates.ts';
import { API_ADDRESSES, API_PORT, KUBE_PROXY_HEALTH_PORT } from './cluster-plan.ts';
import type { NodePlan } from './cluster-plan.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import {
  MASQUERADE_TABLE,
  cniConfig,
  containerdConfig,
  containerdSocket,
  kubeProxyConfig,
  kubeletConfig,
  masqueradeRules,
} from './node-config.ts';
import { withLogTail } from './log-tail.ts';
import type { NodeMachine } from './node-machine.ts';

export type NodeProgram = 'containerd' | 'kubelet' | 'kube-proxy';
export type PodTraffic = 'routed' | 'masqueraded';

export interface NodeSettings {
  readonly plan: NodePlan;
  readonly machine: NodeMachine;
  readonly authority: CertificateAuthority;
  /** Folder of ctr. */
  readonly containerdPrograms: string;
}

const CONTAINERD_READY_MS = 20_000;
const KUBE_PROXY_READY_MS = 60_000;
const CUT_TABLE = 'lab_cut';
const RUNC = '/usr/sbin/runc';
const API_SERVER = `https://${API_ADDRESSES.ipv4}:${API_PORT}`;

export class ClusterNode {
  readonly plan: NodePlan;
  readonly #settings: NodeSettings;

  constructor(settings: NodeSettings) {
    this.#settings = settings;
    this.plan = settings.plan;
  }

  get name(): string {
    return this.plan.name;
  }

  get namespace(): Namespace {
    return this.#machine.namespace;
  }

  /** The machine with its container runtime, not yet a node of the cluster. */
  async boot(): Promise<void> {
    await this.#machine.boot();
    await this.#writeFiles();
    await this.start('containerd');
    await this.#containerdAnswers();
  }

  /** The kubelet looks for its Node object: it has to be there already. */
  async join(): Promise<void> {
    await this.start('kubelet');
    await this.start('kube-proxy');
  }

  start(name: NodeProgram): Promise<void> {
    this.#machine.run(name, this.#argv(name));
    return Promise.resolve();
  }

  /** kill -9; containers go on without it. */
  kill(name: NodeProgram): Promise<void> {
    return this.#machine.kill(name);
  }

  /** Resolves for kube-proxy when it has read everything and written its rules. */
  async restart(name: NodeProgram): Promise<void> {
    await this.#machine.stop(name);
    await this.start(name);
    if (name === 'kube-proxy') await this.#kubeProxyServes();
  }

  logFile(name: NodeProgram): string {
    return this.#machine.logFile(name);
  }

  /** An OCI archive becomes an image of this node, under the name that it carries. */
  async importImage(archive: string): Promise<void> {
    const { containerdPrograms } = this.#settings;
    await importImage(containerdPrograms, containerdSocket(this.#machine.folders), archive);
  }

  /** Pods appear to the outside under the node's address, or under their own. */
  async setPodTraffic(traffic: PodTraffic): Promise<void> {
    await this.namespace.tryRun(['nft', 'delete', 'table', 'inet', MASQUERADE_TABLE]);
    if (traffic === 'masqueraded')
      await this.namespace.run(['nft', '-f', '-'], masqueradeRules(this.plan, UPLINK));
  }

  /** The kubelet and kube-proxy hear nothing from the API server any more, nor it from them; pods are not concerned. */
  async cutFromApi(): Promise<void> {
    await this.namespace.run(['nft', '-f', '-'], cutRules());
  }

  async joinApi(): Promise<void> {
    await this.namespace.tryRun(['nft', 'delete', 'table', 'inet', CUT_TABLE]);
  }

  linkDown(): Promise<void> {
    return this.#machine.linkDown();
  }

  linkUp(): Promise<void> {
    return this.#machine.linkUp();
  }

  /** A paused machine: nothing runs on it, its links stay up, clocks go on. */
  freeze(): Promise<void> {
    this.#machine.freeze();
    return Promise.resolve();
  }

  thaw(): Promise<void> {
    this.#machine.thaw();
    return Promise.resolve();
  }

  /** Pulls the plug: nobody is told anything. */
  async powerOff(): Promise<void> {
    this.#machine.freeze();
    await this.#machine.linkDown();
    await this.#machine.killAll();
  }

  /** A fresh boot: images are still there, containers are not. */
  async powerOn(): Promise<void> {
    await this.#machine.linkUp();
    await this.boot();
    await this.join();
  }

  shutDown(): Promise<void> {
    return this.#machine.killAll();
  }

  get #machine(): NodeMachine {
    return this.#settings.machine;
  }

  async #containerdAnswers(): Promise<void> {
    const socket = containerdSocket(this.#machine.folders);
    const ctr = [`${this.#settings.containerdPrograms}/ctr`, '-a', socket, 'version'];
    const answers = async (): Promise<boolean> => existsSync(socket) && (await run(ctr)) !== '';
    await withLogTail(this.logFile('containerd'), () =>
      waitFor(`containerd of ${this.name} answers`, answers, CONTAINERD_READY_MS),
    );
  }

  async #kubeProxyServes(): Promise<void> {
    const health = `http://127.0.0.1:${KUBE_PROXY_HEALTH_PORT}/healthz`;
    const ask = ['curl', '--fail', '--silent', '--max-time', '2', health];
    const serves = async (): Promise<boolean> => (await this.namespace.run(ask)) !== '';
    await withLogTail(this.logFile('kube-proxy'), () =>
      waitFor(`kube-proxy of ${this.name} has written its rules`, serves, KUBE_PROXY_READY_MS),
    );
  }

  #argv(name: NodeProgram): string[] {
    const { state, data } = this.#machine.folders;
    switch (name) {
      case 'containerd':
        return ['containerd', '--config', `${state}/containerd.toml`, '--log-level', 'warn'];
      case 'kubelet':
        return [
          'kubelet',
          `--config=${state}/kubelet.json`,
          `--kubeconfig=${state}/kubelet.kubeconfig`,
          `--root-dir=${data}/kubelet`,
          `--cert-dir=${data}/kubelet-pki`,
          `--hostname-override=${this.name}`,
          `--node-ip=${this.plan.ipv4},${this.plan.ipv6}`,
        ];
      case 'kube-proxy':
        return ['kube-proxy', `--config=${state}/kube-proxy.json`];
    }
  }

  async #writeFiles(): Promise<void> {
    const { folders } = this.#machine;
    const { authority, plan } = this.#settings;
    const [kubelet, proxy] = await Promise.all([this.#kubeletPair(), this.#proxyPair()]);
    const settings = {
      folders,
      authority: authority.certificate,
      serving: kubelet,
      cgroup: this.#machine.containersCgroup,
    };
    const common = { server: API_SERVER, authority: authority.certificate };
    const file = (name: string): string => `${folders.state}/${name}`;
    writeKubeconfig(file('kubelet.kubeconfig'), { ...common, user: kubelet });
    writeKubeconfig(file('kube-proxy.kubeconfig'), { ...common, user: proxy });
    writeFileSync(file('containerd.toml'), containerdConfig(folders, RUNC));
    writeFileSync(file('kubelet.json'), JSON.stringify(kubeletConfig(settings)));
    writeFileSync(
      file('kube-proxy.json'),
      JSON.stringify(kubeProxyConfig(plan, file('kube-proxy.kubeconfig'))),
    );
    writeFileSync(file('resolv.conf'), '');
    mkdirSync(file('cni'));
    writeFileSync(`${file('cni')}/lab.conflist`, JSON.stringify(cniConfig(plan, folders)));
  }

  #kubeletPair(): Promise<KeyPair> {
    const { plan, authority } = this.#settings;
    return authority.sign({
      name: `kubelet-${plan.name}`,
      commonName: `system:node:${plan.name}`,
      organization: 'system:nodes',
      alternativeNames: [`DNS:${plan.name}`, `IP:${plan.ipv4}`, `IP:${plan.ipv6}`],
    });
  }

  #proxyPair(): Promise<KeyPair> {
    return this.#settings.authority.sign({
      name: `kube-proxy-${this.name}`,
      commonName: 'system:kube-proxy',
    });
  }
}

/** `ctr` asks the node's containerd, wherever it is called from. */
async function importImage(programs: string, socket: string, archive: string): Promise<void> {
  const argv = [`${programs}/ctr`, '-a', socket, '-n', 'k8s.io', 'images', 'import', archive];
  await run(argv, { timeoutMs: 120_000 });
}

function cutRules(): string {
  return [
    `table inet ${CUT_TABLE} {`,
    '  chain output {',
    '    type filter hook output priority 0; policy accept;',
    `    ip daddr ${API_ADDRESSES.ipv4} drop`,
    `    ip6 daddr ${API_ADDRESSES.ipv6} drop`,
    '  }',
    '  chain input {',
    '    type filter hook input priority 0; policy accept;',
    `    ip saddr ${API_ADDRESSES.ipv4} drop`,
    `    ip6 saddr ${API_ADDRESSES.ipv6} drop`,
    '  }',
    '}',
    '',
  ].join('\n');
}
