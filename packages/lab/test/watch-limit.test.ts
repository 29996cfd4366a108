// The machine's limit of inotify instances: raised where it is too low, never lowered.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { raiseWatchLimit } from '../src/cluster/watch-limit.ts';

const rows = [
  { before: '128\n', after: '1024' },
  { before: '1024\n', after: '1024\n' },
  { before: '8192\n', after: '8192\n' },
];

test.each(rows)('a limit of $before', ({ before, after }) => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-limit-'));
  try {
    const file = join(folder, 'max_user_instances');
    writeFileSync(file, before);
    raiseWatchLimit(file);
    expect(readFileSync(file, 'utf8')).toBe(after);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
