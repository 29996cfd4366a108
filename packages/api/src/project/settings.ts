// Settings text (YAML, of which JSON is a part) -> Settings, or every fault at once. The router id's policy
// is resolved here, since only a parsed address is of use inside.

import { addressFromValue, hash32, parseAddress, type Address } from '@herald/net';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import { renderSchema, type JsonSchema } from '../crd/schema-rendering.ts';
import { fault, projected, unusable, type Fault, type Projected } from '../fault.ts';
import type { PodListenerSettings, Settings, Source } from '../model/settings.ts';
import { FROM_POD_ADDRESS, SETTINGS, type SettingsText } from '../schema/settings.ts';
import { parseDuration } from '../duration.ts';
import { isRecord } from './untrusted.ts';
import { validate } from './validation.ts';

const SUBJECT = 'settings';
const PLACE = { subject: SUBJECT, kind: 'the settings', path: '' };

/** What the settings may refer to and only the process knows. */
export interface Surroundings {
  /** The pod's address, for the router id. */
  readonly podAddress?: string | undefined;
}

export function parseSettings(text: string, surroundings: Surroundings = {}): Projected<Settings> {
  const { source, faults: unreadable } = readYaml(text);
  if (unreadable.length > 0) {
    return unusable(unreadable);
  }
  if (!isRecord(source)) {
    return unusable([fault(SUBJECT, '', 'must be a mapping of fields, such as "asn: 65000"')]);
  }
  const { value, faults: invalid } = validate(SETTINGS, source, PLACE);
  const readable = invalid.every(({ field }) => field !== 'routerId');
  const routerId = readable ? resolveRouterId(value.routerId, surroundings) : undefined;
  const faults = readable && routerId === undefined ? [...invalid, noPodAddress()] : invalid;
  return routerId === undefined || faults.length > 0
    ? unusable(faults)
    : projected(toSettings(value, routerId), []);
}

/** The settings' schema for editors and for the chart. */
export function settingsJsonSchema(): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...renderSchema(SETTINGS, 'plain', '') };
}

function readYaml(text: string): { source: unknown; faults: readonly Fault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    return { source: undefined, faults: document.errors.map((error) => yamlFault(error, lines)) };
  }
  try {
    return { source: document.toJS(), faults: [] };
  } catch {
    // Aliases that refer to nothing, or that multiply without bound.
    return { source: undefined, faults: [fault(SUBJECT, '', 'must not have such aliases', 'Unreadable')] };
  }
}

function yamlFault(error: YAMLError, lines: LineCounter): Fault {
  const { line, col } = lines.linePos(error.pos[0]);
  const problem = error.message.split('\n')[0];
  return fault(SUBJECT, '', `cannot be read at line ${line}, column ${col}: ${problem}`, 'Unreadable');
}

function noPodAddress(): Fault {
  return fault(SUBJECT, 'routerId', "must be an IPv4 address here, as the pod's address is not known");
}

/** `policy` is one of the two that the schema allows; undefined when the pod's address is missing. */
function resolveRouterId(policy: string, { podAddress }: Surroundings): Address | undefined {
  const parsed = parseAddress(policy === FROM_POD_ADDRESS ? (podAddress ?? '') : policy);
  if (!parsed.ok) {
    return undefined;
  }
  const { family, text } = parsed.value;
  // RFC 6286: any four octets but zero that are unique in the AS; a hash is that for IPv6-only pods.
  return family === 4 ? parsed.value : addressFromValue(4, BigInt(hash32(text) || 1));
}

function toSettings(text: SettingsText, routerId: Address): Settings {
  const { probes, guard, election, exchange, handOver } = text;
  return {
    ...text,
    routerId,
    loadBalancerClass: text.loadBalancerClass,
    podListener: toPodListener(text.podListener),
    source: toSource(text.source),
    election: {
      leaseName: election.leaseName,
      leaseDurationMs: millisecondsOf(election.leaseDuration),
      renewDeadlineMs: millisecondsOf(election.renewDeadline),
      retryPeriodMs: millisecondsOf(election.retryPeriod),
    },
    probes: {
      mode: probes.mode,
      port: probes.port,
      intervalMs: millisecondsOf(probes.interval),
      timeoutMs: millisecondsOf(probes.timeout),
      losses: probes.losses,
      returns: probes.returns,
    },
    guard: {
      deadNodesPercent: guard.deadNodesPercent,
      silentNodeMs: millisecondsOf(guard.silentNodeDelay),
      suspectListMs: millisecondsOf(guard.suspectListDelay),
      joinDelayMs: millisecondsOf(guard.joinDelay),
      staleMs: millisecondsOf(guard.staleAfter),
      keptTableMs: millisecondsOf(guard.keptTableAfter),
    },
    exchange: { keyFile: exchange.keyFile, replicas: exchange.replicas },
    handOver: { patienceMs: millisecondsOf(handOver.patience) },
  };
}

function toSource({ kind, path, kubeconfig }: SettingsText['source']): Source {
  return kind === 'folder' && path !== undefined
    ? { kind: 'folder', path }
    : { kind: 'kubernetes', kubeconfig };
}

function toPodListener(text: SettingsText['podListener']): PodListenerSettings | undefined {
  if (text === undefined) {
    return undefined;
  }
  const { address, port, certificate, key } = text;
  const tls = certificate === undefined || key === undefined ? undefined : { certificate, key };
  return { address, port, tls };
}

/** Of a text that the schema has accepted. */
function millisecondsOf(text: string): number {
  const parsed = parseDuration(text);
  return parsed.ok ? parsed.value : 0;
}
