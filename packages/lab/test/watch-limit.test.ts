// The machine's limit of inotify instances: raised where it is too low, never lowered.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { raiseWatchLimit } from '../src/cluster/watch-limit.ts';

const rows = [
  { there: '128\n', then: '1024' },
  { there: '1024\n', then: '1024\n' },
  { there: '8192\n', then: '8192\n' },
];

test.each(rows)('a limit of $there', ({ there, then }) => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-limit-'));
  try {
    const file = join(folder, 'max_user_instances');
    writeFileSync(file, there);
    raiseWatchLimit(file);
    expect(readFileSync(file, 'utf8')).toBe(then);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
