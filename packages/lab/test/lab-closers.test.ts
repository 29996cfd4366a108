import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Lab } from '../src/index.ts';

test.runIf(process.getuid?.() === 0)('a closer that fails keeps nothing standing, and is told', async () => {
  const lab = await Lab.create('closers');
  const called: string[] = [];
  lab.beforeClose(async () => void called.push('first'));
  lab.beforeClose(() => Promise.reject(new Error('cannot be ended')));
  lab.beforeClose(async () => void called.push('last'));
  await expect(lab.close()).rejects.toThrow('cannot be ended');
  expect({ called, left: existsSync(lab.directory) }).toEqual({ called: ['last', 'first'], left: false });
});
