// A kind -> its CustomResourceDefinition, as an object and as YAML. No conversion and no webhook: there is
// one version, and it changes by addition only.

import { stringify } from 'yaml';
import { BGP_ADVERTISEMENT } from '../schema/bgp-advertisement.ts';
import { BGP_PEER } from '../schema/bgp-peer.ts';
import { HERALD_REPLICA } from '../schema/herald-replica.ts';
import { IP_ADDRESS_POOL } from '../schema/ip-address-pool.ts';
import { GROUP, VERSION, type PrinterColumn, type ResourceKind } from '../schema/resource-kind.ts';
import { renderSchema, type JsonSchema } from './schema-rendering.ts';

export const RESOURCE_KINDS: readonly ResourceKind[] = [
  BGP_PEER,
  IP_ADDRESS_POOL,
  BGP_ADVERTISEMENT,
  HERALD_REPLICA,
];

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: JsonSchema;
}

export function customResourceDefinition(of: ResourceKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${of.plural}.${GROUP}` },
    spec: { group: GROUP, names: names(of), scope: of.scope, versions: [version(of)] },
  };
}

export function customResourceDefinitionYaml(of: ResourceKind): string {
  // No aliases and no folding: the file is read by people and compared as text. Helm and kubectl read
  // YAML 1.1, where an unquoted No is false.
  return stringify(customResourceDefinition(of), {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    lineWidth: 0,
    singleQuote: true,
  });
}

function names(of: ResourceKind): JsonSchema {
  return {
    kind: of.kind,
    listKind: `${of.kind}List`,
    plural: of.plural,
    singular: of.kind.toLowerCase(),
    shortNames: of.shortNames,
    categories: ['herald'],
  };
}

function version(of: ResourceKind): JsonSchema {
  const selectable = of.selectableFields.map((jsonPath) => ({ jsonPath }));
  return {
    name: VERSION,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: of.columns.map(column),
    ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
    schema: { openAPIV3Schema: objectSchema(of) },
  };
}

function column({ wide, ...shown }: PrinterColumn): JsonSchema {
  return { ...shown, ...(wide === undefined ? {} : { priority: 1 }) };
}

function objectSchema(of: ResourceKind): JsonSchema {
  const spec = of.spec === undefined ? undefined : renderSchema(of.spec, 'structural', 'spec');
  const required = spec === undefined || spec['default'] !== undefined ? {} : { required: ['spec'] };
  return {
    type: 'object',
    description: of.description,
    ...required,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(spec === undefined ? {} : { spec }),
      status: renderSchema(of.status, 'structural', 'status'),
    },
  };
}
