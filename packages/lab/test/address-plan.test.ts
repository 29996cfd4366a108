// Nobody in the standard lab shares an address or a network with anybody else.

import { describe, expect, test } from 'vitest';
import {
  SERVICE_PREFIXES,
  clientLink,
  controlPlaneAddresses,
  guestAddresses,
  podLink,
  routerAddresses,
  withLengths,
  workerAddresses,
} from '../src/address-plan.ts';

const count = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

describe('addresses', () => {
  test('of twenty machines of each kind are all different', () => {
    const hosts = [
      ...count(10).map(routerAddresses),
      ...count(20).map(controlPlaneAddresses),
      ...count(60).map(guestAddresses),
      ...count(150).map(workerAddresses),
      ...[...count(60).map(clientLink), ...count(20).map(podLink)].flatMap(({ near, far }) => [near, far]),
    ];
    const all = hosts.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
    expect(new Set(all).size).toBe(all.length);
  });

  test('networks behind machines do not overlap each other or the services', () => {
    const prefixes = [...count(60).map(clientLink), ...count(20).map(podLink)].flatMap(
      (link) => link.prefixes,
    );
    const all = [...prefixes, ...SERVICE_PREFIXES];
    expect(new Set(all).size).toBe(all.length);
  });

  test('are given lengths by their network', () => {
    expect(withLengths(podLink(0).far, podLink(0).prefixes)).toEqual(['10.244.1.2/24', 'fd00:244:1::2/64']);
    expect(withLengths(clientLink(1).near, clientLink(1).prefixes)).toEqual([
      '198.51.100.5/30',
      '2001:db8:c:1::1/64',
    ]);
  });
});
