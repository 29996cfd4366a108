// EndpointSlice objects -> endpoints whose conditions are resolved (discovery.k8s.io/v1, KEP-1672).

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectEndpointSlice, type EndpointSlice } from '../src/index.ts';

const metadata = { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } };

function slice(parts: Readonly<Record<string, unknown>>): EndpointSlice {
  const result = projectEndpointSlice({ metadata, addressType: 'IPv4', ...parts });
  return result.ok ? result.value : expect.fail('the slice is refused');
}

function endpointWith(conditions: unknown): unknown {
  return slice({ endpoints: [{ addresses: ['10.0.0.1'], conditions }] }).endpoints[0];
}

describe('an EndpointSlice', () => {
  it('belongs to the Service that its label names', () => {
    expect(slice({})).toEqual({
      kind: 'EndpointSlice',
      name: 'web-1',
      namespace: 'shop',
      key: 'shop/web-1',
      uid: '',
      createdAt: 0,
      labels: metadata.labels,
      serviceKey: 'shop/web',
      family: 4,
      endpoints: [],
    });
  });

  it.each([[{}], [{ labels: {} }], [{ labels: { 'kubernetes.io/service-name': '' } }]])(
    'without the label belongs to none: %j',
    (rest) => {
      const unlabelled = { name: 'web-1', namespace: 'shop', ...rest };
      expect(slice({ metadata: unlabelled }).serviceKey).toBe('');
    },
  );

  it.each([
    ['IPv4', 4],
    ['IPv6', 6],
    ['FQDN', undefined],
    ['IPv5', undefined],
    [undefined, undefined],
  ])('of address type %s has family %s', (addressType, family) => {
    expect(slice({ addressType }).family).toBe(family);
  });

  it('of type FQDN has no endpoint that could serve an address', () => {
    const endpoints = [{ addresses: ['web.example.com'], conditions: { ready: true } }];
    expect(projectEndpointSlice({ metadata, addressType: 'FQDN', endpoints })).toMatchObject({
      ok: true,
      value: { endpoints: [] },
      faults: [],
    });
  });

  it.each([
    ['nothing', undefined, true, true, false],
    ['null', null, true, true, false],
    ['no condition', {}, true, true, false],
    ['ready nil', { ready: null }, true, true, false],
    ['ready', { ready: true }, true, true, false],
    ['not ready', { ready: false }, false, true, false],
    ['not ready but serving', { ready: false, serving: true }, false, true, false],
    ['ready and not serving', { ready: true, serving: false }, true, false, false],
    ['serving and terminating', { ready: false, serving: true, terminating: true }, false, true, true],
    ['terminating, serving nil', { ready: false, terminating: true }, false, true, true],
    ['terminating, serving null', { ready: false, serving: null, terminating: true }, false, true, true],
    ['terminating, not serving', { ready: false, serving: false, terminating: true }, false, false, true],
    ['only terminating', { terminating: true }, true, true, true],
    ['words instead of booleans', { ready: 'false', serving: 0 }, true, true, false],
  ])('resolves conditions: %s', (_, conditions, ready, serving, terminating) => {
    expect(endpointWith(conditions)).toEqual({
      address: '10.0.0.1',
      nodeName: undefined,
      ready,
      serving,
      terminating,
    });
  });

  it.each([
    ['w1', 'w1'],
    ['', undefined],
    [undefined, undefined],
    [7, undefined],
  ])('on node %j names node %s', (nodeName, expected) => {
    expect(slice({ endpoints: [{ addresses: ['10.0.0.1'], nodeName }] }).endpoints[0]?.nodeName).toBe(
      expected,
    );
  });

  it.each([
    ['IPv4', ['10.0.0.1', '10.0.0.2'], '10.0.0.1'],
    ['IPv6', ['2001:DB8::0:1'], '2001:db8::1'],
    ['IPv4', ['010.0.0.1'], '010.0.0.1'],
    ['IPv6', ['::ffff:10.0.0.1'], '::ffff:10.0.0.1'],
  ])('of type %s with addresses %j counts %s', (addressType, addresses, expected) => {
    expect(
      slice({ addressType, endpoints: [{ addresses }] }).endpoints.map(({ address }) => address),
    ).toEqual([expected]);
  });

  it.each([
    ['IPv4', ['2001:db8::1']],
    ['IPv6', ['10.0.0.1']],
    ['IPv4', []],
    ['IPv4', undefined],
    ['IPv4', [7]],
  ])('of type %s leaves out an endpoint with addresses %j and says so', (addressType, addresses) => {
    const good = { addresses: [addressType === 'IPv4' ? '10.0.0.9' : '2001:db8::9'] };
    const result = projectEndpointSlice({ metadata, addressType, endpoints: [{ addresses }, good] });
    expect(result).toMatchObject({ ok: true, value: { endpoints: [{ address: good.addresses[0] }] } });
    expect(result.faults.map(({ message }) => message)).toEqual([
      `EndpointSlice shop/web-1: endpoints[0].addresses[0] is not an ${addressType} address.`,
    ]);
  });

  it('survives any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('IPv4', 'IPv6', 'FQDN'), (endpoints, addressType) => {
        expect(slice({ endpoints, addressType }).key).toBe('shop/web-1');
      }),
    );
  });
});
