// Manifest texts, and a folder in a temporary directory with a source on it.

import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderSource, type FolderOptions, type Source } from '../src/index.ts';

export function service(name: string, extra = ''): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  type: LoadBalancer
  ports:
    - port: 80
      protocol: TCP
${extra}`;
}

export function node(name: string, address = '10.0.0.11'): string {
  return `apiVersion: v1
kind: Node
metadata:
  name: ${name}
status:
  addresses:
    - type: InternalIP
      address: ${address}
`;
}

export function pool(name: string, addresses = '203.0.113.0/24'): string {
  return `apiVersion: heraldbgp.io/v1alpha1
kind: IPAddressPool
metadata:
  name: ${name}
spec:
  addresses:
    - ${addresses}
`;
}

export function documents(...texts: readonly string[]): string {
  return texts.map((text) => `---\n${text}`).join('');
}

export interface Folder extends AsyncDisposable {
  readonly root: string;
  readonly stateDir: string;
  path(name: string): string;
  /** Written in place. */
  write(name: string, text: string): Promise<void>;
  /** Written elsewhere and renamed into place. */
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  source(times?: FolderOptions['times']): Promise<FolderSource>;
}

export async function folder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const base = await mkdtemp(join(tmpdir(), 'herald-folder-'));
  const root = join(base, 'objects');
  const stateDir = join(base, 'state');
  const sources: Source[] = [];
  const path = (name: string): string => join(root, name);
  await mkdir(root);
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text);
  };
  for (const [name, text] of Object.entries(files)) {
    await write(name, text);
  }
  return {
    root,
    stateDir,
    path,
    write,
    replace: async (name, text) => {
      await writeFile(join(base, 'next'), text);
      await rename(join(base, 'next'), path(name));
    },
    remove: (name) => rm(path(name), { recursive: true }),
    source: async (times = {}) => {
      const source = new FolderSource({ path: root, stateDir, times });
      sources.push(source);
      await source.start();
      return source;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(sources.map((source) => source.close()));
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Resolves as soon as the source is in the state; the test's own time limit bounds it. */
export function until(source: Source, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (holds()) {
        stop();
        resolve();
      }
    };
    const stop = source.onChange(look);
    look();
  });
}

export function serviceKeys(source: Source): string[] {
  return [...source.snapshot().services.keys()].sort();
}
