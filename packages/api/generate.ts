// Writes what is generated from the schemas and checked in: the CRDs and the JSON schema of the settings.
// Run it after changing a schema; a test fails while the files differ from what it would write.

import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

for (const { url, text } of generatedFiles()) {
  mkdirSync(new URL('.', url), { recursive: true });
  writeFileSync(url, text);
}
