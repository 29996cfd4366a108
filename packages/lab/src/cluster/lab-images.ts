/**
 * The two images that a cluster of the lab always has: a static busybox, and in one of them a static web server.
 *
 * `lab.local/pause:1` holds a pod's namespaces and, where its containers share a process namespace, reaps what they
 * leave. `lab.local/web:1` answers HTTP on port 8080 with the pod's name; it runs as anybody, on a read-only root, and
 * has a shell for looking around.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PAUSE_IMAGE } from './node-config.ts';
import { writeOciArchive } from './oci-archive.ts';
import type { ImageSettings } from './oci-archive.ts';

export const WEB_IMAGE = 'lab.local/web:1';
export const WEB_PORT = 8_080;
/** Takes connections as long as requests are wanted: until SIGTERM. */
export const WEB_READINESS_PORT = 8_081;

export const STATIC_BUSYBOX = '/bin/busybox';
const APPLETS = ['cat', 'id', 'ls', 'nc', 'ps', 'sh', 'sleep', 'timeout', 'wget'];
const FOLDERS = ['bin', 'dev', 'etc', 'proc', 'sys', 'tmp'];
const NOBODY = '65532';

/** `wait` collects every child, those that were orphaned into this process as well. */
const PAUSE_SCRIPT = `#!/bin/sh
trap 'exit 0' TERM INT
while :; do
  sleep 2147483 &
  wait $!
done
`;

/** Makes both archives in a folder and gives their paths. `webServer` is the program of the second. */
export async function writeLabImages(folder: string, webServer: string): Promise<string[]> {
  const pause = writeImage(folder, 'pause', Buffer.from(PAUSE_SCRIPT), pauseSettings);
  const web = writeImage(folder, 'web', readFileSync(webServer), webSettings);
  return Promise.all([pause, web]);
}

type Settings = Omit<ImageSettings, 'rootFolder'>;

const pauseSettings: Settings = { name: PAUSE_IMAGE, entrypoint: ['/bin/pause'], user: NOBODY };
const webSettings: Settings = {
  name: WEB_IMAGE,
  entrypoint: ['/bin/web'],
  user: NOBODY,
  ports: [WEB_PORT],
};

async function writeImage(
  folder: string,
  label: string,
  program: Buffer,
  settings: Settings,
): Promise<string> {
  const rootFolder = join(folder, `${label}-root`);
  for (const name of FOLDERS) mkdirSync(join(rootFolder, name), { recursive: true });
  chmodSync(join(rootFolder, 'tmp'), 0o1777);
  copyFileSync(STATIC_BUSYBOX, join(rootFolder, 'bin', 'busybox'));
  for (const applet of APPLETS) symlinkSync('busybox', join(rootFolder, 'bin', applet));
  writeFileSync(join(rootFolder, 'bin', label), program, { mode: 0o755 });
  const archive = join(folder, `${label}.tar`);
  await writeOciArchive(archive, join(folder, `${label}-layout`), { ...settings, rootFolder });
  rmSync(rootFolder, { recursive: true });
  return archive;
}
