import { REASONS, type Reason } from '@herald/api';
import { describe, expect, test } from 'vitest';

import { serviceCondition } from '../../src/status/service-condition.ts';
import { NO_MEMORY, wantedStatus } from '../../src/status/status.ts';
import { byKey, inputs, mapOf, service, verdict } from './status-inputs.ts';

const SILENT: readonly Reason[] = ['NotLoadBalancer', 'NotOurClass'];
const SAID = (Object.keys(REASONS) as Reason[]).filter((reason) => !SILENT.includes(reason));

test('what is announced is True, without a count', () => {
  const condition = serviceCondition(verdict('Advertised', { nextHops: 3, prefixes: ['198.51.100.1/32'] }));
  expect(condition).toEqual({
    status: 'True',
    reason: 'Advertised',
    message: expect.not.stringMatching(/\d/),
  });
});

test.for(SAID)('%s is False, in its own sentence', (reason) => {
  expect(serviceCondition(verdict(reason))).toEqual({ status: 'False', reason, message: REASONS[reason] });
});

test('a Service without an address says why it has none, where that is known', () => {
  expect(serviceCondition(verdict('NoAddress'), 'PoolExhausted')?.reason).toBe('PoolExhausted');
  expect(serviceCondition(verdict('NoAddress'))?.reason).toBe('NoAddress');
  expect(serviceCondition(verdict('NoUsableEndpoint'), 'PoolExhausted')?.reason).toBe('NoUsableEndpoint');
  expect(serviceCondition(verdict('Advertised'), 'PoolExhausted')?.reason).toBe('Advertised');
});

test('a reason that becomes known is a write', () => {
  const services = mapOf({ 'shop/a': verdict('NoAddress') });
  const before = wantedStatus(inputs({ decision: { services } }), NO_MEMORY);
  const unmet = mapOf<Reason>({ 'shop/a': 'PoolUnknown' });
  const { wanted } = wantedStatus(inputs({ decision: { services, unmet } }), before);
  expect(wanted.services.get('shop/a')?.reason).toBe('PoolUnknown');
});

test.for(SILENT)('%s: not a Service of ours to write to', (reason) => {
  expect(serviceCondition(verdict(reason))).toBeUndefined();
});

test('all Services with one reason share one value', () => {
  expect(serviceCondition(verdict('NoPeer'))).toBe(serviceCondition(verdict('NoPeer')));
  expect(serviceCondition(verdict('Advertised', { nextHops: 1 }))).toBe(
    serviceCondition(verdict('Advertised')),
  );
});

describe('over time', () => {
  const many = Array.from({ length: 500 }, (_, i) => `shop/s${i}`);
  const services = byKey(...many.map((key) => service(key)));
  const verdicts = mapOf(
    Object.fromEntries(many.map((key) => [key, verdict('Advertised', { nextHops: 3 })])),
  );
  const first = wantedStatus(inputs({ world: { services }, decision: { services: verdicts } }), NO_MEMORY);

  test.for([
    { what: 'its next hops changed', next: verdict('Advertised', { nextHops: 1 }) },
    { what: 'its prefixes changed', next: verdict('Advertised', { prefixes: ['198.51.100.0/24'] }) },
    { what: 'it is not quite as asked', next: verdict('Advertised', { remarks: ['MaxRoutes'] }) },
  ])('no write because $what', ({ next }) => {
    const changed = verdicts.set('shop/s7', next);
    const after = wantedStatus(inputs({ world: { services }, decision: { services: changed } }), first);
    expect(after.wanted).toBe(first.wanted);
  });

  test('one write when one Service is no longer announced', () => {
    const changed = verdicts.set('shop/s7', verdict('NoUsableEndpoint'));
    const { wanted } = wantedStatus(inputs({ world: { services }, decision: { services: changed } }), first);
    expect(wanted.services.changedKeys(first.wanted.services)).toEqual(['shop/s7']);
    expect(wanted.peers).toBe(first.wanted.peers);
  });

  test.for([
    { what: 'is gone', next: verdicts.delete('shop/s7') },
    { what: 'is no longer ours', next: verdicts.set('shop/s7', verdict('NotOurClass')) },
    { what: 'is no longer a LoadBalancer', next: verdicts.set('shop/s7', verdict('NotLoadBalancer')) },
  ])('nothing is wanted of a Service that $what', ({ next }) => {
    const { wanted } = wantedStatus(inputs({ world: { services }, decision: { services: next } }), first);
    expect([wanted.services.size, wanted.services.has('shop/s7')]).toEqual([499, false]);
  });
});
