// Begins a controller: finds out who it is, makes the backend that its settings ask for, and the controller on
// top of it.

import type { Settings } from '@herald/api';

import type { Backend } from './backend.ts';
import { Controller } from './controller.ts';
import type { Running } from './controller-parts.ts';
import { folderBackend } from './folder-backend.ts';
import { kubernetesBackend } from './kubernetes-backend.ts';
import type { Logger } from './logger.ts';
import { lonelyIdentity, podIdentity, type ReplicaIdentity } from './replica-identity.ts';
import { Relay } from './relay.ts';
import { StandbyPlace } from './standby-order.ts';

/** Throws SettingsInvalid for an environment that the settings cannot do without. */
export async function start(settings: Settings, logger: Logger): Promise<Running> {
  const identity = settings.source.kind === 'folder' ? lonelyIdentity(process.env) : podIdentity(process.env);
  const relay = new Relay();
  const backend = await backendOf(settings, identity, logger, relay);
  const { stateDir } = settings;
  const { name, uid } = identity;
  const place = await StandbyPlace.load({ stateDir, name, uid, logger }, Date.now());
  const controller = new Controller({ settings, logger, backend, identity, place });
  relay.connect(() => controller.onBackendChange());
  return await controller.start();
}

function backendOf(
  settings: Settings,
  identity: ReplicaIdentity,
  logger: Logger,
  relay: Relay,
): Promise<Backend> {
  const { source } = settings;
  const onChange = (): void => relay.pass();
  return source.kind === 'folder'
    ? folderBackend(source, settings, identity, onChange)
    : kubernetesBackend(source, settings, identity, { onChange, logger });
}
