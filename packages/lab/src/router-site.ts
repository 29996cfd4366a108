/**
 * A router on the segment with a client behind it, connected but with no daemon started.
 *
 * In: name, kind of daemon, number (which gives the addresses). Out: the router's handle and its client.
 */
import { clientLink, routerAddresses } from './address-plan.ts';
import type { Lab } from './lab.ts';
import { RequestClient } from './request-client.ts';
import { createRouter } from './routers/create-router.ts';
import type { RouterKind } from './routers/create-router.ts';
import type { Router } from './routers/router.ts';
import type { Segment } from './segment.ts';

export interface RouterSite {
  readonly router: Router;
  readonly client: RequestClient;
}

export interface SiteSettings {
  readonly lab: Lab;
  readonly segment: Segment;
  /** The root folder from `ensureFrrRoot`. */
  readonly root: string;
}

export async function createSite(
  { lab, segment, root }: SiteSettings,
  name: string,
  kind: RouterKind,
  index: number,
): Promise<RouterSite> {
  const addresses = routerAddresses(index);
  const namespace = await segment.join(name, addresses);
  const client = await segment.stub(`client-${name}`, namespace, addresses, clientLink(index));
  const settings = { namespace, directory: lab.folder(name), ...addresses };
  const frr = { root, mountPoint: lab.folder(`${name}-root`) };
  return { router: createRouter(kind, settings, frr), client: new RequestClient(client) };
}
