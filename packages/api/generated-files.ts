// Which files are generated, and their text. Reads and writes nothing.

import { RESOURCE_KINDS, customResourceDefinitionYaml, settingsJsonSchema } from './src/index.ts';

export interface GeneratedFile {
  readonly url: URL;
  readonly text: string;
}

const NOTICE = '# Generated from packages/api by generate.ts. Do not edit.\n';

export function generatedFiles(): GeneratedFile[] {
  const deploy = new URL('../../deploy/', import.meta.url);
  const definitions = RESOURCE_KINDS.map((kind) => ({
    url: new URL(`crds/${kind.plural}.yaml`, deploy),
    text: NOTICE + customResourceDefinitionYaml(kind),
  }));
  const settings = {
    url: new URL('settings.schema.json', import.meta.url),
    text: settingsSchemaText(),
  };
  return [...definitions, settings];
}

/** Short lists on one line, as the formatter writes them. */
function settingsSchemaText(): string {
  const text = JSON.stringify(settingsJsonSchema(), undefined, 2);
  return `${text.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.split(/,\s+/).join(', ')}]`)}\n`;
}
