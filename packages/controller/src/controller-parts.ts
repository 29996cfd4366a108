// What a controller is made of, and what it is once it runs. Types only.

import type { Settings } from '@herald/api';

import type { Backend } from './backend.ts';
import type { Logger } from './logger.ts';
import type { ReplicaIdentity } from './replica-identity.ts';
import type { StandbyPlace } from './standby-order.ts';

export interface Running {
  readonly httpPort: number;
  stop(): Promise<void>;
}

export interface ControllerParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly backend: Backend;
  readonly identity: ReplicaIdentity;
  readonly place: StandbyPlace;
}
