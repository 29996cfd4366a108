// RouterOptions -> the four daemons' languages: one row an option, with the lines that it adds.
// That the daemons accept them is shown in the lab.

import { describe, expect, test } from 'vitest';
import { birdConfig } from '../src/routers/bird-config.ts';
import { frrConfig } from '../src/routers/frr-config.ts';
import { frrRemovals } from '../src/routers/frr-removals.ts';
import { gobgpConfig } from '../src/routers/gobgp-config.ts';
import { openbgpdConfig } from '../src/routers/openbgpd-config.ts';
import type { NeighborOptions, RouterOptions } from '../src/routers/router.ts';

const BASE: RouterOptions = { asn: 64_500, routerId: '192.0.2.1' };
const peer = (options: Partial<NeighborOptions> = {}): RouterOptions => ({
  ...BASE,
  neighbors: [{ address: '192.0.2.2', asn: 65_001, ...options }],
});

const DAEMONS = {
  frr: frrConfig,
  bird: birdConfig,
  gobgp: gobgpConfig,
  openbgpd: (options: RouterOptions) => openbgpdConfig(options, '/run/x.sock'),
} as const;
type Daemon = keyof typeof DAEMONS;

/** Lines that the option adds to a plain neighbour's configuration. */
function added(daemon: Daemon, options: RouterOptions): string[] {
  const plain = new Set(trimmed(DAEMONS[daemon](peer())));
  return trimmed(DAEMONS[daemon](options)).filter((line) => !plain.has(line));
}

