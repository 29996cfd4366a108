// Writes deploy/manifests/herald.yaml with the helm of the lab. A test fails while the file differs from what this
// would write.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoBinaries } from '@herald/lab';
import { MANIFEST, manifestText } from './manifest-text.ts';

const { helm } = await ensureGoBinaries();
writeFileSync(MANIFEST, manifestText(join(helm, 'helm')));
