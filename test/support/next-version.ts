// What an upgrade brings: a copy of the chart as another version of it would be, and the image under another tag and
// digest, its layers the same. There is no earlier release of either to come from.

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run, type Cluster } from '@herald/lab';

import { get, type KubernetesObject } from './cluster-herald.ts';
import { CHART } from './helm.ts';
import { IMAGE_REPOSITORY } from './image-build.ts';

export const NEXT_DESCRIPTION = 'A pool, as the next version describes it.';
export const NEXT_TAG = 'next';

/** Higher in its version, and with another description in a CRD. */
export function nextChart(folder: string): string {
  const chart = join(folder, 'next-chart');
  cpSync(CHART, chart, { recursive: true });
  edit(join(chart, 'Chart.yaml'), /^version: .*$/m, 'version: 0.1.1');
  edit(
    join(chart, 'templates/crds/ipaddresspools.yaml'),
    /^(?<indent> +openAPIV3Schema:\n +type: object\n +description: ).*$/m,
    `$<indent>${NEXT_DESCRIPTION}`,
  );
  return chart;
}

interface Described extends KubernetesObject {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly description: string } };
    }[];
  };
}

/** Of the CRD that the next chart changes. */
export async function poolDescription(cluster: Cluster): Promise<string | undefined> {
  const { spec } = await get<Described>(cluster, 'crd', 'ipaddresspools.heraldbgp.io');
  return spec.versions[0]?.schema.openAPIV3Schema.description;
}

function edit(path: string, pattern: RegExp, text: string): void {
  const before = readFileSync(path, 'utf8');
  const after = before.replace(pattern, text);
  if (after === before) {
    throw new Error(`${path} has no ${pattern}`);
  }
  writeFileSync(path, after);
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly config: Descriptor;
}

interface Configuration {
  readonly config: { readonly Labels?: Readonly<Record<string, string>> };
}

/**
 * Another version by its label. Its archive has everything but the layers: they came into the nodes with the image that it
 * is made from.
 */
export async function nextImage(archive: string, folder: string): Promise<string> {
  const layout = join(folder, 'next-image');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const [image] = (await read<{ manifests: [Descriptor] }>(archive, 'index.json')).manifests;
  const manifest = await read<Manifest>(archive, blobPath(image));
  const { config, ...others } = await read<Configuration>(archive, blobPath(manifest.config));
  const Labels = { ...config.Labels, 'org.opencontainers.image.version': NEXT_TAG };
  const nextConfig = addBlob(layout, manifest.config, { ...others, config: { ...config, Labels } });
  const next = addBlob(layout, image, { ...manifest, config: nextConfig });
  const annotations = { 'org.opencontainers.image.ref.name': `${IMAGE_REPOSITORY}:${NEXT_TAG}` };
  write(layout, 'index.json', { schemaVersion: 2, manifests: [{ ...next, annotations }] });
  write(layout, 'oci-layout', { imageLayoutVersion: '1.0.0' });
  await run(['tar', '-C', layout, '-cf', `${layout}.tar`, 'oci-layout', 'index.json', 'blobs']);
  return `${layout}.tar`;
}

async function read<T>(archive: string, path: string): Promise<T> {
  return JSON.parse(await run(['tar', '-xOf', archive, path])) as T;
}

/** `like`: the blob that it takes the place of. */
function addBlob(layout: string, like: Descriptor, content: object): Descriptor {
  const text = JSON.stringify(content);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const blob = { ...like, digest, size: Buffer.byteLength(text) };
  writeFileSync(join(layout, blobPath(blob)), text);
  return blob;
}

function write(layout: string, file: string, content: object): void {
  writeFileSync(join(layout, file), JSON.stringify(content));
}

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}
