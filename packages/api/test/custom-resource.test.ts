// Validation of Herald's own kinds: the tables of every field, and what is the same for all of them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectObject, type Fault, type Origin, type Projected } from '../src/index.ts';
import { ALL_CASES } from './cases/all.ts';
import { manifest, type KindCases } from './cases/case.ts';

function project(object: unknown, origin: Origin = 'manifest'): Projected<{ readonly kind: string }> {
  return projectObject(object, origin) ?? expect.fail('the kind is not known');
}

function faultsOf(of: KindCases, change: Readonly<Record<string, unknown>>): readonly Fault[] {
  return project(manifest(of, change)).faults;
}

describe.each(ALL_CASES)('$kind', (of) => {
  it.each(of.accepted.map((change) => ({ change })))('accepts $change', ({ change }) => {
    const result = project(manifest(of, change));
    expect(result).toMatchObject({ ok: true, faults: [], value: { kind: of.kind, name: of.name } });
  });

  it.each(of.refused)('refuses $change: $field $says', ({ change, field, says, reason }) => {
    const faults = faultsOf(of, change);
    const fitting = faults.filter((fault) => fault.field === field && fault.message.includes(says));
    expect(fitting, JSON.stringify(faults)).toHaveLength(1);
    expect(fitting[0]?.reason).toBe(reason ?? 'Invalid');
  });

  it.each(of.refused)('says it in one sentence that names object and field: $change', ({ change }) => {
    for (const fault of faultsOf(of, change)) {
      expect(fault.object).toBe(`${of.kind} ${of.name}`);
      expect(fault.message.startsWith(`${of.kind} ${of.name}: ${fault.field} `)).toBe(true);
      expect(fault.message).toMatch(/[^.]\.$/);
      expect(fault.message.length).toBeLessThan(400);
    }
  });

  it.each(of.refused)('gives no value, so that nothing half valid is used: $change', ({ change }) => {
    for (const origin of ['manifest', 'api'] as const) {
      expect(project(manifest(of, change), origin).ok).toBe(false);
    }
  });

  it('leaves the object that it reads as it was', () => {
    const object = manifest(of);
    const before = structuredClone(object);
    project(object);
    expect(object).toEqual(before);
  });

  it('refuses an unknown field in a manifest, and ignores it from the API server', () => {
    const object = manifest(of, { colour: 'red' });
    expect(project(object, 'manifest').ok).toBe(false);
    const fromApi = project(object, 'api');
    expect(fromApi.ok).toBe(true);
    expect(fromApi.faults).toEqual([
      {
        object: `${of.kind} ${of.name}`,
        field: 'spec.colour',
        reason: 'UnknownField',
        message: `${of.kind} ${of.name}: spec.colour is not a field of ${of.kind}.`,
      },
    ]);
  });

  it('refuses an unknown field beside the spec', () => {
    const faults = project({ ...manifest(of), sepc: {} }).faults;
    expect(faults.map(({ field }) => field)).toEqual(['sepc']);
  });

  it('ignores the status and fields of metadata that it does not read', () => {
    const object = { ...manifest(of), status: { conditions: 'odd' } };
    expect(project(object).ok).toBe(true);
  });

  it.each([
    ['', 'is required'],
    ['Tor-1', 'must be a DNS subdomain'],
    ['tor_1', 'must be a DNS subdomain'],
    ['-tor', 'must be a DNS subdomain'],
    ['tor.', 'must be a DNS subdomain'],
    ['t'.repeat(254), 'must be a DNS subdomain'],
  ])('refuses the name %j', (name, says) => {
    const result = project({ ...manifest(of), metadata: { name } });
    expect(result.ok).toBe(false);
    expect(result.faults.map(({ field }) => field)).toEqual(['metadata.name']);
    expect(result.faults[0]?.message).toContain(says);
  });

  it.each([[null], [7], ['spec'], [[]]])('refuses the spec %j', (spec) => {
    const result = project({ ...manifest(of), spec });
    // A null is an absent spec, which one kind allows.
    expect(result.ok).toBe(spec === null && of.kind === 'BGPAdvertisement');
  });

  it('survives any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, metadata) => {
        const result = project({ apiVersion: 'heraldbgp.io/v1alpha1', kind: of.kind, metadata, spec });
        expect(result.ok || result.faults.length > 0).toBe(true);
      }),
    );
  });

  it('survives any value in any field', () => {
    const fields = [
      ...new Set([...of.accepted, ...of.refused.map(({ change }) => change)].flatMap(Object.keys)),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.jsonValue(), (field, value) => {
        const result = project(manifest(of, { [field]: value }));
        expect(result.ok || result.faults.length > 0).toBe(true);
      }),
    );
  });
});

describe('any object', () => {
  it('reports every fault at once, rules between fields included', () => {
    const faults = project({
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'BGPPeer',
      metadata: { name: 'Tor' },
      spec: {
        peerAddress: 'nowhere',
        peerPort: 0,
        dynamicASN: 'internal',
        peerASN: 65535,
        holdTime: '1s',
        colour: 'red',
      },
    }).faults;
    expect(faults.map(({ field }) => field).sort()).toEqual([
      'metadata.name',
      'spec.colour',
      'spec.holdTime',
      'spec.peerASN',
      'spec.peerAddress',
      'spec.peerPort',
    ]);
  });

  it('shows no more of a long value than a line can hold', () => {
    const [fault] = project({
      apiVersion: 'heraldbgp.io/v1alpha1',
      kind: 'BGPPeer',
      metadata: { name: 'tor-1' },
      spec: { peerAddress: 'x'.repeat(100_000), peerASN: 64512 },
    }).faults;
    expect(fault?.message.length).toBeLessThan(200);
  });

  it.each([
    [{ apiVersion: 'apps/v1', kind: 'Deployment' }, undefined],
    [{ apiVersion: 'v1', kind: 'ConfigMap' }, undefined],
    [{ apiVersion: 'heraldbgp.io/v1alpha1', kind: 'HeraldReplica' }, undefined],
    [null, undefined],
    ['text', undefined],
    [
      { apiVersion: 'heraldbgp.io/v1alpha1', kind: 'BGPPear', metadata: { name: 'a' } },
      'BGPPear a: kind is not a kind of heraldbgp.io/v1alpha1.',
    ],
    [
      { apiVersion: 'heraldbgp.io/v1', kind: 'BGPPeer', metadata: { name: 'a' } },
      'BGPPeer a: kind is not a kind of heraldbgp.io/v1alpha1.',
    ],
    [
      { apiVersion: 'heraldbgp.io/v1alpha1' },
      'Object without a name: kind is not a kind of heraldbgp.io/v1alpha1.',
    ],
  ])('of kind %j says %j', (object, message) => {
    expect(projectObject(object, 'manifest')?.faults[0]?.message).toBe(message);
  });

  it.each([
    [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }, 'Node'],
    [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'b' } }, 'Service'],
    [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }, 'Namespace'],
    [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'b' } }, 'Secret'],
    [
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'a', namespace: 'b' } },
      'EndpointSlice',
    ],
  ])('%j is projected as %s', (object, kind) => {
    expect(projectObject(object, 'manifest')).toMatchObject({ ok: true, value: { kind } });
  });
});
