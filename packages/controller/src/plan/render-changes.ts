// The differences between two plans for people: sessions that end come first, they are what hurts.

import type { PlanChanges, SessionChange } from './plan-changes.ts';
import type { AttributeChange, RouteChange } from './route-changes.ts';
import { countOf, nameList, section } from './text-section.ts';
import { textTable } from './text-table.ts';
import type { Column, Row } from './text-table.ts';

const WORDS = ['added', 'removed', 'changed', 'reset'] as const;

type ChangeWord = (typeof WORDS)[number];

/** The line below the verdict. */
export function changesVerdict({ routes, sessions }: PlanChanges): string {
  return `changes: routes ${tally(routes)}; sessions ${tally(distinctPeers(sessions))}`;
}

/** A session that is reset for two reasons is reset once. */
function distinctPeers(sessions: readonly SessionChange[]): SessionChange[] {
  return [...new Map(sessions.map((change) => [`${change.change} ${change.peer}`, change])).values()];
}

function tally(
  changes: readonly { readonly change: ChangeWord; readonly peers?: readonly string[] }[],
): string {
  const counts = WORDS.flatMap((word) => {
    const of = changes.filter(({ change }) => change === word);
    const count = of.reduce((sum, { peers }) => sum + (peers?.length ?? 1), 0);
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return counts.length === 0 ? 'none' : counts.join(', ');
}

export function renderChanges(changes: PlanChanges): string[][] {
  return [
    section('Before', beforeLines(changes)),
    section('Sessions', sessionLines(changes)),
    section('Services', serviceLines(changes)),
    section('Addresses', addressLines(changes)),
    section('Pools', poolLines(changes)),
    section('Routes', routeLines(changes)),
  ];
}

function beforeLines({ faultsBefore }: PlanChanges): string[] {
  return faultsBefore === 0
    ? []
    : [`  ${countOf(faultsBefore, 'fault')} in the objects compared with; what they left out looks new here`];
}

function sessionLines({ sessions }: PlanChanges): string[] {
  const rows = sessions.map(({ change, peer, field, message }) => [
    change === 'reset' ? 'RESET' : change,
    peer,
    field === '' ? '-' : field,
    message,
  ]);
  return table(
    [{ title: 'CHANGE' }, { title: 'PEER', most: 30 }, { title: 'FIELD' }, { title: 'WHY' }],
    rows,
  );
}

function serviceLines({ services }: PlanChanges): string[] {
  const rows = services.map(({ service, before, after, message }) => [
    service,
    `${before} -> ${after}`,
    message,
  ]);
  return table([{ title: 'SERVICE', most: 40 }, { title: 'VERDICT' }, { title: 'WHY' }], rows);
}

function addressLines({ addresses }: PlanChanges): string[] {
  const rows = addresses.map(({ service, before, after }) => [service, listOr(before), listOr(after)]);
  return table([{ title: 'SERVICE', most: 40 }, { title: 'BEFORE', most: 32 }, { title: 'AFTER' }], rows);
}

function poolLines({ pools }: PlanChanges): string[] {
  const rows = pools.map(({ change, pool, before, after, reason }) => [
    change,
    pool,
    listOr(before),
    listOr(after),
    reason,
  ]);
  const columns = [
    { title: 'CHANGE' },
    { title: 'POOL', most: 30 },
    { title: 'BEFORE', most: 32 },
    { title: 'AFTER', most: 32 },
    { title: 'VERDICT' },
  ];
  return table(columns, rows);
}

function routeLines({ routes }: PlanChanges): string[] {
  const rows = routes.map((route) => [route.change, route.prefix, nameList(route.peers), changeText(route)]);
  return table(
    [
      { title: 'CHANGE' },
      { title: 'PREFIX' },
      { title: 'PEERS', most: 24 },
      { title: 'NEXT HOPS, ATTRIBUTES' },
    ],
    rows,
  );
}

function changeText({ addedNextHops, removedNextHops, attributes }: RouteChange): string {
  return [
    addedNextHops.length === 0 ? '' : `+ ${nameList(addedNextHops)}`,
    removedNextHops.length === 0 ? '' : `- ${nameList(removedNextHops)}`,
    ...attributes.map(attributeText),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function attributeText({ field, before, after, nextHops }: AttributeChange): string {
  return `${field}: ${before} -> ${after} (${countOf(nextHops.length, 'next hop')})`;
}

function listOr(texts: readonly string[]): string {
  return texts.length === 0 ? '-' : nameList(texts);
}

function table(columns: readonly Column[], rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : textTable(columns, rows);
}
