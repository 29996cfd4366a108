// The settings file -> Settings, or every fault in it at once as a sentence each. The router id may follow
// the pod's address, which the Deployment puts into the environment.

import { readFile } from 'node:fs/promises';

import { parseSettings, type Settings } from '@herald/api';

/** Set from status.podIP by the Deployment. */
const POD_ADDRESS = 'POD_IP';

export class SettingsInvalid extends Error {
  override readonly name = 'SettingsInvalid';
}

/** `podAddress` stands in where the environment does not have it. */
export async function loadSettings(file: string, podAddress?: string): Promise<Settings> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsInvalid(`${file}: cannot be read (${error.code ?? error.message})`);
  });
  const parsed = parseSettings(text, { podAddress: process.env[POD_ADDRESS] ?? podAddress });
  if (!parsed.ok) {
    throw new SettingsInvalid(parsed.faults.map((fault) => `${file}: ${fault.message}`).join('\n'));
  }
  return parsed.value;
}
