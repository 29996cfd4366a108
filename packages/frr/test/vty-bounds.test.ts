// The vty socket at its bounds: answers in single bytes, answers that never end or never come, and exactly
// which commands each question sends.

import { constants } from 'node:buffer';
import { address, prefix } from '@herald/net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  VTY_BOUNDS,
  VtySession,
  readMarkerSeen,
  readMemory,
  readPrefix,
  readSessions,
  readTable,
  redialFeed,
  runShow,
} from '../src/index.ts';
import type { CommandGroup, VtySettings } from '../src/index.ts';
import { runGroups } from '../src/apply/io/run-groups.ts';
import { answerBytes, startFakeBgpd } from './fake-bgpd.ts';
import type { FakeBgpd, Reply } from './fake-bgpd.ts';

let open: FakeBgpd | undefined;
afterEach(() => open?.close());

async function fakeBgpd(reply: Reply, bounds: Partial<VtySettings> = {}): Promise<FakeBgpd> {
  open = await startFakeBgpd(reply, bounds);
  return open;
}

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const always =
  (text: string, status = 0): Reply =>
  (_command, socket) => {
    socket.write(answerBytes({ status, text }));
  };

describe('the bounds', () => {
  it('let no answer grow longer than a string can be, even with the piece that goes beyond them', () => {
    const longestPiece = 16 * 1024 * 1024;
    expect(VTY_BOUNDS.maxAnswerBytes + longestPiece).toBeLessThan(constants.MAX_STRING_LENGTH);
  });
});

describe('an answer', () => {
  it.each([
    ['empty', 0, ''],
    ['short', 0, 'ok\n'],
    ['of several bytes a character', 0, 'größer ≥ 😀\n'],
    ['refused', 13, '% Unknown command\n'],
    ['with the largest status', 255, 'x'],
    ['with a status that is a NUL and text before it', 0, 'a\u0001b'],
  ])('that is %s is whole, byte by byte', async (_, status, text) => {
    const { settings } = await fakeBgpd((_command, socket) => {
      for (const byte of answerBytes({ status, text })) {
        socket.write(Buffer.from([byte]));
      }
    });
    const session = new VtySession(settings);
    expect(await session.ask('a')).toEqual({ status, text });
    expect(await session.ask('b')).toEqual({ status, text });
    session.close();
  });

  it('that comes with the next one in a single piece goes to the right question', async () => {
    let asked = 0;
    const { settings } = await fakeBgpd((command, socket) => {
      asked += 1;
      socket.write(answerBytes({ status: asked, text: command }));
    });
    const session = new VtySession(settings);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => session.ask(`c${index}`)));
    session.close();
    expect(answers).toEqual(
      Array.from({ length: 20 }, (_, index) => ({ status: index + 1, text: `c${index}` })),
    );
  });

  // The three NULs count as well until the status comes.
  it.each([1, 500, 996, 997])('of %d bytes is within a bound of 1000', async (bytes) => {
    const { settings } = await fakeBgpd(
      (_command, socket) => {
        socket.write('x'.repeat(bytes), () => socket.write(Buffer.from([0, 0, 0, 0])));
      },
      { maxAnswerBytes: 1000 },
    );
    const session = new VtySession(settings);
    expect((await session.ask('show')).text).toHaveLength(bytes);
    session.close();
  });

  it.each([1001, 1004, 100_000])('that has %d bytes and no end breaks a bound of 1000', async (bytes) => {
    const { settings } = await fakeBgpd(
      (_command, socket) => {
        socket.write('x'.repeat(bytes));
      },
      { maxAnswerBytes: 1000 },
    );
    const session = new VtySession(settings);
    const outcomes = await Promise.all([session.ask('show'), session.ask('next')].map(failure));
    expect(outcomes).toMatchObject([
      { code: 'AnswerTooLong', command: 'show', message: 'bgpd vty, command "show": more than 1000 bytes' },
      { code: 'AnswerTooLong', command: 'next' },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['half of it', 'half'],
    ['all but the status', 'all\0\0\0'],
    ['two of three NULs', 'x\0\0'],
  ])('of which %s comes is not waited for without end', async (_, text) => {
    const { settings } = await fakeBgpd(
      (_command, socket) => {
        socket.write(text);
      },
      { answerTimeoutMs: 20 },
    );
    const session = new VtySession(settings);
    const outcomes = await Promise.all([session.ask('a'), session.ask('b')].map(failure));
    expect(outcomes).toMatchObject([
      { code: 'Timeout', command: 'a', message: 'bgpd vty, command "a": no answer within 20 ms' },
      { code: 'Timeout', command: 'b' },
    ]);
    expect(await failure(session.ask('c'))).toMatchObject({ code: 'Unreachable' });
  });
});

