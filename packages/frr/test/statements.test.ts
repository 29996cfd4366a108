import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diffConfig, parseStatements, planConfig, renderConfig } from '../src/index.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { PLACEMENT } from './session-plan.ts';

const RUNNING = readFileSync(new URL('fixtures/running-config.txt', import.meta.url), 'utf8');

describe('what bgpd 10.3 prints of its configuration', () => {
  const running = parseStatements(RUNNING);

  it('has its instances, each with its own neighbours', () => {
    const neighbors = [...running.instances].map(([header, { neighbors: found }]) => [
      header,
      [...found.keys()],
    ]);
    expect(neighbors).toEqual([
      ['router bgp 65000', ['127.0.0.2', 'fd09::3']],
      ['router bgp 65000 view plain-9', ['127.1.0.9', 'fd09::2']],
    ]);
  });

  it('has lines of a neighbour in their scope, without its address', () => {
    const neighbor = running.instances.get('router bgp 65000')?.neighbors.get('fd09::3');
    expect(neighbor?.get('')).toContain('description peer rr-1');
    expect(neighbor?.get('ipv6 unicast')).toEqual([
      'activate',
      'addpath-tx-all-paths',
      'route-map herald-deny in',
      'route-map herald-out-8 out',
    ]);
  });

  it('has filters with all their lines', () => {
    expect(running.lists.get('herald-peer-8')).toHaveLength(2);
    expect([...(running.routeMaps.get('herald-out-8') ?? [])]).toEqual([
      ['route-map herald-out-8 deny 10', ['match ip address prefix-list herald-marker']],
      [
        'route-map herald-out-8 permit 20',
        ['match large-community herald-peer-8', 'set large-comm-list herald-tags delete'],
      ],
      ['route-map herald-out-8 deny 30', []],
    ]);
  });
});

it.each(Object.entries(BEHAVIOURS))('%s is equal to itself', (_name, sessions) => {
  const text = renderConfig(planConfig(sessions, PLACEMENT).config);
  expect(diffConfig(parseStatements(text), parseStatements(text))).toEqual([]);
});

it.each([
  ['nothing', ''],
  ['comments', '!\n# x\n\n! y'],
  ['unknown blocks', 'rpki\n rpki cache 1.2.3.4 1 preference 1\nexit\nvrf x\nexit-vrf'],
  ['an address family outside an instance', 'address-family ipv4 unicast\n neighbor 1.2.3.4 activate'],
])('%s is no instance, no filter', (_name, text) => {
  const { instances, lists, routeMaps } = parseStatements(text);
  expect([instances.size, lists.size, routeMaps.size]).toEqual([0, 0, 0]);
});

it('what belongs to another address family than ours is not kept', () => {
  const text =
    'router bgp 1\n address-family l2vpn evpn\n  neighbor 1.2.3.4 activate\n  advertise-all-vni\n exit-address-family\nexit';
  expect(parseStatements(text).instances.get('router bgp 1')).toEqual({
    settings: [],
    neighbors: new Map(),
  });
});
