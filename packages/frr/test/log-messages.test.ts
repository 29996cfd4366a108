// Messages of bgpd as they stand in its source (FRR 10.3), at every priority and in every surrounding: what
// they become, and that nothing but the two known noises is ever dropped.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets, parseLog } from '../src/index.ts';
import type { LogEvent, LogLevel } from '../src/index.ts';

const AT = '2026/12/01 21:37:01.003';
const line = (priority: string, text: string, tag = '[AAAAA-BBBBB]'): string =>
  `${AT} ${priority}: BGP: ${tag} ${text}`;

describe('a priority', () => {
  it.each<[string, LogLevel]>([
    ['emergencies', 'error'],
    ['alerts', 'error'],
    ['critical', 'error'],
    ['errors', 'error'],
    ['warnings', 'warn'],
    ['notifications', 'info'],
    ['informational', 'info'],
    ['debugging', 'debug'],
    ['unheardof', 'info'],
  ])('%s is level %s', (priority, level) => {
    expect(parseLog(line(priority, 'x'))).toEqual({ level, message: 'x', event: undefined });
  });

  it.each([
    ['with an error code, known', line('informational', 'x', '[AAAAA-BBBBB][EC 33554438]'), 'info'],
    ['unknown, with an error code', line('unheardof', 'x', '[AAAAA-BBBBB][EC 33554438]'), 'warn'],
    ['absent, with an error code', `${AT} BGP: [AAAAA-BBBBB][EC 33554438] x`, 'warn'],
    ['absent', `${AT} BGP: [AAAAA-BBBBB] x`, 'info'],
  ])('%s', (_, text, level) => {
    expect(parseLog(text)).toEqual({ level, message: 'x', event: undefined });
  });
});

describe('the form of a line', () => {
  it.each([
    ['without fractions of a second', '2026/12/01 21:37:01 informational: BGP: [AAAAA-BBBBB] x', 'x'],
    ['with microseconds', '2026/12/01 21:37:01.003123 informational: BGP: [AAAAA-BBBBB] x', 'x'],
    ['without a tag', `${AT} informational: BGP: x`, 'x'],
    ['with a tag and no space', `${AT} informational: BGP: [AAAAA-BBBBB]x`, 'x'],
    ['of zebra', `${AT} informational: ZEBRA: [AAAAA-BBBBB] x`, 'x'],
    ['with spaces behind', `${line('informational', 'x')}  \r\n`, 'x'],
    ['with colons', line('informational', 'a: b: c'), 'a: b: c'],
    ['with brackets', line('informational', '[a] [b]'), '[a] [b]'],
    ['without a date', 'informational: BGP: x', 'informational: BGP: x'],
    ['of another date', '2026-12-01 21:37:01 BGP: x', '2026-12-01 21:37:01 BGP: x'],
    ['of a crash', 'BGP: Received signal 11 at 1796161584', 'BGP: Received signal 11 at 1796161584'],
    ['of a backtrace', '    /usr/lib/frr/bgpd(+0x1234)', '/usr/lib/frr/bgpd(+0x1234)'],
  ])('%s', (_, text, message) => {
    expect(parseLog(text)?.message).toBe(message);
  });

  it('any text that is not empty is a message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(parseLog(text) === undefined).toBe(text.trim() === '');
      }),
    );
  });
});

const session = (address: string, instance: string, cause: string): LogEvent => ({
  kind: 'session',
  address,
  instance,
  up: cause === '',
  cause,
});

