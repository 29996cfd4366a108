/** The rendered manifests: are they current, complete, and the same each time? */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { MANIFEST, manifestText } from '../../deploy/manifests/manifest-text.ts';
import { helmProgram, type KubernetesObject } from '../support/helm.ts';

const program = helmProgram();

describe.skipIf(program === undefined)('deploy/manifests/herald.yaml', () => {
  it('is current', () => {
    expect(readFileSync(MANIFEST, 'utf8')).toBe(manifestText(program ?? ''));
  });
});

describe('the manifests', () => {
  const objects = parseAllDocuments(readFileSync(MANIFEST, 'utf8'))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);

  it('are the kinds, the rights and the replicas, and no hook', () => {
    expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'ConfigMap',
      'CustomResourceDefinition',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Role',
      'RoleBinding',
      'Service',
      'ServiceAccount',
    ]);
    expect(JSON.stringify(objects)).not.toContain('helm.sh/hook');
  });

  it('are all in the namespace that is beside them', () => {
    const namespaces = objects.map((object) => (object.metadata as { namespace?: string }).namespace);
    expect(new Set(namespaces)).toEqual(new Set(['herald-system', undefined]));
  });
});
