// How bgpd is spoken to, and what writes its configuration, as the settings have them.

import { join } from 'node:path';

import type { Settings } from '@herald/api';
import { SessionOutput, VTY_BOUNDS, type VtySettings } from '@herald/frr';

import { placement } from './placement.ts';

export function vtySettings({ bgpd }: Settings): VtySettings {
  return { socketPath: join(bgpd.vtyDir, 'bgpd.vty'), ...VTY_BOUNDS };
}

export function sessionOutput(settings: Settings): SessionOutput {
  return new SessionOutput({
    vty: vtySettings(settings),
    vtysh: { binary: settings.bgpd.vtysh, args: [] },
    configDir: settings.bgpd.configDir,
    placement: placement(settings),
  });
}