describe('a session', () => {
  it.each([
    'Interface down',
    'Neighbor deleted',
    'BGP Notification send',
    'BGP Notification received',
    'Hold Timer Expired',
    'Peer closed the session',
    'User reset',
    'Admin. shutdown',
    'Address family activated',
    'Password change',
    'Router ID changed',
    'Remote AS changed',
    'Local AS change',
    'Multihop change',
    'Update source change',
    'Waiting for NHT, no path to neighbor present',
    'No AFI/SAFI activated for peer',
    'NSF peer closed the session',
    'Graceful Restart Helper',
  ])('goes down: %s', (cause) => {
    const message = `%ADJCHANGE: neighbor 192.0.2.2(tor-1) in vrf default Down ${cause}`;
    expect(parseLog(line('informational', message))).toEqual({
      level: 'info',
      message,
      event: session('192.0.2.2', 'default', cause),
    });
  });

  it.each<[string, LogEvent]>([
    ['neighbor 192.0.2.2(tor) in vrf default Up', session('192.0.2.2', 'default', '')],
    ['neighbor 192.0.2.2(Unknown) in vrf default Up', session('192.0.2.2', 'default', '')],
    ['neighbor 192.0.2.2() in vrf default Up', session('192.0.2.2', 'default', '')],
    ['neighbor 2001:db8::2(tor.example.com) in vrf plain-7 Up', session('2001:db8::2', 'plain-7', '')],
    ['neighbor 127.0.0.2(Unknown) in vrf default Up', session('127.0.0.2', 'default', '')],
    [
      'neighbor fd09::2(a) in vrf plain-12345 Down User reset',
      session('fd09::2', 'plain-12345', 'User reset'),
    ],
  ])('%s', (text, event) => {
    expect(parseLog(line('informational', `%ADJCHANGE: ${text}`))?.event).toEqual(event);
  });

  it.each([
    'ADJCHANGE: neighbor 192.0.2.2(tor) in vrf default Up',
    '%ADJCHANGE: neighbor 192.0.2.2 in vrf default Up',
    '%ADJCHANGE: neighbor 192.0.2.2(tor) Up',
    '%ADJCHANGE: neighbor 192.0.2.2(tor) in vrf default Sideways',
    'see %ADJCHANGE: neighbor 192.0.2.2(tor) in vrf default Up',
    '%MAXPFX: No. of IPv4 Unicast prefix received from 192.0.2.2 1001 exceed, limit 1000',
  ])('is not spoken of in: %s', (text) => {
    expect(parseLog(line('informational', text))).toEqual({ level: 'info', message: text, event: undefined });
  });
});

describe('an End-of-RIB', () => {
  it.each([
    ['rcvd End-of-RIB for IPv4 Unicast from 127.0.0.2 in vrf default', '127.0.0.2', 4],
    ['rcvd End-of-RIB for IPv6 Unicast from 127.0.0.2 in vrf default', '127.0.0.2', 6],
    ['bgp_update_receive: rcvd End-of-RIB for IPv4 Unicast from fd09::2 in vrf plain-7', 'fd09::2', 4],
  ] as const)('%s', (text, address, family) => {
    expect(parseLog(line('informational', text))?.event).toEqual({ kind: 'end-of-rib', address, family });
  });

  it.each([
    'rcvd End-of-RIB for L2VPN EVPN from 127.0.0.2 in vrf default',
    'rcvd End-of-RIB for IPv4 Multicast from 127.0.0.2 in vrf default',
    'send End-of-RIB for IPv4 Unicast to 192.0.2.2',
    'rcvd End-of-RIB for IPv4 Unicast from',
  ])('is not: %s', (text) => {
    expect(parseLog(line('informational', text))?.event).toBeUndefined();
  });
});

const NOISES = [
  'bgp_zebra_label_manager_connect: failed connecting synchronous zclient!',
  'sendmsg_nexthop: zclient_send_message() failed',
];

describe.each(NOISES)('the noise "%s"', (noise) => {
  it.each([
    ['a warning', line('warnings', noise)],
    ['a warning with an error code', line('warnings', noise, '[AAAAA-BBBBB][EC 33554500]')],
    ['an error', line('errors', noise)],
    ['before priorities', `${AT} BGP: [AAAAA-BBBBB] ${noise}`],
    ['alone', noise],
    ['with spaces behind', `${line('warnings', noise)}   `],
  ])('is dropped as %s', (_, text) => {
    expect(parseLog(text)).toBeUndefined();
  });

  it.each([
    ['more behind it', `${noise} (errno 111)`],
    ['more in front of it', `192.0.2.2: ${noise}`],
    ['another case', noise.toUpperCase()],
    ['its first half', noise.slice(0, noise.indexOf(':') + 1)],
    ['its second half', noise.slice(noise.indexOf(':') + 2)],
    ['a point', `${noise}.`],
    ['itself twice', `${noise} ${noise}`],
    ['another function', noise.replace(/^\w+/, 'bgp_zebra_other')],
    ['a space more', noise.replace(': ', ':  ')],
    ['quotes', `"${noise}"`],
  ])('is kept with %s', (_, text) => {
    expect(parseLog(line('warnings', text))).toEqual({ level: 'warn', message: text, event: undefined });
  });
});

