// The failures and what they cost, as a table for people: Markdown with a row for each failure.

import type { Outcome } from './failure-row.ts';

const HEAD = [
  'case',
  'failure',
  'requests: sent / lost',
  'kernel changes: FRR IPv4 / others',
  'fewest next hops: FRR IPv4 / others',
  'sessions ended',
  'next change',
  'all as before after',
  'promised',
  'verdict',
];

export function failureTable(outcomes: readonly Outcome[]): string {
  return [HEAD, HEAD.map(() => '---'), ...outcomes.map(cells)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** One line for who is watching. */
export function failureLine(outcome: Outcome): string {
  const { group, name } = outcome;
  const verdict = brokenPromises(outcome).length === 0 ? 'ok  ' : 'MISS';
  const [, , requests, kernels, hops, sessions, change, converged] = cells(outcome);
  const facts = [`requests ${requests}`, `kernel changes ${kernels}`, `fewest next hops ${hops}`];
  const times = [`sessions ended ${sessions}`, `next change ${change}`, `all as before after ${converged}`];
  return `${verdict} ${group}: ${name}: ${[...facts, ...times, ...brokenPromises(outcome)].join(', ')}`;
}

export function brokenPromises({ misses, late }: Outcome): readonly string[] {
  return [...misses, ...late];
}

function cells(outcome: Outcome): readonly string[] {
  const broken = brokenPromises(outcome);
  return [
    outcome.group,
    outcome.name,
    `${outcome.sent} / ${outcome.lost}`,
    `${outcome.fibChanges} / ${outcome.otherFibChanges}`,
    `${outcome.fewestNextHops} / ${outcome.otherFewestNextHops}`,
    String(outcome.sessionsReset),
    outcome.nextChangeMs === null ? '' : seconds(outcome.nextChangeMs),
    seconds(outcome.convergedMs),
    promise(outcome.expected),
    broken.length === 0 ? 'kept' : broken.join('; '),
  ];
}

function promise({ lost, isUnseen, nextChangeMs, because }: Outcome['expected']): string {
  const words = [
    lost === 0 ? '0 lost' : 'counted',
    isUnseen ? 'unseen by FRR’s IPv4' : '',
    nextChangeMs === undefined ? '' : `next change <= ${seconds(nextChangeMs)} more than the control’s`,
    because ?? '',
  ];
  return words.filter((word) => word !== '').join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
