// The settings that a plan is made with: those of the file, or the usual ones, and a sentence for each
// thing that had to be assumed because a plan is made outside any pod.

import { parseSettings, type Settings } from '@herald/api';

import { loadSettings, SettingsInvalid } from '../settings-file.ts';

/** In place of the pod's address, which nothing but the router id is made of (RFC 5737, TEST-NET-1). */
const PLAN_ADDRESS = '192.0.2.255';

/** The first ASN for private use (RFC 6996) that routers of examples and labs rarely have themselves. */
const USUAL_SETTINGS = 'asn: 64512\n';

export interface PlanSettings {
  readonly settings: Settings;
  readonly assumptions: readonly string[];
}

export async function planSettings(file: string | undefined): Promise<PlanSettings> {
  const settings = file === undefined ? usualSettings() : await loadSettings(file, PLAN_ADDRESS);
  return { settings, assumptions: [...configAssumption(file), ...routerIdAssumption(settings)] };
}

function usualSettings(): Settings {
  const parsed = parseSettings(USUAL_SETTINGS, { podAddress: PLAN_ADDRESS });
  if (!parsed.ok) {
    throw new SettingsInvalid(parsed.faults.map(({ message }) => message).join('\n'));
  }
  return parsed.value;
}

function configAssumption(file: string | undefined): string[] {
  return file === undefined
    ? ['No --config was given: the ASN is 64512, everything else is the default.']
    : [];
}

function routerIdAssumption({ routerId }: Settings): string[] {
  return routerId.text === PLAN_ADDRESS
    ? [`The router id is ${PLAN_ADDRESS} in place of the pod's address.`]
    : [];
}