describe('a session that was closed', () => {
  it('says so to who waits and to who asks', async () => {
    const { settings, commands } = await fakeBgpd(() => undefined);
    const session = new VtySession(settings);
    const waiting = failure(session.ask('a'));
    session.close();
    session.close();
    expect(await waiting).toMatchObject({ code: 'Unreachable', command: 'a' });
    expect(await failure(session.ask('b'))).toMatchObject({
      message: 'bgpd vty, command "b": this session was closed',
    });
    expect(commands).not.toContain('b');
  });
});

describe('a question', () => {
  const EMPTY = '{}';

  it.each<[string, (vty: VtySettings) => Promise<unknown>, string, string]>([
    ['sessions', readSessions, 'show bgp vrf all neighbors json', EMPTY],
    [
      'the shared IPv4 table',
      (vty) => readTable(vty, 'default', 4),
      'show bgp ipv4 unicast detail json',
      EMPTY,
    ],
    [
      'the shared IPv6 table',
      (vty) => readTable(vty, 'default', 6),
      'show bgp ipv6 unicast detail json',
      EMPTY,
    ],
    [
      'the table of a view',
      (vty) => readTable(vty, 'plain-7', 4),
      'show bgp view plain-7 ipv4 unicast detail json',
      EMPTY,
    ],
    [
      'one prefix',
      (vty) => readPrefix(vty, 'default', prefix('203.0.113.1/32')),
      'show bgp ipv4 unicast 203.0.113.1/32 json',
      EMPTY,
    ],
    [
      'one IPv6 prefix of a view',
      (vty) => readPrefix(vty, 'plain-7', prefix('2001:DB8::/64')),
      'show bgp view plain-7 ipv6 unicast 2001:db8::/64 json',
      EMPTY,
    ],
    [
      'the marker',
      (vty) => readMarkerSeen(vty, 'default', '1:2:3'),
      'show bgp ipv4 unicast 192.0.0.8/32 json',
      EMPTY,
    ],
    [
      'the marker of a view',
      (vty) => readMarkerSeen(vty, 'plain-7', '1:2:3'),
      'show bgp view plain-7 ipv4 unicast 192.0.0.8/32 json',
      EMPTY,
    ],
    ['memory', readMemory, 'show memory', ''],
    [
      'for a new attempt',
      (vty) => redialFeed(vty, 'plain-7', address('127.1.0.7')),
      'clear bgp view plain-7 127.1.0.7',
      '',
    ],
  ])('about %s is one command', async (_, ask, command, text) => {
    const { settings, commands } = await fakeBgpd(always(text));
    await ask(settings);
    expect(commands).toEqual(['enable', command]);
  });

  it.each([2, 3, 4, 13, 255])(
    'that is refused with status %d is an error with the words of bgpd',
    async (status) => {
      const { settings } = await fakeBgpd(always('% No such thing\n', status));
      expect(await failure(runShow(settings, 'show x'))).toMatchObject({
        name: 'VtyError',
        code: 'Rejected',
        command: 'show x',
        message: 'bgpd vty, command "show x": % No such thing',
      });
    },
  );

  it('that bgpd warns about is answered', async () => {
    const { settings } = await fakeBgpd(always('warned', 1));
    expect(await runShow(settings, 'show x')).toBe('warned');
  });
});

const group = (...commands: string[]): CommandGroup => ({ subject: { kind: 'filters' }, commands });

describe('groups of commands', () => {
  const GROUPS = [group('a1', 'a2', 'a3'), group('b1'), group('c1 password geheim', 'c2')];
  const IN = ['enable', 'configure terminal'];

  it.each<[string, string | undefined, string[], string[]]>([
    ['nothing', undefined, [...IN, 'a1', 'a2', 'a3', 'b1', 'c1 password geheim', 'c2', 'end'], []],
    ['a1', 'a1', [...IN, 'a1', 'end', ...IN, 'b1', 'c1 password geheim', 'c2', 'end'], ['a1']],
    ['a2', 'a2', [...IN, 'a1', 'a2', 'end', ...IN, 'b1', 'c1 password geheim', 'c2', 'end'], ['a2']],
    ['b1', 'b1', [...IN, 'a1', 'a2', 'a3', 'b1', 'end', ...IN, 'c1 password geheim', 'c2', 'end'], ['b1']],
    [
      'a password',
      'c1 password geheim',
      [...IN, 'a1', 'a2', 'a3', 'b1', 'c1 password geheim', 'end', ...IN, 'end'],
      ['c1 password ********'],
    ],
  ])(
    'of which bgpd refuses %s: the rest of that group is left out, no more',
    async (_, bad, sent, refused) => {
      const { settings, commands } = await fakeBgpd((command, socket) => {
        socket.write(answerBytes({ status: command === bad ? 2 : 0, text: `% ${command}` }));
      });
      const session = new VtySession(settings);
      const problems = await runGroups(session, GROUPS);
      session.close();
      expect(commands).toEqual(sent);
      expect(problems.map(({ command }) => command)).toEqual(refused);
      expect(JSON.stringify(problems)).not.toContain('geheim');
    },
  );
});
