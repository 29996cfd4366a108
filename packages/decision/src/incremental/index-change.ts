// One Service's part before and after a change: what the indexes over Services are updated from.

import type { ServiceRoutes } from '../routes/service-routes.ts';

export interface ServiceChange {
  readonly key: string;
  readonly before: ServiceRoutes | undefined;
  readonly after: ServiceRoutes | undefined;
}
