// The verdicts on Services, advertisements and peers after a change: only those that it can concern are
// looked at, and a verdict that says the same as before stays the same object.

import { sameProjected } from '@herald/api';
import type { PersistentMap } from '@herald/net';
import type { ServiceVerdict } from '../decision.ts';
import type { StartingPoint } from '../incremental/starting-point.ts';
import { advertisementVerdicts, countAdvertisements } from './advertisement-verdicts.ts';
import type { AdvertisementCounts } from './advertisement-verdicts.ts';
import type { LimitsByGroup } from './apply-limits.ts';
import type { Evaluated } from './evaluate.ts';
import { peerRoutes } from './peer-routes.ts';
import type { RankMemory, RouteOutcome } from './route-memory.ts';
import { serviceVerdict } from './service-verdicts.ts';
import type { Tallies } from './tally.ts';
import type { Steps } from '../steps.ts';

export interface JudgeRequest {
  readonly start: StartingPoint;
  readonly evaluated: Evaluated;
  /** Prefixes whose routes, limits or refusals may have changed. */
  readonly touched: ReadonlySet<string>;
  readonly routes: RankMemory['routes'];
  readonly limits: LimitsByGroup;
  readonly tallies: Tallies;
}

export interface Judged {
  readonly verdicts: Omit<RouteOutcome, 'tables'>;
  readonly counts: AdvertisementCounts;
}

export function* judge(request: JudgeRequest): Steps<Judged> {
  const { start, evaluated, touched, limits, tallies } = request;
  const { base, read } = start;
  const counts = countAdvertisements(
    base.counts,
    evaluated.changes,
    Array.from(touched, (text) => ({
      before: base.prefixes.get(text),
      after: evaluated.prefixes.prefixes.get(text),
    })),
  );
  const { outcome, policy } = base;
  return {
    counts,
    verdicts: {
      services: yield* serviceVerdicts(request),
      advertisements: advertisementVerdicts(outcome.advertisements, read.advertisements, read.peers, counts),
      peerRoutes: peerRoutes(outcome.peerRoutes, policy.groups, tallies, limits),
    },
  };
}

function* serviceVerdicts(request: JudgeRequest): Steps<PersistentMap<ServiceVerdict>> {
  const { start, evaluated, routes, limits } = request;
  const { services } = evaluated.indexes;
  const known = start.base.outcome.services;
  const context = { prefixes: evaluated.prefixes.prefixes, routes, limits };
  const verdicts: [string, ServiceVerdict][] = [];
  for (const key of servicesToJudge(request)) {
    const service = services.get(key);
    if (service) {
      const verdict = serviceVerdict(service, context);
      const before = known.get(key);
      verdicts.push([key, before && sameProjected(before, verdict) ? before : verdict]);
    }
    yield;
  }
  return known.with(verdicts, goneServices(request));
}

function servicesToJudge({ start, evaluated, touched }: JudgeRequest): Set<string> {
  const keys = new Set(evaluated.changes.map(({ key }) => key));
  if (start.kind === 'fresh') {
    return keys;
  }
  for (const text of touched) {
    evaluated.indexes.members.get(text)?.forEach(({ of }) => keys.add(of.key));
  }
  return keys;
}

function goneServices({ start, evaluated }: JudgeRequest): string[] {
  const { services } = evaluated.indexes;
  return start.kind === 'fresh'
    ? [...start.base.outcome.services.keys()].filter((key) => !services.has(key))
    : evaluated.changes.filter(({ after }) => after === undefined).map(({ key }) => key);
}
