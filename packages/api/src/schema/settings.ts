// The settings of a Herald process as they are written: one YAML or JSON file, made by Helm from values.
// Descriptions are the documentation; every default stands here and only here.

import { parseAddress } from '@herald/net';
import { Type } from 'typebox';
import { asnField } from './asn-field.ts';
import { choice } from './choice.ts';
import { isUnicast } from './address-field.ts';
import { Exchange, HandOver } from './settings-exchange.ts';
import { Election } from './settings-election.ts';
import { addressText, milliseconds, pathText, portNumber, ruleOf } from './settings-field.ts';
import { rules } from './rule.ts';

export const FROM_POD_ADDRESS = 'FromPodAddress';

function isRouterId(text: string): boolean {
  const parsed = parseAddress(text);
  return text === FROM_POD_ADDRESS || (parsed.ok && parsed.value.family === 4 && isUnicast(parsed.value));
}

const RouterId = Type.String({
  description:
    'BGP identifier (RFC 6286): an IPv4 address of this replica alone, or FromPodAddress for the one of the pod.',
  default: FROM_POD_ADDRESS,
  maxLength: 45,
  ...rules(ruleOf<string>(`must be an IPv4 address of one machine, or ${FROM_POD_ADDRESS}`, isRouterId)),
});

interface SourceText {
  readonly kind: string;
  readonly path?: string;
  readonly kubeconfig?: string;
}

const Source = Type.Object(
  {
    kind: choice(['kubernetes', 'folder'], {
      description: 'Where objects come from: the API server, or manifests in a folder.',
      default: 'kubernetes',
    }),
    path: Type.Optional(pathText('The folder; with kind folder only.')),
    kubeconfig: Type.Optional(
      pathText('How to reach the API server from outside of a pod; with kind kubernetes only.'),
    ),
  },
  {
    description: 'Where objects come from.',
    default: {},
    ...rules<SourceText>(
      {
        ...ruleOf('must be set when source.kind is folder, and only then', ({ kind, path }) => {
          return (kind === 'folder') === (path !== undefined);
        }),
        field: 'path',
      },
      {
        ...ruleOf('must be set only when source.kind is kubernetes', ({ kind, kubeconfig }) => {
          return kind === 'kubernetes' || kubeconfig === undefined;
        }),
        field: 'kubeconfig',
      },
    ),
  },
);

function isFeedAddress(text: string): boolean {
  const parsed = parseAddress(text);
  return parsed.ok && parsed.value.family === 4 && text.startsWith('127.') && text !== '127.0.0.1';
}

const Bgpd = Type.Object(
  {
    binary: pathText('The bgpd program.', '/usr/lib/frr/bgpd'),
    port: portNumber('Loopback TCP port that bgpd listens on for the feed.', 1790),
    feedAddress: Type.String({
      description: 'Loopback address that the feed dials from; not 127.0.0.1, which is the one of bgpd.',
      default: '127.0.0.2',
      maxLength: 45,
      ...rules(ruleOf<string>('must be an IPv4 address of 127.0.0.0/8 other than 127.0.0.1', isFeedAddress)),
    }),
    vtyDir: pathText("Folder of bgpd's vty sockets.", '/run/herald/vty'),
    vtysh: pathText('The vtysh program, which checks configuration.', '/usr/bin/vtysh'),
    configDir: pathText("Folder that bgpd's configuration is written to.", '/run/herald/frr'),
  },
  { description: 'The routing daemon beside the controller.', default: {} },
);

const Http = Type.Object(
  {
    address: addressText('Address that REST, metrics and the page listen on.', '127.0.0.1'),
    port: portNumber('TCP port of the same.', 8179),
  },
  { description: 'The listener without login.', default: {} },
);

const PodListener = Type.Object(
  {
    address: addressText('Address that it listens on.', '::'),
    port: portNumber('TCP port that it listens on.', 8443),
    certificate: Type.Optional(
      pathText('Certificate chain in PEM; without it only health is served, as plain HTTP.'),
    ),
    key: Type.Optional(pathText('Private key in PEM of the same.')),
  },
  {
    description:
      'The listener on the pod network: health for everybody, the rest over TLS for Kubernetes tokens that may.',
    ...rules<{ certificate?: string; key?: string }>({
      ...ruleOf('must be set together with podListener.certificate', ({ certificate, key }) => {
        return (certificate === undefined) === (key === undefined);
      }),
      field: 'key',
    }),
  },
);

