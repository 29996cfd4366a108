// Which files are generated, and their text. Reads and writes nothing.
//
// The CRDs are there twice: as they are, and as templates of the chart, which keeps them at uninstall.

import { RESOURCE_KINDS, customResourceDefinitionYaml, settingsJsonSchema } from './src/index.ts';
import { chartValuesSchema } from './chart-values.ts';

export interface GeneratedFile {
  readonly url: URL;
  readonly text: string;
}

const DEPLOY = new URL('../../deploy/', import.meta.url);
const NOTICE = '# Generated from packages/api by generate.ts. Do not edit.\n';

export function generatedFiles(): GeneratedFile[] {
  const schema = settingsJsonSchema();
  return [
    ...RESOURCE_KINDS.flatMap((kind) => definitions(kind.plural, customResourceDefinitionYaml(kind))),
    { url: new URL('settings.schema.json', import.meta.url), text: jsonText(schema) },
    {
      url: new URL('charts/herald/values.schema.json', DEPLOY),
      text: jsonText(chartValuesSchema(schema)),
    },
  ];
}

function definitions(plural: string, yaml: string): GeneratedFile[] {
  return [
    { url: new URL(`crds/${plural}.yaml`, DEPLOY), text: NOTICE + yaml },
    {
      url: new URL(`charts/herald/templates/crds/${plural}.yaml`, DEPLOY),
      text: chartTemplate(plural, yaml),
    },
  ];
}

const KEPT = `metadata:
  labels:
    app.kubernetes.io/part-of: herald
  annotations:
    helm.sh/resource-policy: keep
`;

function chartTemplate(plural: string, yaml: string): string {
  if (yaml.includes('{{')) {
    throw new RangeError(`the CRD of ${plural} holds "{{", which a chart would take for its own`);
  }
  return `{{- if .Values.crds.enabled }}\n${NOTICE}${yaml.replace('metadata:\n', KEPT)}{{- end }}\n`;
}

/** Short lists on one line, as the formatter writes them. */
function jsonText(schema: unknown): string {
  const text = JSON.stringify(schema, undefined, 2);
  return `${text.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.split(/,\s+/).join(', ')}]`)}\n`;
}