describe('what must never be dropped', () => {
  it.each([
    'zclient_send_message() failed',
    'sendmsg_zebra_rnh: zclient_send_message() failed',
    'bgp_zebra_announce: zclient_send_message() failed',
    'failed connecting synchronous zclient!',
    'zclient_socket_connect: failed',
    '192.0.2.2 [Error] bgp_read_packet error: Connection reset by peer',
    '192.0.2.2 unrecognized capability code: 128 - ignored',
    '192.0.2.2 [FSM] Timer (holdtime timer expire)',
    'bgp_connect: 192.0.2.2: Host Unreachable',
    'Martian nexthop 0.0.0.0',
    'DENIED due to: martian or self next-hop;',
    'can not set TCP_MD5SIG option on socket 20: Operation not permitted',
    'bgp_process_main_one: Path attributes too long',
    'SLOW THREAD: task bgp_process_packet (55b0) ran for 5423ms (cpu time 5001ms)',
    'Terminating on signal',
    'Attr Cluster-id 127.0.0.2 denied',
    '%NOTIFICATION: sent to neighbor 192.0.2.2 4/0 (Hold Timer Expired) 0 bytes',
    '%NOTIFICATION: received from neighbor 192.0.2.2 6/1 (Cease/Maximum Number of Prefixes Reached) 7 bytes',
  ])('%s', (text) => {
    for (const priority of ['errors', 'warnings', 'informational', 'debugging']) {
      expect(parseLog(line(priority, text))?.message).toBe(text);
    }
  });
});

describe('a password', () => {
  const secret = 'geheim$1"2';

  it.each([
    ['a command', `neighbor 192.0.2.2 password ${secret}`],
    ['a command taken back', `no neighbor 192.0.2.2 password ${secret}`],
    ['an indented line', `  neighbor 192.0.2.2 password ${secret}`],
    ['a complaint', `% Unknown command: neighbor 192.0.2.2 password ${secret}`],
    ['a line number', `line 7: % Unknown command: neighbor 192.0.2.2 password ${secret}`],
    ['two spaces', `neighbor 192.0.2.2 password  ${secret}`],
    ['a tab', `neighbor 192.0.2.2 password\t${secret}`],
    ['several words', `neighbor 192.0.2.2 password ${secret} and ${secret}`],
    ['several lines', `a password ${secret}\nb password ${secret}`],
    ['lines of Windows', `a password ${secret}\r\nb password ${secret}\r\nc`],
    ['a password called password', `neighbor 192.0.2.2 password password ${secret}`],
    ['a running configuration', `router bgp 1\n neighbor a password ${secret}\n neighbor a timers 1 3`],
  ])('is hidden in %s', (_, text) => {
    const masked = maskSecrets(text);
    expect(masked).not.toContain('geheim');
    expect(masked).toContain('********');
    expect(masked.split('\n')).toHaveLength(text.split('\n').length);
    expect(maskSecrets(masked)).toBe(masked);
    expect(parseLog(line('errors', text.split('\n')[0] ?? ''))?.message).not.toContain('geheim');
  });

  it.each([
    'password',
    'no neighbor 192.0.2.2 password',
    'passwords are hidden',
    'Password change',
    '',
    'x\ny',
  ])('is not seen where there is none: %j', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it('of any form never comes through', () => {
    const visible = fc.string({
      unit: fc.constantFrom('a', 'b', '#', '$', '"', "'", '\\', '%', '{', '}'),
      minLength: 4,
    });
    fc.assert(
      fc.property(visible, (password) => {
        expect(maskSecrets(`x neighbor 192.0.2.2 password ${password}`)).toBe(
          'x neighbor 192.0.2.2 password ********',
        );
      }),
    );
  });
});