const Probes = Type.Object(
  {
    mode: choice(['KubeProxy', 'Tcp', 'Disabled'], {
      description: "How nodes are probed: kube-proxy's health port, a TCP connect, or not at all.",
      default: 'KubeProxy',
    }),
    port: portNumber('Port that is probed on every node.', 10256),
    interval: milliseconds('Time between two probes of a node.', '500ms', 100, 60_000),
    timeout: milliseconds('A probe without an answer for this long is lost.', '500ms', 50, 60_000),
    losses: Type.Integer({
      description: 'A node is dead after this many losses in a row.',
      minimum: 1,
      maximum: 100,
      default: 3,
    }),
    returns: Type.Integer({
      description: 'A node is back after this many answers in a row.',
      minimum: 1,
      maximum: 100,
      default: 5,
    }),
  },
  { description: 'Whether nodes are alive, faster than Kubernetes knows.', default: {} },
);

const Guard = Type.Object(
  {
    deadNodesPercent: Type.Integer({
      description: 'Nothing more is withdrawn by node health when more than this share of nodes looks dead.',
      minimum: 1,
      maximum: 100,
      default: 50,
    }),
    silentNodeDelay: milliseconds(
      'How long a node has to be silent (Ready is Unknown) before it is withdrawn: Kubernetes gives up one node after the other, and only after this long it is known whether most of them are silent.',
      '10s',
      0,
      600_000,
    ),
    suspectListDelay: milliseconds(
      'A list that suddenly shrank is asked for again after this long before it is believed.',
      '5s',
      1000,
      600_000,
    ),
    joinDelay: milliseconds(
      'How long a node waits before it joins a prefix that others already serve.',
      '1s',
      0,
      60_000,
    ),
    staleAfter: milliseconds(
      'A replica without contact for this long withdraws from routers that a fresh replica serves.',
      '6s',
      1000,
      600_000,
    ),
    keptTableAfter: milliseconds(
      'A replica that has had nothing to decide from for this long since its start announces the last table of its pod.',
      '10s',
      1000,
      600_000,
    ),
  },
  { description: 'What keeps missing data from withdrawing routes.', default: {} },
);

export const SETTINGS = Type.Object(
  {
    asn: asnField("Herald's AS number."),
    routerId: RouterId,
    loadBalancerClass: Type.Optional(
      Type.String({
        description: 'Only Services of this class are served; without it, only those without a class.',
        minLength: 1,
        maxLength: 316,
      }),
    ),
    ipam: Type.Boolean({ description: 'Whether Herald gives addresses to Services.', default: true }),
    compatibilityAnnotations: Type.Boolean({
      description: 'Whether the metallb.io and metallb.universe.tf annotations count too.',
      default: false,
    }),
    standbyMode: choice(['Hot', 'Warm', 'Cold'], {
      description:
        'What replicas that do not lead do: announce at a lower rank (Hot), hold sessions only (Warm), neither ' +
        '(Cold). A router that the leader does not speak to has the first of the replicas that it selects.',
      default: 'Hot',
    }),
    excludeLabelHonoured: Type.Boolean({
      description:
        'Whether node.kubernetes.io/exclude-from-external-load-balancers takes a node out (present with any value).',
      default: true,
    }),
    cordonedNodesLeave: Type.Boolean({
      description: 'Whether a cordoned node stops being a next hop before its endpoints have moved.',
      default: false,
    }),
    source: Source,
    election: Election,
    stateDir: pathText(
      'Folder of what outlives the process: the last table, for a start while the API server is away, and the place in the order of replicas.',
      '/run/herald/state',
    ),
    bgpd: Bgpd,
    http: Http,
    podListener: Type.Optional(PodListener),
    probes: Probes,
    guard: Guard,
    exchange: Exchange,
    handOver: HandOver,
    logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      description: 'The least important messages that are logged.',
      default: 'info',
    }),
  },
  { title: 'Settings of Herald', description: 'Settings of one Herald process.' },
);

export type SettingsText = Type.Static<typeof SETTINGS>;
