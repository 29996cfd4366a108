// Makes what the lab needs and this machine does not have yet: `frr`, the root folder with a newer FRR, and
// `cluster`, the programs of a real Kubernetes, which are built from source. Nothing to do the second time.
// A machine without Go goes without a cluster, unless it is there to prove everything (CI=true).

import { ensureFrrRoot, ensureGoBinaries, missingGo } from './src/index.ts';

function say(sentence: string): void {
  process.stderr.write(`herald: ${sentence}\n`);
}

const parts = new Set(process.argv.slice(2));
if (parts.has('frr')) {
  await ensureFrrRoot(say);
}
if (parts.has('cluster')) {
  const missing = missingGo();
  missing.forEach(say);
  if (missing.length === 0) {
    await ensureGoBinaries(say);
  } else if (process.env['CI'] === 'true') {
    process.exitCode = 1;
  }
}
