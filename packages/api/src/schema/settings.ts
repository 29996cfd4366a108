// The settings of a Herald process as they are written: one YAML or JSON file, made by Helm from values.
// Descriptions are the documentation; every default stands here and only here.

import { parseAddress } from '@herald/net';
import { Type } from 'typebox';
import { asnField } from './asn-field.ts';
import { choice } from './choice.ts';
import { isUnicast } from './address-field.ts';
import { parseDuration } from '../duration.ts';
import { rules, type Rule } from './rule.ts';

export const FROM_POD_ADDRESS = 'FromPodAddress';

const PATH_LENGTH = 4096;

/** Settings are never in a CRD: the CEL of their rules is not used. */
function ruleOf<T>(must: string, holds: (value: T) => boolean): Rule<T> {
  return { must, cel: 'true', holds };
}

function addressText(description: string, fallback: string) {
  return Type.String({
    description,
    default: fallback,
    maxLength: 45,
    ...rules(ruleOf<string>('must be an IPv4 or IPv6 address', (text) => parseAddress(text).ok)),
  });
}

function pathText(description: string, fallback?: string) {
  return Type.String({
    description,
    maxLength: PATH_LENGTH,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...rules(ruleOf<string>('must be an absolute path', (text) => text.startsWith('/'))),
  });
}

function portNumber(description: string, fallback: number) {
  return Type.Integer({ description, minimum: 1, maximum: 65535, default: fallback });
}

function milliseconds(description: string, fallback: string, minMs: number, maxMs: number) {
  const within = ruleOf<string>(
    `must be a duration from ${minMs}ms to ${maxMs}ms, such as "500ms" or "2s"`,
    (text) => {
      const parsed = parseDuration(text);
      return parsed.ok && parsed.value >= minMs && parsed.value <= maxMs;
    },
  );
  return Type.String({ description, default: fallback, maxLength: 24, ...rules(within) });
}

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

const Bgpd = Type.Object(
  {
    binary: pathText('The bgpd program.', '/usr/lib/frr/bgpd'),
    port: portNumber('Loopback TCP port that bgpd listens on for the feed.', 1790),
    feedAddress: addressText('Loopback address that the feed dials from.', '127.0.0.2'),
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

/** DNS subdomain, as Kubernetes names objects (RFC 1123). */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

interface ElectionText {
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
}

function isShorter(a: string, b: string): boolean {
  const [shorter, longer] = [parseDuration(a), parseDuration(b)];
  return !shorter.ok || !longer.ok || shorter.value < longer.value;
}

const Election = Type.Object(
  {
    leaseName: Type.String({
      description: "Name of the Lease, in the pod's namespace.",
      default: 'herald',
      maxLength: 253,
      ...rules(
        ruleOf<string>('must be lowercase letters, digits, - and . only', (text) => OBJECT_NAME.test(text)),
      ),
    }),
    leaseDuration: milliseconds(
      'A leader that was not heard of for this long may be followed.',
      '6s',
      1000,
      600_000,
    ),
    renewDeadline: milliseconds(
      'A leader that could not renew for this long stops writing.',
      '4s',
      500,
      600_000,
    ),
    retryPeriod: milliseconds('Time between two attempts to renew or to become leader.', '1s', 100, 60_000),
  },
  {
    description: 'Which replica gives out addresses and writes status.',
    default: {},
    ...rules<ElectionText>(
      {
        ...ruleOf('must be shorter than election.leaseDuration', ({ renewDeadline, leaseDuration }) =>
          isShorter(renewDeadline, leaseDuration),
        ),
        field: 'renewDeadline',
      },
      {
        ...ruleOf('must be shorter than election.renewDeadline', ({ retryPeriod, renewDeadline }) =>
          isShorter(retryPeriod, renewDeadline),
        ),
        field: 'retryPeriod',
      },
    ),
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
        'What replicas that do not lead do: announce at a lower rank, hold sessions only, neither.',
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
      'Folder of the last table, for a start while the API server is away.',
      '/run/herald/state',
    ),
    bgpd: Bgpd,
    http: Http,
    podListener: Type.Optional(PodListener),
    probes: Probes,
    guard: Guard,
    logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      description: 'The least important messages that are logged.',
      default: 'info',
    }),
  },
  { title: 'Settings of Herald', description: 'Settings of one Herald process.' },
);

export type SettingsText = Type.Static<typeof SETTINGS>;
