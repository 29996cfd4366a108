// Reading raw API objects: each function gives a value of the type it names, or the absence of one,
// whatever it is handed. Nothing here throws or reports: the API server checked these objects.

export type JsonRecord = Readonly<Record<string, unknown>>;

const NOTHING: JsonRecord = {};

export function record(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : NOTHING;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export interface RawMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
}

export function rawMeta(object: unknown): RawMeta {
  const metadata = record(record(object)['metadata']);
  return {
    name: text(metadata['name']),
    namespace: text(metadata['namespace']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    generation: wholeNumber(metadata['generation']),
  };
}
