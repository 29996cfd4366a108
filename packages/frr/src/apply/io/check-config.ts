// Asks the real `vtysh -C` whether it would accept a configuration, before bgpd sees a word of it.
// (file, vtysh) -> nothing, or a ConfigRefused with vtysh's sentences, secrets masked. Needs no running
// bgpd and no privilege; checks the grammar, not the meaning.

import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { maskSecrets } from '../../log/mask-secrets.ts';

export interface VtyshProgram {
  readonly binary: string;
  /** In front of our own arguments; for a vtysh that is started through its own loader. */
  readonly args: readonly string[];
}

export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
}

const CHECK_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export function checkConfig(file: string, vtysh: VtyshProgram): Promise<void> {
  const args = [...vtysh.args, '--config_dir', dirname(file), '-C', '-f', file];
  const bounds = { timeout: CHECK_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve, reject) => {
    execFile(vtysh.binary, args, bounds, (error, stdout, stderr) => {
      if (error === null) {
        resolve();
      } else {
        reject(new ConfigRefused(refusal(vtysh.binary, error.code, `${stdout}\n${stderr}`)));
      }
    });
  });
}

/** vtysh also complains that there is no vtysh.conf, which it does not need; what it refuses is numbered. */
function refusal(binary: string, code: unknown, output: string): string {
  const lines = maskSecrets(output)
    .split('\n')
    .map((line) => line.trim());
  const numbered = lines.filter((line) => /^line \d+:/.test(line));
  const said = (numbered.length > 0 ? numbered : lines.filter((line) => line !== '')).join('; ');
  return `${binary} -C: ${said === '' ? `failed (${String(code)})` : said}`;
}
