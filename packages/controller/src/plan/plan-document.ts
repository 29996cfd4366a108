// The plan for machines: the field names of `-o json` and `-o yaml`, stable like an API. Everything is
// sorted and nothing depends on time or place, so that two plans of the same input are the same text.
// No field can hold a password: of a Secret there is only whether a peer uses one.
//
// Types only, and how the parts come together.

import type { Fault } from '@herald/api';

import type { PlanChanges } from './plan-changes.ts';
import { planFaults } from './plan-faults.ts';
import { planNotes } from './plan-notes.ts';
import { plannedAdvertisements, plannedPools } from './planned-policy.ts';
import type { PlannedAdvertisement, PlannedPool } from './planned-policy.ts';
import { plannedPeers } from './planned-peers.ts';
import type { PlannedPeer } from './planned-peers.ts';
import { plannedServices } from './planned-services.ts';
import type { PlannedService } from './planned-services.ts';
import type { Offline } from './decide-offline.ts';

/** Raised when a field changes its meaning or goes; new fields may come at any time. */
const FORMAT = 'herald-plan/1';

export interface PlanDocument {
  readonly format: typeof FORMAT;
  readonly verdict: PlanVerdict;
  readonly settings: { readonly asn: number; readonly routerId: string };
  /** What the plan takes for granted because it cannot know it. */
  readonly assumptions: readonly string[];
  /** What is no fault and may still surprise. */
  readonly notes: readonly string[];
  readonly faults: readonly Fault[];
  /** Services of type LoadBalancer. */
  readonly services: readonly PlannedService[];
  readonly peers: readonly PlannedPeer[];
  readonly pools: readonly PlannedPool[];
  readonly advertisements: readonly PlannedAdvertisement[];
  /** With --against only. */
  readonly changes: PlanChanges | null;
}

export interface PlanVerdict {
  readonly announced: number;
  readonly notAnnounced: number;
  readonly peers: number;
  readonly faults: number;
}

export interface PlanParts {
  readonly offline: Offline;
  readonly inputFaults: readonly Fault[];
  readonly assumptions: readonly string[];
  readonly changes: PlanChanges | undefined;
}

export function planDocument({ offline, inputFaults, assumptions, changes }: PlanParts): PlanDocument {
  const { settings } = offline.world;
  const services = plannedServices(offline);
  const faults = planFaults(inputFaults, offline);
  const announced = services.filter((service) => service.announced).length;
  return {
    format: FORMAT,
    verdict: {
      announced,
      notAnnounced: services.length - announced,
      peers: offline.world.peers.size,
      faults: faults.length,
    },
    settings: { asn: settings.asn, routerId: settings.routerId.text },
    assumptions,
    notes: planNotes(offline),
    faults,
    services,
    peers: plannedPeers(offline),
    pools: plannedPools(offline),
    advertisements: plannedAdvertisements(offline),
    changes: changes ?? null,
  };
}
