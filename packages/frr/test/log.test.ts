import { describe, expect, it } from 'vitest';
import { maskSecrets, parseLog } from '../src/index.ts';
import type { LogEvent, LogLevel } from '../src/index.ts';

const AT = '2026/12/01 21:37:01.003';

describe('a line of the log', () => {
  it.each<[string, LogLevel, string, LogEvent | undefined]>([
    [
      `${AT} informational: BGP: [N9HHH-F8H1M] %ADJCHANGE: neighbor 192.0.2.2(tor) in vrf default Up`,
      'info',
      '%ADJCHANGE: neighbor 192.0.2.2(tor) in vrf default Up',
      { kind: 'session', address: '192.0.2.2', instance: 'default', up: true, cause: '' },
    ],
    [
      `${AT} informational: BGP: [PXVXG-TFNNT] %ADJCHANGE: neighbor fd09::2(vm) in vrf plain-9 Down BGP Notification send`,
      'info',
      '%ADJCHANGE: neighbor fd09::2(vm) in vrf plain-9 Down BGP Notification send',
      {
        kind: 'session',
        address: 'fd09::2',
        instance: 'plain-9',
        up: false,
        cause: 'BGP Notification send',
      },
    ],
    [
      `${AT} informational: BGP: [M59KS-A3ZXZ] bgp_update_receive: rcvd End-of-RIB for IPv6 Unicast from 127.0.0.2 in vrf default`,
      'info',
      'bgp_update_receive: rcvd End-of-RIB for IPv6 Unicast from 127.0.0.2 in vrf default',
      { kind: 'end-of-rib', address: '127.0.0.2', family: 6 },
    ],
    [
      `${AT} errors: BGP: [SEH94-D8675][EC 33554438] Martian nexthop 0.0.0.0`,
      'error',
      'Martian nexthop 0.0.0.0',
      undefined,
    ],
    [
      `${AT} warnings: BGP: [JG0WZ-7X009][EC 33554504] 192.0.2.2 unrecognized capability code: 128 - ignored`,
      'warn',
      '192.0.2.2 unrecognized capability code: 128 - ignored',
      undefined,
    ],
    [
      '2026/12/01 21:37:00 BGP: [T83RR-8SM5G] bgpd 10.3 starting: vty@0, bgp@127.0.0.1:1790',
      'info',
      'bgpd 10.3 starting: vty@0, bgp@127.0.0.1:1790',
      undefined,
    ],
    [
      '2026/12/01 21:37:00 BGP: [AAAAA-BBBBB][EC 1] before priorities are logged',
      'warn',
      'before priorities are logged',
      undefined,
    ],
    ['% Invalid value', 'info', '% Invalid value', undefined],
  ])('%s', (line, level, message, event) => {
    expect(parseLog(line)).toEqual({ level, message, event });
    expect(parseLog(`${line}\r`)).toEqual({ level, message, event });
  });

  it.each([
    `${AT} warnings: BGP: [VMFZK-56S5Y] bgp_zebra_label_manager_connect: failed connecting synchronous zclient!`,
    `${AT} warnings: BGP: [YTHK0-FSPPJ][EC 33554500] sendmsg_nexthop: zclient_send_message() failed`,
    '2026/12/01 21:37:00 BGP: [YTHK0-FSPPJ][EC 33554500] sendmsg_nexthop: zclient_send_message() failed',
    '',
    '   ',
  ])('that is noise: %j', (line) => {
    expect(parseLog(line)).toBeUndefined();
  });

  it.each([
    `${AT} warnings: BGP: [AAAAA-BBBBB] bgp_zebra_label_manager_connect: failed connecting to label manager!`,
    `${AT} warnings: BGP: [AAAAA-BBBBB] sendmsg_zebra_rnh: zclient_send_message() failed`,
    `${AT} errors: BGP: [AAAAA-BBBBB] neighbor x: sendmsg_nexthop: zclient_send_message() failed`,
  ])('that only looks like noise is kept: %s', (line) => {
    expect(parseLog(line)).toBeDefined();
  });

  it('never holds a password', () => {
    const line = `${AT} errors: BGP: [SHWNK-NWT5S][EC 100663304] No such command on config line 64:  neighbor fd09::3 password geheim und mehr`;
    expect(parseLog(line)?.message).toBe(
      'No such command on config line 64:  neighbor fd09::3 password ********',
    );
  });
});

describe('secrets in any text', () => {
  it.each([
    ['neighbor 192.0.2.2 password geheim', 'neighbor 192.0.2.2 password ********'],
    ['a password one\nb password two\nc', 'a password ********\nb password ********\nc'],
    ['no neighbor 192.0.2.2 password', 'no neighbor 192.0.2.2 password'],
    ['nothing here', 'nothing here'],
  ])('%j', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });
});
