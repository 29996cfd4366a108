/**
 * Writes an image of one layer as an OCI archive that containerd imports: layout, index, manifest, configuration.
 *
 * In: a folder that becomes the image's root, what runs in it, its name. Out: a tar file. Same folder, same digest:
 * order, owners and times are fixed. Source: OCI Image Format Specification 1.1, image-layout and config.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';

export interface ImageSettings {
  /** With a host part: lab.local/pause:1. */
  readonly name: string;
  readonly rootFolder: string;
  readonly entrypoint: readonly string[];
  readonly user?: string;
  readonly ports?: readonly number[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const TYPES = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
} as const;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** `workFolder` is made and removed. */
export async function writeOciArchive(
  archive: string,
  workFolder: string,
  settings: ImageSettings,
): Promise<void> {
  const blobs = join(workFolder, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const layer = await addLayer(blobs, workFolder, settings.rootFolder);
  const config = addBlob(blobs, TYPES.config, imageConfig(settings, layer.digest));
  const manifest = addBlob(blobs, TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config,
    layers: [layer],
  });
  writeFileSync(join(workFolder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(workFolder, 'index.json'), JSON.stringify(imageIndex(settings.name, manifest)));
  await tar(archive, workFolder, ['oci-layout', 'index.json', 'blobs']);
  rmSync(workFolder, { recursive: true });
}

function imageConfig(settings: ImageSettings, layerDigest: string): object {
  const ports = (settings.ports ?? []).map((port) => [`${port}/tcp`, {}] as const);
  return {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: {
      Entrypoint: settings.entrypoint,
      Env: ['PATH=/bin'],
      ExposedPorts: Object.fromEntries(ports),
      ...(settings.user === undefined ? {} : { User: settings.user }),
    },
    rootfs: { type: 'layers', diff_ids: [layerDigest] },
  };
}

/** containerd names the image by the first annotation, others by the second. */
function imageIndex(name: string, manifest: Descriptor): object {
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
  return { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
}

function addBlob(folder: string, mediaType: string, value: object): Descriptor {
  const content = Buffer.from(JSON.stringify(value));
  const hash = sha256(content);
  writeFileSync(join(folder, hash), content);
  return { mediaType, digest: `sha256:${hash}`, size: content.length };
}

async function addLayer(blobs: string, workFolder: string, rootFolder: string): Promise<Descriptor> {
  const file = join(workFolder, 'layer.tar');
  await tar(file, rootFolder, ['.']);
  const hash = sha256(readFileSync(file));
  copyFileSync(file, join(blobs, hash));
  rmSync(file);
  const { size } = statSync(join(blobs, hash));
  return { mediaType: TYPES.layer, digest: `sha256:${hash}`, size };
}

async function tar(file: string, folder: string, names: readonly string[]): Promise<void> {
  const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run(['tar', '-C', folder, ...fixed, '-cf', file, ...names]);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
