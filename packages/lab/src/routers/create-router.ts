/**
 * A router's kind -> the class that runs it.
 *
 * `frr` is the machine's own FRR, `frr-root` the one from the pods' root folder (10.3 on Debian 13).
 */
import { BirdRouter } from './bird-router.ts';
import { FrrRouter } from './frr-router.ts';
import { GobgpRouter } from './gobgp-router.ts';
import { OpenbgpdRouter } from './openbgpd-router.ts';
import type { Router, RouterSettings } from './router.ts';

export type RouterKind = 'frr' | 'frr-root' | 'bird' | 'gobgp' | 'openbgpd';

export interface RootSettings {
  readonly root: string;
  readonly mountPoint: string;
}

export function createRouter(kind: RouterKind, settings: RouterSettings, rootSettings: RootSettings): Router {
  switch (kind) {
    case 'frr':
      return new FrrRouter({ ...settings, ...rootSettings, root: '/' });
    case 'frr-root':
      return new FrrRouter({ ...settings, ...rootSettings });
    case 'bird':
      return new BirdRouter(settings);
    case 'gobgp':
      return new GobgpRouter(settings);
    case 'openbgpd':
      return new OpenbgpdRouter({ ...settings, mountPoint: rootSettings.mountPoint });
  }
}
