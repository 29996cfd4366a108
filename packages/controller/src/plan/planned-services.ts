// The LoadBalancer Services of a plan: announced to whom and how, or the reason why not. Sorted by key.

import { REASONS, type Reason } from '@herald/api';
import type { ServiceVerdict } from '@herald/decision';
import { comparePrefixes, prefix } from '@herald/net';

import type { Offline } from './decide-offline.ts';
import { PeerPaths } from './peer-paths.ts';
import type { PlannedRoute } from './peer-paths.ts';
import { sortedEntries } from './sorted-entries.ts';

export interface PlannedService {
  readonly namespace: string;
  readonly name: string;
  readonly announced: boolean;
  readonly reason: ServiceVerdict['reason'];
  /** The sentence of the reason. */
  readonly message: string;
  readonly addresses: readonly string[];
  readonly routes: readonly PlannedRoute[];
  /** What is not as asked although the Service is announced. */
  readonly remarks: readonly Reason[];
}

export function plannedServices({ world, decision }: Offline): PlannedService[] {
  const paths = new PeerPaths(decision);
  return sortedEntries(world.services).flatMap(([key, { namespace, name, ingress }]) => {
    const verdict = decision.services.get(key);
    if (verdict === undefined || verdict.reason === 'NotLoadBalancer') {
      return [];
    }
    const { announced, reason, remarks } = verdict;
    const message = reasonSentence(reason);
    const addresses = ingress.map(({ text }) => text);
    return [
      { namespace, name, announced, reason, message, addresses, routes: routesOf(verdict, paths), remarks },
    ];
  });
}

export function reasonSentence(reason: ServiceVerdict['reason']): string {
  return reason === 'Advertised' ? 'The Service is announced.' : REASONS[reason];
}

function routesOf({ prefixes }: ServiceVerdict, paths: PeerPaths): PlannedRoute[] {
  return comparedPrefixes(prefixes).flatMap((text) => paths.routes(text));
}

/** Texts of prefixes in the order of their addresses. */
export function comparedPrefixes(texts: Iterable<string>): string[] {
  return Array.from(texts, prefix)
    .sort(comparePrefixes)
    .map(({ text }) => text);
}
