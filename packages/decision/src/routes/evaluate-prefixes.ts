// Works out the prefixes that changed members, nodes or infrastructure touch. Aggregates first: what they
// cannot carry decides which host prefixes are needed beside them.

import type { PersistentMap } from '@herald/net';
import type { MemberIndex } from '../incremental/member-index.ts';
import { coversInfrastructure } from './infrastructure.ts';
import type { Infrastructure } from './infrastructure.ts';
import { isAggregate, prefixState } from './prefix-state.ts';
import type { PrefixContext, PrefixState, Specifics } from './prefix-state.ts';
import type { Steps } from '../steps.ts';

export interface EvaluatedPrefixes {
  readonly prefixes: PersistentMap<PrefixState>;
  readonly everyNodeReaders: PersistentMap<true>;
  /** Texts of all prefixes that were worked out again or are gone. */
  readonly touched: ReadonlySet<string>;
  readonly context: PrefixContext;
}

export interface PrefixRequest {
  readonly prefixes: PersistentMap<PrefixState>;
  readonly everyNodeReaders: PersistentMap<true>;
  readonly members: MemberIndex;
  readonly dirty: Iterable<string>;
  readonly context: Omit<PrefixContext, 'specificsOf'>;
}

const NO_SPECIFICS: Specifics = new Map();

export function* evaluatePrefixes(request: PrefixRequest): Steps<EvaluatedPrefixes> {
  const updates = new Map<string, PrefixState | undefined>();
  const current = (text: string): PrefixState | undefined =>
    updates.has(text) ? updates.get(text) : request.prefixes.get(text);
  const context = {
    ...request.context,
    specificsOf: (aggregate: string) => current(aggregate)?.specifics ?? NO_SPECIFICS,
  };
  const evaluate = (text: string): void => {
    const members = request.members.get(text);
    const prefix = members?.[0]?.membership.prefix;
    updates.set(text, members && prefix ? prefixState(prefix, members, context) : undefined);
  };
  const dirty = new Set(request.dirty);
  const aggregates = [...dirty].filter((text) => isKnownAggregate(text, request));
  aggregates.forEach(evaluate);
  for (const text of aggregates) {
    hostsToRevise(text, request.prefixes.get(text), updates.get(text)).forEach((host) => dirty.add(host));
  }
  for (const text of dirty) {
    if (!updates.has(text)) {
      evaluate(text);
      yield;
    }
  }
  return { ...applied(request, updates), touched: dirty, context };
}

function isKnownAggregate(text: string, { prefixes, members }: PrefixRequest): boolean {
  const prefix = members.get(text)?.[0]?.membership.prefix ?? prefixes.get(text)?.prefix;
  return prefix !== undefined && isAggregate(prefix);
}

/** Host prefixes of the members that one of the two states needs beside the aggregate and the other does not. */
function hostsToRevise(
  aggregate: string,
  before: PrefixState | undefined,
  after: PrefixState | undefined,
): Set<string> {
  const revised = differing(before?.specifics ?? NO_SPECIFICS, after?.specifics ?? NO_SPECIFICS);
  const hosts = new Set<string>();
  for (const { of } of [...(before?.members ?? []), ...(after?.members ?? [])]) {
    for (const { prefix, insteadOf } of revised.has(of.key) ? of.memberships : []) {
      if (insteadOf === aggregate) {
        hosts.add(prefix.text);
      }
    }
  }
  return hosts;
}

function differing(before: Specifics, after: Specifics): Set<string> {
  const keys = new Set<string>();
  const none: ReadonlySet<string> = new Set();
  for (const group of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(group) ?? none;
    const is = after.get(group) ?? none;
    for (const key of [...was, ...is]) {
      if (was.has(key) !== is.has(key)) {
        keys.add(key);
      }
    }
  }
  return keys;
}

function applied(
  request: PrefixRequest,
  updates: ReadonlyMap<string, PrefixState | undefined>,
): Pick<EvaluatedPrefixes, 'prefixes' | 'everyNodeReaders'> {
  const present = [...updates].flatMap(([text, state]) => (state ? [[text, state] as const] : []));
  const gone = [...updates.keys()].filter((text) => updates.get(text) === undefined);
  const readsFew = present.filter(([, { reads }]) => reads === 'endpoint-nodes').map(([text]) => text);
  return {
    prefixes: request.prefixes.with(present, gone),
    everyNodeReaders: request.everyNodeReaders.with(
      present.filter(([, { reads }]) => reads === 'every-node').map(([text]) => [text, true] as const),
      [...gone, ...readsFew],
    ),
  };
}

/** Prefixes whose refusal for covering infrastructure comes or goes with the new infrastructure. */
export function coverageChanges(
  prefixes: PersistentMap<PrefixState>,
  before: Infrastructure,
  after: Infrastructure,
): string[] {
  const changed: string[] = [];
  for (const [text, { prefix }] of before === after ? [] : prefixes) {
    if (coversInfrastructure(before, prefix) !== coversInfrastructure(after, prefix)) {
      changed.push(text);
    }
  }
  return changed;
}
