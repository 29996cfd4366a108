// The plan for people: a verdict line first, then what is wrong, then everything else as tables. With
// changes only these are shown, since they are what was asked for.

import type { PlanDocument } from './plan-document.ts';
import type { PlannedPath, PlannedRoute } from './peer-paths.ts';
import { changesVerdict, renderChanges } from './render-changes.ts';
import { countOf, nameList, section } from './text-section.ts';
import { LINE_WIDTH, textTable, wrap } from './text-table.ts';
import type { Row } from './text-table.ts';

/** Next hops that the text names for one route; machines get all of them. */
const MOST_NEXT_HOPS = 16;

/** What a rank of term 0 and peers without a rank show; anything else was set by a policy. */
const USUAL_MEDS: ReadonlySet<number> = new Set([0, 4_000_000_000]);
const USUAL_LOCAL_PREF = 100;

/** C0, DEL and C1 (ECMA-48). */
const CONTROL = /\p{Cc}/gu;

export function renderText(plan: PlanDocument): string {
  const sections = [
    verdictLines(plan),
    section('Faults', faultLines(plan)),
    ...(plan.changes === null ? planSections(plan) : renderChanges(plan.changes)),
  ];
  return `${sections.flat().join('\n')}\n`;
}

function verdictLines(plan: PlanDocument): string[] {
  const { asn, routerId } = plan.settings;
  const lines = [
    verdictLine(plan),
    ...(plan.changes === null ? [] : [changesVerdict(plan.changes)]),
    `ASN ${asn}, router id ${routerId}`,
    ...plan.assumptions.map((sentence) => `assumed: ${sentence}`),
    ...plan.notes.map((sentence) => `note: ${sentence}`),
  ];
  return lines.flatMap((line) => wrap(line, LINE_WIDTH));
}

function verdictLine({ verdict }: PlanDocument): string {
  const parts = [
    `${countOf(verdict.announced, 'Service')} announced`,
    `${verdict.notAnnounced} not`,
    countOf(verdict.peers, 'peer'),
    countOf(verdict.faults, 'fault'),
  ];
  return parts.join(', ');
}

function faultLines({ faults }: PlanDocument): string[] {
  return faults.length === 0
    ? []
    : textTable(
        [{ title: 'REASON', most: 24 }, { title: 'WHAT IS WRONG' }],
        faults.map(({ reason, message }) => [reason, printable(message)]),
      );
}

/** A sentence may name what the manifest calls itself, and a terminal would obey what stands there. */
function printable(text: string): string {
  return text.replaceAll(
    CONTROL,
    (found) => String.raw`\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

function planSections(plan: PlanDocument): string[][] {
  return [
    section('Services not announced', notAnnounced(plan)),
    section('Services announced', announced(plan)),
    section('Peers', peerLines(plan)),
    section('Pools', poolLines(plan)),
    section('Advertisements', advertisementLines(plan)),
  ];
}

function notAnnounced({ services }: PlanDocument): string[] {
  const rows = services
    .filter((service) => !service.announced)
    .map(({ namespace, name, reason, addresses, message }) => [
      `${namespace}/${name}`,
      reason,
      addresses.join(' ') || '-',
      message,
    ]);
  const columns = [
    { title: 'SERVICE', most: 40 },
    { title: 'REASON' },
    { title: 'ADDRESSES', most: 22 },
    { title: 'WHY' },
  ];
  return rows.length === 0 ? [] : textTable(columns, rows);
}

function announced({ services, peers }: PlanDocument): string[] {
  const spokenTo = peers.filter(({ instance }) => instance !== 'none').length;
  const rows = services
    .filter((service) => service.announced)
    .flatMap(({ namespace, name, routes, remarks }) => {
      const rest: Row[] = routes.map((route) => routeCells(route, spokenTo));
      const said: Row[] = remarks.map((reason) => ['', '', `but ${reason}`]);
      return [...rest, ...said].map((cells, i) => [i === 0 ? `${namespace}/${name}` : '', ...cells]);
    });
  const columns = [
    { title: 'SERVICE', most: 40 },
    { title: 'PREFIX' },
    { title: 'PEERS', most: 24 },
    { title: 'NEXT HOPS' },
  ];
  return rows.length === 0 ? [] : textTable(columns, rows);
}

function routeCells({ prefix, peers, paths }: PlannedRoute, peerCount: number): Row {
  const isAll = peers.length === peerCount && peerCount > 1;
  return [
    prefix,
    isAll ? `all ${peerCount}` : nameList(peers),
    [nextHopText(paths), ...attributeText(paths)].join('\n'),
  ];
}

function nextHopText(paths: readonly PlannedPath[]): string {
  const shown = paths.slice(0, MOST_NEXT_HOPS).map(({ nextHop, linkBandwidthBytesPerSecond }) => {
    return linkBandwidthBytesPerSecond === null ? nextHop : `${nextHop} (${linkBandwidthBytesPerSecond} B/s)`;
  });
  const rest = paths.length > MOST_NEXT_HOPS ? ` and ${paths.length - MOST_NEXT_HOPS} more` : '';
  return shown.join(' ') + rest;
}

/** Paths to one peer differ in next hop and weight only, unless advertisements select different nodes. */
function attributeText(paths: readonly PlannedPath[]): string[] {
  return [...new Set(paths.map(attributesOf))].filter((text) => text !== '');
}

function attributesOf({ asPath, communities, localPref, med }: PlannedPath): string {
  return [
    communities.length > 0 ? `communities ${communities.join(' ')}` : '',
    localPref === USUAL_LOCAL_PREF ? '' : `local-pref ${localPref}`,
    USUAL_MEDS.has(med) ? '' : `MED ${med}`,
    asPath.length > 0 ? `prepend ${asPath.join(' ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function peerLines({ peers }: PlanDocument): string[] {
  const rows = peers.map((peer) => [
    peer.name,
    peer.port === 179 ? peer.address : `${peer.address} port ${peer.port}`,
    peer.asn,
    peer.authenticated,
    String(peer.prefixes),
    String(peer.paths),
    peer.reason === 'Accepted' ? 'accepted' : `${peer.reason}: ${peer.message}`,
  ]);
  const columns = [
    { title: 'PEER', most: 30 },
    { title: 'ADDRESS' },
    { title: 'ASN' },
    { title: 'MD5' },
    { title: 'PREFIXES' },
    { title: 'PATHS' },
    { title: 'VERDICT' },
  ];
  return rows.length === 0 ? [] : textTable(columns, rows);
}

function poolLines({ pools }: PlanDocument): string[] {
  const rows = pools.map(({ name, addresses, ipv4, ipv6, reason, message }) => [
    name,
    nameList(addresses),
    String(ipv4.assigned + ipv6.assigned),
    String(ipv4.available + ipv6.available),
    reason === 'Accepted' ? 'accepted' : `${reason}: ${message}`,
  ]);
  const columns = [
    { title: 'POOL', most: 30 },
    { title: 'ADDRESSES', most: 32 },
    { title: 'GIVEN' },
    { title: 'FREE' },
    { title: 'VERDICT' },
  ];
  return rows.length === 0 ? [] : textTable(columns, rows);
}

function advertisementLines({ advertisements }: PlanDocument): string[] {
  const rows = advertisements.map(({ name, services, reason, message }) => [
    name,
    String(services),
    reason === 'Accepted' ? 'accepted' : `${reason}: ${message}`,
  ]);
  return rows.length === 0
    ? []
    : textTable([{ title: 'ADVERTISEMENT', most: 40 }, { title: 'SERVICES' }, { title: 'VERDICT' }], rows);
}
