// What iproute2 prints -> routes and events. The lines are real ones of iproute2 6.1.

import { describe, expect, test } from 'vitest';
import { parseMonitorLine, parseRoutes } from '../src/ip-route.ts';
import type { FibEvent, FibRoute } from '../src/ip-route.ts';

const hop = (address: string, weight = 1) => ({ address, device: 'eth0', weight });

describe('ip -j route', () => {
  const rows: [what: string, json: string, family: 4 | 6, routes: FibRoute[]][] = [
    ['nothing', '', 4, []],
    ['no routes', '[]', 4, []],
    [
      'a link route',
      '[{"dst":"192.0.2.0/24","dev":"eth0","protocol":"kernel","scope":"link","prefsrc":"192.0.2.2","flags":[]}]',
      4,
      [{ prefix: '192.0.2.0/24', protocol: 'kernel', type: 'unicast', nextHops: [] }],
    ],
    [
      'one next hop',
      '[{"dst":"203.0.113.1","nhid":7,"gateway":"192.0.2.2","dev":"eth0","protocol":"bgp","metric":20,"flags":[]}]',
      4,
      [{ prefix: '203.0.113.1/32', protocol: 'bgp', type: 'unicast', nextHops: [hop('192.0.2.2')] }],
    ],
    [
      'several next hops with weights',
      '[{"dst":"203.0.113.5","flags":[],"protocol":"bgp","nexthops":[{"gateway":"192.0.2.1","dev":"eth0","weight":3,"flags":[]},{"gateway":"192.0.2.5","dev":"eth0","weight":1,"flags":[]}]}]',
      4,
      [
        {
          prefix: '203.0.113.5/32',
          protocol: 'bgp',
          type: 'unicast',
          nextHops: [hop('192.0.2.1', 3), hop('192.0.2.5')],
        },
      ],
    ],
    [
      'IPv6 host route',
      '[{"dst":"2001:db8:53::1","nhid":8,"gateway":"2001:db8:2::2","dev":"eth0","protocol":"bgp","metric":20,"flags":[],"pref":"medium"}]',
      6,
      [{ prefix: '2001:db8:53::1/128', protocol: 'bgp', type: 'unicast', nextHops: [hop('2001:db8:2::2')] }],
    ],
    [
      'an IPv4 route by an IPv6 next hop',
      '[{"dst":"203.0.113.1","via":{"family":"inet6","host":"fe80::1"},"dev":"eth0","protocol":"bgp","flags":[]}]',
      4,
      [{ prefix: '203.0.113.1/32', protocol: 'bgp', type: 'unicast', nextHops: [hop('fe80::1')] }],
    ],
    [
      'defaults and blackholes',
      '[{"dst":"default","gateway":"192.0.2.1","dev":"eth0","flags":[]},{"type":"blackhole","dst":"203.0.113.4","flags":[]}]',
      4,
      [
        { prefix: '0.0.0.0/0', protocol: 'boot', type: 'unicast', nextHops: [hop('192.0.2.1')] },
        { prefix: '203.0.113.4/32', protocol: 'boot', type: 'blackhole', nextHops: [] },
      ],
    ],
    [
      'the default of IPv6',
      '[{"dst":"default","gateway":"2001:db8::1","dev":"eth0","flags":[]}]',
      6,
      [{ prefix: '::/0', protocol: 'boot', type: 'unicast', nextHops: [hop('2001:db8::1')] }],
    ],
  ];
  test.each(rows)('%s', (_what, json, family, routes) => {
    expect(parseRoutes(json, family)).toEqual(routes);
  });
});

const event = (kind: FibEvent['kind'], route: Partial<FibRoute>, table = 'main'): object => ({
  kind,
  table,
  route: { protocol: 'boot', type: 'unicast', nextHops: [], ...route },
});

describe('ip -ts -o monitor route', () => {
  const at = '2026-12-01T21:34:02.505831';
  const timeMs = Date.UTC(2026, 11, 1, 21, 34, 2) + 505.831;
  const rows: [what: string, line: string, event: object][] = [
    [
      'a lone next hop stands before proto',
      '203.0.113.3 via 192.0.2.1 dev eth0 proto bgp metric 20 ',
      event('set', { prefix: '203.0.113.3/32', protocol: 'bgp', nextHops: [hop('192.0.2.1')] }),
    ],
    [
      'several stand after it',
      String.raw`203.0.113.3 nhid 20 proto bgp metric 20 \	nexthop via 192.0.2.1 dev eth0 weight 3 \	nexthop via 192.0.2.5 dev eth0 weight 1 `,
      event('set', {
        prefix: '203.0.113.3/32',
        protocol: 'bgp',
        nextHops: [hop('192.0.2.1', 3), hop('192.0.2.5')],
      }),
    ],
    [
      'several without proto',
      String.raw`203.0.113.3 \	nexthop via 192.0.2.1 dev eth0 weight 3 \	nexthop via 192.0.2.5 dev eth0 weight 1 `,
      event('set', { prefix: '203.0.113.3/32', nextHops: [hop('192.0.2.1', 3), hop('192.0.2.5')] }),
    ],
    [
      'removed',
      'Deleted 203.0.113.3 via 192.0.2.1 dev eth0 proto bird metric 32 ',
      event('removed', { prefix: '203.0.113.3/32', protocol: 'bird', nextHops: [hop('192.0.2.1')] }),
    ],
    [
      'IPv6, several, glued to the preference',
      String.raw`2001:db8:9::/64 metric 1024 pref medium\	nexthop via 2001:db8:2::1 dev eth0 weight 1 \	nexthop via 2001:db8:2::5 dev eth0 weight 2 `,
      event('set', {
        prefix: '2001:db8:9::/64',
        nextHops: [hop('2001:db8:2::1'), hop('2001:db8:2::5', 2)],
      }),
    ],
    [
      'another table, another type',
      'Deleted blackhole 203.0.113.4 table 4242 ',
      event('removed', { prefix: '203.0.113.4/32', type: 'blackhole' }, '4242'),
    ],
    [
      'a next hop of the other family',
      '203.0.113.3 via inet6 fe80::1 dev eth0 proto bgp',
      event('set', { prefix: '203.0.113.3/32', protocol: 'bgp', nextHops: [hop('fe80::1')] }),
    ],
    [
      'the default route',
      'default via 2001:db8::1 dev eth0 proto static',
      event('set', { prefix: '0.0.0.0/0', protocol: 'static', nextHops: [hop('2001:db8::1')] }),
    ],
  ];
  test.each(rows)('%s', (_what, line, expected) => {
    expect(parseMonitorLine(`[${at}] ${line}`)).toMatchObject({ ...expected, timeMs });
    expect(parseMonitorLine(line)).toMatchObject({ ...expected, timeMs: Number.NaN });
  });

  test.each([
    '',
    'Error: something',
    'nexthop id 12 via 192.0.2.1 dev eth0',
    '[2026-12-01T00:00:00] Timestamp',
  ])('no route: %j', (line) => {
    expect(parseMonitorLine(line)).toBeUndefined();
  });
});
