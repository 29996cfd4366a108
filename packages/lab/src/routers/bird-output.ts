/**
 * Reads what BIRD says in words: `show protocols all` and `show route all`.
 *
 * Text in, sessions and paths out. Dropped sessions are not counted by BIRD, so they are counted in its log of state
 * changes.
 */
import type { IpFamily } from '../namespace.ts';
import type { RouterPath, RouterSession } from './router.ts';

const PROTOCOL_LINE = /^(\S+)\s+BGP\s+/;
const ROUTE_LINE =
  /^(?<prefix>\S+\/\d+)?\s+(?<type>unicast|blackhole|unreachable|prohibit)\s+\[(?<protocol>\S+)[^\]]*\](?<best>\s+\*)?/;
const ATTRIBUTE = /^\s+(?:BGP\.)?(\w+):\s?(.*)$/;

export function birdSessions(text: string, log: string): RouterSession[] {
  // A range that listens has no neighbour; its sessions are protocols of their own.
  return protocolBlocks(text)
    .filter((lines) => neighborAddress(lines) !== '')
    .map((lines) => birdSession(lines, log));
}

function birdSession(lines: readonly string[], log: string): RouterSession {
  const state = field(lines, 'BGP state');
  return {
    peer: neighborAddress(lines),
    asn: Number(field(lines, 'Neighbor AS')),
    state,
    isEstablished: state === 'Established',
    connectionsDropped: countDrops(protocolName(lines), log),
    addPathReceive: addPathFamilies(lines),
  };
}

function protocolBlocks(text: string): string[][] {
  const all = blocks(text.split('\n'), (line) => /^\S/.test(line));
  return all.filter(([head = '']) => PROTOCOL_LINE.test(head));
}

function protocolName(lines: readonly string[]): string {
  return PROTOCOL_LINE.exec(lines[0] ?? '')?.[1] ?? '';
}

function neighborAddress(lines: readonly string[]): string {
  return field(lines, 'Neighbor address').split('%')[0] ?? '';
}

function field(lines: readonly string[], label: string): string {
  const line = lines.find((one) => one.trim().startsWith(`${label}:`));
  return line?.slice(line.indexOf(':') + 1).trim() ?? '';
}

/** Several paths are received if we said RX and the neighbour said TX for the family. */
function addPathFamilies(lines: readonly string[]): IpFamily[] {
  const [local = [], remote = []] = ['Local capabilities', 'Neighbor capabilities'].map((title) => {
    const from = lines.findIndex((line) => line.trim() === title);
    return from < 0 ? [] : lines.slice(from + 1);
  });
  const receives = capability(local, 'RX:');
  const sends = capability(remote, 'TX:');
  return ([4, 6] as const).filter((family) =>
    [receives, sends].every((text) => text.includes(`ipv${family}`)),
  );
}

function capability(lines: readonly string[], label: string): string {
  return lines.find((line) => line.trim().startsWith(label)) ?? '';
}

/** Established -> anything: BIRD logs "up" and then "start", "stop", "flush" or "down". */
function countDrops(name: string, log: string): number {
  const states = [...log.matchAll(new RegExp(`> ${name}: State changed to (\\w+)`, 'g'))].map(
    (match) => match[1],
  );
  return states.filter((state, index) => state !== 'up' && states[index - 1] === 'up').length;
}

/** Protocol -> neighbour, because a route names the protocol that brought it. */
export function birdPeers(text: string): Map<string, string> {
  return new Map(protocolBlocks(text).map((lines) => [protocolName(lines), neighborAddress(lines)] as const));
}

export function birdPaths(text: string, peers: ReadonlyMap<string, string>): RouterPath[] {
  let prefix = '';
  return blocks(text.split('\n'), (line) => ROUTE_LINE.test(line)).flatMap((lines) => {
    const head = ROUTE_LINE.exec(lines[0] ?? '')?.groups;
    prefix = head?.['prefix'] ?? prefix;
    const path =
      head === undefined ? undefined : birdPath(prefix, peers.get(head['protocol'] ?? '') ?? '', lines);
    return path === undefined ? [] : [path];
  });
}

function birdPath(prefix: string, peer: string, lines: readonly string[]): RouterPath | undefined {
  const attributes = new Map(lines.slice(1).flatMap(attribute));
  const nextHop = attributes.get('next_hop')?.split(' ')[0];
  if (nextHop === undefined) return undefined;
  return {
    prefix,
    nextHop,
    peer,
    asPath: numbers(attributes.get('as_path') ?? ''),
    communities: [
      ...communities(attributes.get('community')),
      ...communities(attributes.get('large_community')),
    ],
    pathId: optionalNumber(attributes.get('path_id')),
    med: optionalNumber(attributes.get('med')),
    localPref: optionalNumber(attributes.get('local_pref')),
    isBest: ROUTE_LINE.exec(lines[0] ?? '')?.groups?.['best'] !== undefined,
  };
}

function attribute(line: string): [string, string][] {
  const [, name, value] = ATTRIBUTE.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

/** "(65000,1) (65000,2)" and "(65000, 1, 2)". */
function communities(text: string | undefined): string[] {
  return [...(text ?? '').matchAll(/\(([^)]*)\)/g)].map((match) => (match[1] ?? '').split(/,\s*/).join(':'));
}

function numbers(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** Cuts lines into groups that each begin with a head line. */
function blocks(lines: readonly string[], isHead: (line: string) => boolean): string[][] {
  const groups: string[][] = [];
  for (const line of lines) {
    if (isHead(line)) groups.push([line]);
    else groups.at(-1)?.push(line);
  }
  return groups;
}
