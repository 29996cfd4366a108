// The questions that are asked of a running bgpd, each one `show` command and its parser: VtySettings in,
// parsed state out. Nothing is kept between two questions.

import type { RetainedPath } from '@herald/decision';
import type { Family, Prefix } from '@herald/net';
import { MARKER_PREFIX } from '../../plan/policy.ts';
import { runShow, runShowJson, streamShowJson } from '../../vty/io/run-show.ts';
import type { VtySettings } from '../../vty/io/vty-session.ts';
import { MemberSplitter } from '../member-splitter.ts';
import { parseMemory } from '../parse-memory.ts';
import type { BgpdMemory } from '../parse-memory.ts';
import { parseNeighbors } from '../parse-neighbors.ts';
import type { BgpdSessions } from '../parse-neighbors.ts';
import { markerSeen, parsePrefix, parseTable } from '../parse-routes.ts';
import type { HeldPath, HeldTable } from '../parse-routes.ts';
import { RetainedPaths } from '../retained-paths.ts';

/** `default` or the name of a view. */
export type InstanceName = string;

export async function readSessions(vty: VtySettings): Promise<BgpdSessions> {
  return parseNeighbors(await runShowJson(vty, 'show bgp vrf all neighbors'));
}

export async function readTable(
  vty: VtySettings,
  instance: InstanceName,
  family: Family,
): Promise<HeldTable> {
  return parseTable(await runShowJson(vty, `${tableCommand(instance, family)} detail`));
}

/**
 * Both families of an instance, by prefix, the marker of a complete table among them; read as it comes, so that nothing
 * else has to wait for a large table.
 */
export async function readRetained(
  vty: VtySettings,
  instance: InstanceName,
): Promise<ReadonlyMap<string, readonly RetainedPath[]>> {
  const retained = new Map<string, readonly RetainedPath[]>();
  const readings = new RetainedPaths();
  const take = (prefix: string, entry: unknown): void => {
    const paths = readings.of(entry);
    if (paths !== undefined) {
      retained.set(prefix, paths);
    }
  };
  for (const family of [4, 6] as const) {
    const splitter = new MemberSplitter(take);
    await streamShowJson(vty, `${tableCommand(instance, family)} detail`, (bytes) => splitter.push(bytes));
  }
  return retained;
}

export async function readPrefix(
  vty: VtySettings,
  instance: InstanceName,
  prefix: Prefix,
): Promise<HeldPath[]> {
  return parsePrefix(await runShowJson(vty, prefixCommand(instance, prefix)));
}

/** Whether the marker with this large community has arrived in the instance's table. */
export async function readMarkerSeen(
  vty: VtySettings,
  instance: InstanceName,
  largeCommunity: string,
): Promise<boolean> {
  return markerSeen(await runShowJson(vty, prefixCommand(instance, MARKER_PREFIX)), largeCommunity);
}

export async function readMemory(vty: VtySettings): Promise<BgpdMemory> {
  return parseMemory(await runShow(vty, 'show memory'));
}

function tableCommand(instance: InstanceName, family: Family): string {
  const view = instance === 'default' ? '' : `view ${instance} `;
  return `show bgp ${view}ipv${family} unicast`;
}

function prefixCommand(instance: InstanceName, prefix: Prefix): string {
  return `${tableCommand(instance, prefix.family)} ${prefix.text}`;
}
