// `herald plan`: manifests and settings are read, decided offline, and the plan is written in the form that
// was asked for. With --against, it shows what would change if the manifests took the place of those.
//
// Exit code out: 0 the input has no fault, 1 it has. Settings that are wrong and a path that is not there are
// thrown, as they are no plan at all.

import { stat } from 'node:fs/promises';

import type { Settings } from '@herald/api';
import { readFolder, type FolderContent } from '@herald/kube';
import { stringify } from 'yaml';

import { UsageInvalid } from '../usage-invalid.ts';
import { decideOffline, type Offline } from './decide-offline.ts';
import { planChanges } from './plan-changes.ts';
import { planDocument, type PlanDocument } from './plan-document.ts';
import { planFaults } from './plan-faults.ts';
import { planSettings } from './plan-settings.ts';
import { renderText } from './render-text.ts';

export interface PlanOptions {
  readonly config?: string;
  readonly against?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

interface Planned {
  readonly content: FolderContent;
  readonly offline: Offline;
}

export async function plan(
  manifests: string,
  options: PlanOptions,
  write: (text: string) => void,
): Promise<number> {
  const { settings, assumptions } = await planSettings(options.config);
  const before = options.against === undefined ? undefined : await planFolder(options.against, settings);
  const after = await planFolder(manifests, settings, before?.offline);
  const document = planDocument({
    offline: after.offline,
    inputFaults: after.content.faults,
    assumptions: [...assumptions, ...assumptionsOf(after.content)],
    changes: before && planChanges(before.offline, after.offline, faultsOf(before)),
  });
  write(RENDERERS[options.output](document));
  return document.faults.length === 0 ? 0 : 1;
}

/** Quoted so that readers of YAML 1.1 and 1.2 understand the same: `no` is a word, 65000:100 no number. */
const YAML_FORM = { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 } as const;

const RENDERERS: Readonly<Record<PlanOptions['output'], (document: PlanDocument) => string>> = {
  text: renderText,
  json: (document) => `${JSON.stringify(document, undefined, 2)}\n`,
  yaml: (document) => stringify(document, YAML_FORM),
};

async function planFolder(path: string, settings: Settings, before?: Offline): Promise<Planned> {
  await refuseNoFolder(path);
  const content = await readFolder(path);
  return { content, offline: decideOffline(content.objects, settings, before) };
}

/** A pipe would be passed over in silence, and nothing at all be planned without a fault. */
async function refuseNoFolder(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageInvalid(`${path}: cannot be read (${error.code ?? error.message})`);
  });
  if (!stats.isDirectory() && !stats.isFile()) {
    throw new UsageInvalid(`${path}: is neither a folder nor a regular file`);
  }
}

function faultsOf({ content, offline }: Planned): number {
  return planFaults(content.faults, offline).length;
}

function assumptionsOf({ objects }: FolderContent): string[] {
  const peers = [...objects.peers.values()];
  return [
    ...(peers.some(({ addPaths }) => addPaths.mode === 'Auto')
      ? [
          'Routers accept several paths for one prefix (ADD-PATH); one that does not is sent a single next hop.',
        ]
      : []),
    ...(peers.some(({ replicaSelector }) => replicaSelector !== undefined)
      ? ['Peers with a replicaSelector are spoken to by some replica.']
      : []),
  ];
}
