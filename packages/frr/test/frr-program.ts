// Where the tests find FRR's vtysh: HERALD_FRR_ROOT (a Debian root with FRR 10.3 in it), such a root in
// the cache folder, or the machine's own if it is at least 9.1. A program of another root is started by
// that root's loader, so that nothing needs chroot or privilege.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { VtyshProgram } from '../src/index.ts';

const OLDEST = 9.1;
const VTYSH = 'usr/bin/vtysh';
const LOADERS: Readonly<Record<string, string>> = {
  x64: 'lib64/ld-linux-x86-64.so.2',
  arm64: 'lib/ld-linux-aarch64.so.1',
};
const LIBRARIES: Readonly<Record<string, string>> = {
  x64: 'usr/lib/x86_64-linux-gnu',
  arm64: 'usr/lib/aarch64-linux-gnu',
};

export function findVtysh(): VtyshProgram {
  const root = frrRoots().find((candidate) => existsSync(join(candidate, VTYSH)));
  const program = root === undefined ? machineVtysh() : vtyshIn(root);
  if (program === undefined) {
    throw new Error(
      `no vtysh of FRR ${OLDEST} or newer: set HERALD_FRR_ROOT to a root file system that has FRR, or install it`,
    );
  }
  return program;
}

function frrRoots(): string[] {
  const given = process.env['HERALD_FRR_ROOT'];
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'herald');
  const cached = existsSync(cache) ? readdirSync(cache).sort() : [];
  const roots = cached.filter((name) => name.startsWith('trixie-frr'));
  return [...(given === undefined ? [] : [given]), ...roots.map((name) => join(cache, name))];
}

function vtyshIn(root: string): VtyshProgram {
  const libraries = join(root, LIBRARIES[process.arch] ?? 'usr/lib');
  const path = `${libraries}:${join(libraries, 'frr')}`;
  return {
    binary: join(root, LOADERS[process.arch] ?? 'lib/ld.so'),
    args: ['--library-path', path, join(root, VTYSH)],
  };
}

function machineVtysh(): VtyshProgram | undefined {
  const binary = '/usr/bin/vtysh';
  if (!existsSync(binary)) {
    return undefined;
  }
  const help = execFileSync(binary, ['--help'], { encoding: 'utf8' });
  const version = Number(/version (\d+\.\d+)/.exec(help)?.[1] ?? 0);
  return version >= OLDEST ? { binary, args: [] } : undefined;
}
