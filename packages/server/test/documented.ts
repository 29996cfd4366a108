// The OpenAPI document of a server, and a check of answers against what it says of them.

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Server } from '../src/index.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

export interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: Json }>> }>
  >;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export async function documentOf(server: Server): Promise<OpenApi> {
  return (await server.app.inject({ url: '/api/v1/openapi.json' })).json<OpenApi>();
}

/** The schema of one answer; an empty one, which nothing fulfils, when the document does not have it. */
export function schemaOf(document: OpenApi, template: string, status: number): Json {
  const content = document.paths[template]?.['get']?.responses[String(status)]?.content ?? {};
  const [media] = Object.values(content);
  return media?.schema ?? { not: {} };
}

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addFormat('date-time', RFC3339);

/** What is wrong with a value, as "path keyword". */
export function violations(schema: Json, value: unknown): string[] {
  // Compiled once for each schema.
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.keyword}`);
}
