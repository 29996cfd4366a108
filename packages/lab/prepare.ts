// Makes the FRR root folder if this machine does not have it yet; nothing to do the second time.

import { ensureFrrRoot } from './src/index.ts';

await ensureFrrRoot((sentence) => process.stderr.write(`herald: ${sentence}\n`));
