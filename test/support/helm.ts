/**
 * Helm for tests of the chart: the program from the machine's cache, and what it makes of a chart and values.
 *
 * Out: objects as they would be sent to the API server, or the sentences with which helm refuses. No cluster is asked.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY, cacheDirectory } from '@herald/lab';

export const CHART = join(REPOSITORY, 'deploy/charts/herald');

export type Json = Readonly<Record<string, unknown>>;

export interface KubernetesObject extends Json {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

export interface Rendering {
  readonly text: string;
  readonly objects: readonly KubernetesObject[];
  /** What helm said where it refused; empty where it did not. */
  readonly refusal: string;
}

export interface RenderOptions {
  readonly values?: Json;
  readonly valuesFile?: string;
  readonly namespace?: string;
  readonly flags?: readonly string[];
}

/** undefined where no helm was built on this machine yet. */
export function helmProgram(): string | undefined {
  const cache = cacheDirectory();
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('go-helm-')) : [];
  const complete = built
    .map((name) => join(cache, name))
    .filter((path) => existsSync(join(path, 'complete')));
  const [newest] = complete.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest === undefined ? undefined : join(newest, 'helm');
}

export const REQUIRED_VALUES: Json = { image: { repository: 'lab.local/herald' }, settings: { asn: 64512 } };

/** Helm takes a while for each answer, and tests ask for the same again. */
const renderings = new Map<string, Rendering>();

export function render(options: RenderOptions = {}): Rendering {
  const key = JSON.stringify(options);
  const known = renderings.get(key) ?? renderNow(options);
  renderings.set(key, known);
  return known;
}

function renderNow({ values = REQUIRED_VALUES, valuesFile, namespace, flags }: RenderOptions): Rendering {
  const file = valuesFile ?? '-';
  const place = ['--namespace', namespace ?? 'herald-system', '--values', file];
  const ended = helm(['template', 'herald', CHART, ...place, ...(flags ?? [])], JSON.stringify(values));
  const objects = ended.ok ? documents(ended.stdout) : [];
  return { text: ended.stdout, objects, refusal: ended.ok ? '' : ended.stderr };
}

export function helm(args: readonly string[], input = ''): { ok: boolean; stdout: string; stderr: string } {
  const program = helmProgram();
  if (program === undefined) throw new Error('helm was not built on this machine yet');
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { ok: status === 0, stdout, stderr };
}

export function objectOf(rendering: Rendering, kind: string, name?: string): KubernetesObject {
  const found = rendering.objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  const [only, ...more] = found;
  if (only === undefined || more.length > 0) {
    throw new Error(`${found.length} objects are ${kind} ${name ?? ''}: ${rendering.refusal}`);
  }
  return only;
}

function documents(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}
