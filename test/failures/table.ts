// The failures and what they cost, as a table for people: Markdown with a row for each failure.

import type { FailureRow, Outcome } from './failure-row.ts';

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

/** What was not tried this time stands as it stood in `before`, the page's table. */
export function failureTable(
  rows: readonly Pick<FailureRow, 'group' | 'name'>[],
  outcomes: readonly Outcome[],
  before: string,
): string {
  const known = before.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const body = rows.flatMap(({ group, name }) => {
    const outcome = outcomes.find((one) => one.group === group && one.name === name);
    const old = known.find((row) => row[0] === group && row[1] === name);
    const found = outcome === undefined ? old : cells(outcome);
    return found === undefined ? [] : [found];
  });
  return [HEAD, HEAD.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
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

function promise({ lost, isUnseen, podsStay, nextChangeMs, because }: Outcome['expected']): string {
  const words = [
    lost === 0 ? '0 lost' : 'counted',
    isUnseen ? 'unseen by FRR’s IPv4' : '',
    podsStay === true ? 'Herald’s pods stay as they are' : '',
    nextChangeMs === undefined ? '' : `next change <= ${seconds(nextChangeMs)} more than the control’s`,
    because ?? '',
  ];
  return words.filter((word) => word !== '').join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
