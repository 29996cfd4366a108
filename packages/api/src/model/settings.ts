// The settings of one Herald process, every default applied and every value parsed. How the text looks
// that they come from, and what may be in it, is described by the settings schema.

import type { Address, Asn } from '@herald/net';

export type Source =
  | { readonly kind: 'folder'; readonly path: string }
  /** Without a kubeconfig: the service account of the pod. */
  | { readonly kind: 'kubernetes'; readonly kubeconfig: string | undefined };

export interface ElectionSettings {
  readonly leaseName: string;
  /** A leader that was not heard of for this long may be followed. */
  readonly leaseDurationMs: number;
  /** A leader that could not renew for this long stops writing; shorter than the lease. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface BgpdSettings {
  readonly binary: string;
  readonly port: number;
  /** Where the feed dials from; bgpd knows it as its one feed neighbour. */
  readonly feedAddress: string;
  readonly vtyDir: string;
  readonly vtysh: string;
  readonly configDir: string;
}

export interface HttpSettings {
  readonly address: string;
  readonly port: number;
}

export interface PodListenerSettings extends HttpSettings {
  /** Files in PEM. Without them only health is served, as plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
}

export interface ProbeSettings {
  readonly mode: 'KubeProxy' | 'Tcp' | 'Disabled';
  readonly port: number;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly losses: number;
  readonly returns: number;
}

export interface GuardSettings {
  /** Removals by node-health evidence stop when more than this share of the nodes looks dead at once. */
  readonly deadNodesPercent: number;
  /** How long a node has to be silent before that counts. */
  readonly silentNodeMs: number;
  /** How much later a suspect list is asked for again before it is believed. */
  readonly suspectListMs: number;
  /** How long a node waits before it joins a prefix that other nodes already serve. */
  readonly joinDelayMs: number;
  /** Without contact for so long a replica is stale. */
  readonly staleMs: number;
  /** With nothing to decide from for so long since its start, a replica announces the table that was kept. */
  readonly keptTableMs: number;
}

export interface ExchangeSettings {
  /** undefined: replicas tell each other nothing. */
  readonly keyFile: string | undefined;
  /** URLs of pod listeners. */
  readonly replicas: readonly string[];
}

export interface HandOverSettings {
  readonly patienceMs: number;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface Settings {
  readonly asn: Asn;
  readonly routerId: Address;
  readonly loadBalancerClass: string | undefined;
  readonly ipam: boolean;
  readonly compatibilityAnnotations: boolean;
  readonly standbyMode: 'Hot' | 'Warm' | 'Cold';
  readonly excludeLabelHonoured: boolean;
  readonly cordonedNodesLeave: boolean;
  readonly source: Source;
  readonly election: ElectionSettings;
  readonly stateDir: string;
  readonly bgpd: BgpdSettings;
  readonly http: HttpSettings;
  /** undefined: nothing listens on the pod network. */
  readonly podListener: PodListenerSettings | undefined;
  readonly probes: ProbeSettings;
  readonly guard: GuardSettings;
  readonly exchange: ExchangeSettings;
  readonly handOver: HandOverSettings;
  readonly logLevel: LogLevel;
}
