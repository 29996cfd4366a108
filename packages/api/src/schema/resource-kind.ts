// What a kind of object of ours is: its names, schemas and how kubectl lists it. One value of this type is
// the source of the CRD, of validation and of the static types.

import type { TObject } from 'typebox';

export const GROUP = 'heraldbgp.io';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Shown with `-o wide` only. */
  readonly wide?: true;
}

export interface ResourceKind<Spec extends TObject = TObject> {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly description: string;
  readonly spec: Spec | undefined;
  readonly status: TObject;
  readonly columns: readonly PrinterColumn[];
  /** Fields that `kubectl get --field-selector` knows. */
  readonly selectableFields: readonly string[];
}

export const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since when the object exists.',
};

export const VALID_COLUMN: PrinterColumn = {
  name: 'Valid',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Valid")].status',
  description: 'Whether the object is in use as it stands.',
};