function trimmed(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

describe('what an option of a neighbour adds', () => {
  const rows: [option: string, options: RouterOptions, lines: Readonly<Record<Daemon, string[]>>][] = [
    [
      'password',
      peer({ password: 's3cret' }),
      {
        frr: ['neighbor 192.0.2.2 password s3cret'],
        bird: ['password "s3cret";'],
        gobgp: ['auth-password = "s3cret"'],
        openbgpd: ['tcp md5sig password "s3cret"'],
      },
    ],
    [
      'multihop',
      peer({ multihop: 9 }),
      {
        frr: ['neighbor 192.0.2.2 ebgp-multihop 9'],
        bird: ['multihop 9;'],
        gobgp: ['[neighbors.ebgp-multihop.config]', 'enabled = true', 'multihop-ttl = 9'],
        openbgpd: ['multihop 9'],
      },
    ],
    [
      'GTSM',
      peer({ ttlSecurityHops: 2 }),
      {
        frr: ['neighbor 192.0.2.2 ttl-security hops 2'],
        bird: ['multihop 2;', 'ttl security on;'],
        gobgp: ['[neighbors.ttl-security.config]', 'enabled = true', 'ttl-min = 254'],
        openbgpd: ['ttl-security yes'],
      },
    ],
    [
      'passive',
      peer({ passive: true }),
      {
        frr: ['neighbor 192.0.2.2 passive'],
        bird: ['passive on;'],
        gobgp: ['[neighbors.transport.config]', 'passive-mode = true'],
        openbgpd: ['passive'],
      },
    ],
    [
      'prefix limit',
      peer({ maxPrefixes: 5, families: [4, 6] }),
      {
        frr: ['neighbor 192.0.2.2 maximum-prefix 5', 'neighbor 192.0.2.2 maximum-prefix 5'],
        bird: ['receive limit 5 action restart;', 'receive limit 5 action restart;'],
        gobgp: [
          '[neighbors.afi-safis.prefix-limit.config]',
          'max-prefixes = 5',
          '[neighbors.afi-safis.prefix-limit.config]',
          'max-prefixes = 5',
        ],
        openbgpd: ['max-prefix 5 restart 1'],
      },
    ],
    [
      'several paths are sent for IPv6',
      peer({ addPathSend: [6] }),
      {
        frr: ['neighbor 192.0.2.2 addpath-tx-all-paths'],
        bird: ['add paths on;'],
        gobgp: ['send-max = 64'],
        openbgpd: ['announce add-path send all'],
      },
    ],
    [
      'no ADD-PATH at all',
      peer({ addPathReceive: [] }),
      {
        frr: ['neighbor 192.0.2.2 disable-addpath-rx', 'neighbor 192.0.2.2 disable-addpath-rx'],
        bird: [],
        gobgp: ['receive = false', 'receive = false'],
        openbgpd: ['announce add-path recv no'],
      },
    ],
    [
      'source address and port',
      peer({ localAddress: '192.0.2.9', port: 1179 }),
      {
        frr: ['neighbor 192.0.2.2 port 1179', 'neighbor 192.0.2.2 update-source 192.0.2.9'],
        bird: ['local 192.0.2.9 as 64500;', 'neighbor 192.0.2.2 port 1179 as 65001;'],
        gobgp: ['[neighbors.transport.config]', 'local-address = "192.0.2.9"', 'remote-port = 1179'],
        openbgpd: ['local-address 192.0.2.9', 'port 1179'],
      },
    ],
    [
      'hold time',
      peer({ holdTimeSeconds: 30 }),
      {
        frr: ['neighbor 192.0.2.2 timers 10 30'],
        bird: ['hold time 30;', 'keepalive time 10;'],
        gobgp: ['hold-time = 30', 'keepalive-interval = 10'],
        openbgpd: ['holdtime 30'],
      },
    ],
    [
      'any external ASN',
      peer({ asn: 'external' }),
      {
        frr: ['neighbor 192.0.2.2 remote-as external'],
        bird: ['neighbor 192.0.2.2 external;'],
        gobgp: [],
        openbgpd: ['# any ASN'],
      },
    ],
    [
      'our own ASN',
      peer({ asn: 'internal' }),
      {
        frr: ['neighbor 192.0.2.2 remote-as internal'],
        bird: ['neighbor 192.0.2.2 internal;'],
        gobgp: ['peer-as = 64500'],
        openbgpd: ['remote-as 64500'],
      },
    ],
    [
      'the daemon in its own words',
      { ...peer(), extra: '# own words' },
      { frr: ['# own words'], bird: ['# own words'], gobgp: ['# own words'], openbgpd: ['# own words'] },
    ],
  ];
  const cases = rows.flatMap(([option, options, lines]) =>
    (Object.keys(DAEMONS) as Daemon[]).map((daemon) => [option, daemon, options, lines[daemon]] as const),
  );
  test.each(cases)('%s, %s', (_option, daemon, options, lines) => {
    expect(added(daemon, options)).toEqual(lines);
  });
});

describe('families, filters, ranges, own prefixes', () => {
  test('one family only: the other is not activated', () => {
    const options = peer({ families: [6] });
    const [before = '', after = ''] = frrConfig(options).split('address-family ipv6 unicast');
    expect(before).not.toContain('activate');
    expect(after).toContain('neighbor 192.0.2.2 activate');
    expect(birdConfig(options).slice(birdConfig(options).indexOf('protocol bgp'))).not.toContain('ipv4 {');
    expect(gobgpConfig(options)).not.toContain('ipv4-unicast');
    expect(openbgpdConfig(options, 's')).toContain('announce IPv4 none');
  });

  test('a filter accepts what lies inside and nothing else', () => {
    const options = peer({ importPrefixes: ['203.0.113.0/24', '203.0.114.1/32', '2001:db8:53::/64'] });
    expect(added('frr', options)).toEqual([
      'ip prefix-list IN-192-0-2-2 permit 203.0.113.0/24 le 32',
      'ip prefix-list IN-192-0-2-2 permit 203.0.114.1/32',
      'ipv6 prefix-list IN-192-0-2-2 permit 2001:db8:53::/64 le 128',
      'neighbor 192.0.2.2 prefix-list IN-192-0-2-2 in',
      'neighbor 192.0.2.2 prefix-list IN-192-0-2-2 in',
    ]);
    expect(added('bird', options)).toEqual([
      'import where net ~ [ 203.0.113.0/24+, 203.0.114.1/32+ ];',
      'import where net ~ [ 2001:db8:53::/64+ ];',
    ]);
    expect(added('openbgpd', options)).toEqual([
      'allow from 192.0.2.2 prefix 203.0.113.0/24 prefixlen <= 32',
      'allow from 192.0.2.2 prefix 203.0.114.1/32 prefixlen <= 32',
      'allow from 192.0.2.2 prefix 2001:db8:53::/64 prefixlen <= 128',
    ]);
    const gobgp = added('gobgp', options);
    expect(gobgp.filter((line) => line.startsWith('masklength'))).toEqual([
      'masklength-range = "24..32"',
      'masklength-range = "32..32"',
      'masklength-range = "64..128"',
    ]);
    expect(gobgp.filter((line) => line.startsWith('route-disposition'))).toEqual([
      'route-disposition = "accept-route"',
      'route-disposition = "accept-route"',
      'route-disposition = "reject-route"',
    ]);
    expect(birdConfig(peer({ importPrefixes: ['203.0.113.0/24'] }))).toContain('import none;');
  });

  test('a listen range', () => {
    const options = { ...BASE, listenRanges: [{ range: '192.0.2.0/24', asn: 65_001 }] };
    expect(frrConfig(options)).toContain(' neighbor RANGE0 peer-group\n neighbor RANGE0 remote-as 65001\n');
    expect(frrConfig(options)).toContain(' bgp listen range 192.0.2.0/24 peer-group RANGE0\n');
    expect(birdConfig(options)).toContain(
      'neighbor range 192.0.2.0/24 as 65001;\n  dynamic name "dynamic0x";',
    );
    expect(gobgpConfig(options)).toContain('    prefix = "192.0.2.0/24"\n    peer-group = "range0"');
    expect(openbgpdConfig(options, 's')).toContain('neighbor 192.0.2.0/24 {\n  remote-as 65001\n');
  });

  test.each(['gobgp', 'openbgpd'] as const)('%s says that a range cannot have a password', (daemon) => {
    const listenRanges = [{ range: '192.0.2.0/24', asn: 65_001, password: 'x' }];
    expect(() => DAEMONS[daemon]({ ...BASE, listenRanges })).toThrow(
      'cannot have a password on a listen range',
    );
  });

  test('own prefixes, each in its family', () => {
    const options = { ...BASE, originates: ['203.0.113.1/32', '2001:db8:53::1/128'] };
    expect(frrConfig(options)).toMatch(
      /ipv4 unicast\n {2}network 203\.0\.113\.1\/32\n[^]*ipv6 unicast\n {2}network 2001:db8:53::1\/128\n/,
    );
    expect(birdConfig(options)).toContain('static originated4 {\n  ipv4;\n  route 203.0.113.1/32 blackhole;');
    expect(birdConfig(options)).toContain(
      'static originated6 {\n  ipv6;\n  route 2001:db8:53::1/128 blackhole;',
    );
    expect(openbgpdConfig(options, 's')).toContain('network 203.0.113.1/32\nnetwork 2001:db8:53::1/128');
  });

  test.each([
    ['off', ' neighbor 192.0.2.2 graceful-restart-disable', '  graceful restart off;'],
    ['helper', ' neighbor 192.0.2.2 graceful-restart-helper', '  graceful restart aware;'],
    ['full', ' neighbor 192.0.2.2 graceful-restart', '  graceful restart on;'],
  ] as const)('graceful restart: %s', (gracefulRestart, frr, bird) => {
    expect(frrConfig(peer({ gracefulRestart })).split('\n')).toContain(frr);
    expect(birdConfig(peer({ gracefulRestart })).split('\n')).toContain(bird);
  });
});

describe('what has to be taken away from a running FRR', () => {
  const two: RouterOptions = {
    ...BASE,
    neighbors: [
      { address: '192.0.2.2', asn: 65_001 },
      { address: '192.0.2.3', asn: 65_002 },
    ],
  };
  const rows: [what: string, before: RouterOptions, after: RouterOptions, removals: string][] = [
    ['nothing', peer(), peer(), ''],
    ['nothing when something is only added', peer(), two, ''],
    ['a neighbour, in one command', two, peer(), 'router bgp 64500\nno neighbor 192.0.2.3\nexit'],
    [
      'a password',
      peer({ password: 'x' }),
      peer(),
      'router bgp 64500\nno neighbor 192.0.2.2 password x\nexit',
    ],
    ['nothing when a password changes', peer({ password: 'x' }), peer({ password: 'y' }), ''],
    ['nothing when a timer changes', peer({ holdTimeSeconds: 30 }), peer(), ''],
    [
      'ADD-PATH of one family',
      peer({ addPathSend: [4, 6] }),
      peer({ addPathSend: [4] }),
      'router bgp 64500\naddress-family ipv6 unicast\nno neighbor 192.0.2.2 addpath-tx-all-paths\nexit\nexit',
    ],
    [
      'a negated line comes back',
      peer({ addPathReceive: [] }),
      peer({ addPathReceive: [4] }),
      'router bgp 64500\naddress-family ipv4 unicast\nno neighbor 192.0.2.2 disable-addpath-rx\nexit\nexit',
    ],
    [
      'an own prefix',
      { ...peer(), originates: ['203.0.113.1/32'] },
      peer(),
      'router bgp 64500\naddress-family ipv4 unicast\nno network 203.0.113.1/32\nexit\nexit',
    ],
  ];
  test.each(rows)('%s', (_what, before, after, removals) => {
    expect(frrRemovals(frrConfig(before), frrConfig(after))).toBe(removals);
  });
});
