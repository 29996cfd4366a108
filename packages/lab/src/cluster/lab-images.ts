/**
 * The two images that a cluster of the lab always has, both one static busybox.
 *
 * `lab.local/pause:1` holds a pod's namespaces and, where its containers share a process namespace, reaps what they
 * leave. `lab.local/web:1` answers HTTP on port 8080 with the pod's name (and a line end after it where its root is
 * read-only: it then serves the runtime's own file of the name); it runs as anybody.
 */
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAUSE_IMAGE } from './node-config.ts';
import { writeOciArchive } from './oci-archive.ts';
import type { ImageSettings } from './oci-archive.ts';

export const WEB_IMAGE = 'lab.local/web:1';
export const WEB_PORT = 8_080;

export const STATIC_BUSYBOX = '/bin/busybox';
const APPLETS = ['cat', 'httpd', 'id', 'ls', 'nc', 'ps', 'sh', 'sleep', 'wget'];
const FOLDERS = ['bin', 'dev', 'etc', 'proc', 'read-only', 'sys', 'tmp', 'www'];
const NOBODY = '65532';

/** `wait` collects every child, those that were orphaned into this process as well. */
const PAUSE_SCRIPT = `#!/bin/sh
trap 'exit 0' TERM INT
while :; do
  sleep 2147483 &
  wait $!
done
`;

/** A fork a request and no shell: a thousand a second must not become what is measured. */
const WEB_SCRIPT = `#!/bin/sh
trap 'exit 0' TERM INT
if ! printf %s "\${POD_NAME:-$HOSTNAME}" 2>/dev/null >/www/index.html; then cd /read-only; else cd /www; fi
httpd -f -p ${WEB_PORT} &
wait $!
`;

/** Makes both archives in a folder and gives their paths. */
export async function writeLabImages(folder: string): Promise<string[]> {
  const pause = writeImage(folder, 'pause', { '/bin/pause': PAUSE_SCRIPT }, pauseSettings);
  const web = writeImage(folder, 'web', { '/bin/web': WEB_SCRIPT }, webSettings);
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
  scripts: Readonly<Record<string, string>>,
  settings: Settings,
): Promise<string> {
  const rootFolder = join(folder, `${label}-root`);
  for (const name of FOLDERS) mkdirSync(join(rootFolder, name), { recursive: true });
  for (const name of ['tmp', 'www']) chmodSync(join(rootFolder, name), 0o1777);
  symlinkSync('/etc/hostname', join(rootFolder, 'read-only', 'index.html'));
  copyFileSync(STATIC_BUSYBOX, join(rootFolder, 'bin', 'busybox'));
  for (const applet of APPLETS) symlinkSync('busybox', join(rootFolder, 'bin', applet));
  for (const [path, text] of Object.entries(scripts))
    writeFileSync(join(rootFolder, path), text, { mode: 0o755 });
  const archive = join(folder, `${label}.tar`);
  await writeOciArchive(archive, join(folder, `${label}-layout`), { ...settings, rootFolder });
  rmSync(rootFolder, { recursive: true });
  return archive;
}
