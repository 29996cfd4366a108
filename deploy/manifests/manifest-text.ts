// The chart as manifests for people without Helm: its text for the checked-in values. The hooks are left out: one is the
// wait for the kinds, the others are the first advertisement and the test, which have files and commands of their own.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const MANIFEST = new URL('herald.yaml', import.meta.url);

const NOTICE = '# Generated from deploy/charts/herald by deploy/manifests/render.ts. Do not edit.\n';

/** `helm` is the path of the program. */
export function manifestText(helm: string): string {
  const chart = fileURLToPath(new URL('../charts/herald', import.meta.url));
  const values = fileURLToPath(new URL('values.yaml', import.meta.url));
  const place = ['--namespace', 'herald-system', '--values', values];
  const { status, stdout, stderr } = spawnSync(helm, ['template', 'herald', chart, ...place, '--no-hooks'], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new Error(`helm template: ${stderr}`);
  }
  return NOTICE + stdout;
}
