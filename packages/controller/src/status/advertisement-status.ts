// The status of a BGPAdvertisement: how many Services it selects and prefixes it announces, whether it is valid, and whether all of it
// takes effect (it selects something, contradicts nothing, and sends nothing that is not heard).

import type { AdvertisementVerdict } from '@herald/decision';

import { conditions } from './condition.ts';
import type { WantedCondition, WantedAdvertisementStatus } from './wanted-status.ts';

export function advertisementStatus(verdict: AdvertisementVerdict): WantedAdvertisementStatus {
  return {
    services: verdict.services,
    prefixes: verdict.prefixes,
    conditions: conditions([validity(verdict), effect(verdict)]),
  };
}

function validity({ accepted, reason, message }: AdvertisementVerdict): WantedCondition {
  return accepted
    ? { type: 'Valid', status: 'True', reason: 'Accepted', message: 'The advertisement is in use.' }
    : { type: 'Valid', status: 'False', reason, message };
}

function effect({ reason, message }: AdvertisementVerdict): WantedCondition {
  const type = 'Effective';
  return reason === 'Accepted'
    ? { type, status: 'True', reason, message: 'All of the advertisement takes effect.' }
    : { type, status: 'False', reason, message };
}
