// How much of a busy processor a control group is given, in the files of both versions.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Cgroup } from '../src/cgroup.ts';

const folder = mkdtempSync(join(tmpdir(), 'cgroup-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const one = (name: string): string[] => [
  `30 25 0:26 / ${folder}/${name}/cpu rw - cgroup cgroup rw,cpu,cpuacct`,
  `31 25 0:27 / ${folder}/${name}/freezer rw - cgroup cgroup rw,freezer`,
];
const two = (name: string): string[] => [`30 25 0:26 / ${folder}/${name}/all rw - cgroup2 cgroup2 rw`];

describe('weigh', () => {
  test.each([
    { version: 1, lines: one, file: 'cpu/lab/cpu.shares', processes: 12, written: '12288' },
    { version: 1, lines: one, file: 'cpu/lab/cpu.shares', processes: 1000, written: '262144' },
    { version: 2, lines: two, file: 'all/lab/cpu.weight', processes: 12, written: '1200' },
    { version: 2, lines: two, file: 'all/lab/cpu.weight', processes: 1000, written: '10000' },
  ])(
    'version $version: $processes processes are $written',
    ({ version, lines, file, processes, written }) => {
      const name = `${version}-${processes}`;
      const path = join(folder, name, file);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, 'before');
      new Cgroup('lab', lines(name).join('\n')).weigh(processes);
      expect(readFileSync(path, 'utf8')).toBe(written);
    },
  );

  test('where the group above hands no processor on, nothing is written', () => {
    const name = 'without';
    const cgroup = new Cgroup('lab', two(name).join('\n'));
    cgroup.create();
    cgroup.weigh(12);
    expect(() => readFileSync(join(folder, name, 'all/lab/cpu.weight'))).toThrow('ENOENT');
  });
});
