// The lab's dealings with this machine that need no namespace: records, locks, processes, sockets, versions.

import { mkdtempSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CommandError, run, tryRun } from '../src/command.ts';
import { aptMirror, isAtLeast, parseFrrVersion, rootFolderName } from '../src/frr-root.ts';
import { Ledger, isRunning, parseStartTime, processStartTime, sweepStaleLabs } from '../src/ledger.ts';
import { takeLock } from '../src/lock.ts';
import { masqueradeRules } from '../src/namespace.ts';
import { Program } from '../src/program.ts';
import { sandboxScript } from '../src/sandbox.ts';
import { vtyCommand, vtyJson } from '../src/vty.ts';
import { WaitError, notYet, waitFor } from '../src/wait-for.ts';

const folder = mkdtempSync(join(tmpdir(), 'lab-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
function newFolder(): string {
  folders += 1;
  const path = join(folder, String(folders));
  mkdirSync(path);
  return path;
}

describe('run', () => {
  test('gives standard output and passes standard input', async () => {
    expect(await run(['cat'], { input: 'hello' })).toBe('hello');
  });

  test('says which command failed, how, and what it said', async () => {
    const failure = run(['sh', '-c', 'echo broken >&2; exit 3']);
    await expect(failure).rejects.toThrow(CommandError);
    await expect(failure).rejects.toMatchObject({ exitCode: 3, stderr: 'broken\n' });
    await expect(run(['false', 'with\nscript'])).rejects.toThrow('false (script): exit 1: no message');
  });

  test('a program that does not exist, or does not end, is an error as well', async () => {
    await expect(run(['no-such-program-here'])).rejects.toThrow('ENOENT');
    await expect(run(['sleep', '60'], { timeoutMs: 20 })).rejects.toThrow('exit by signal');
    expect(await tryRun(['false'])).toBeUndefined();
  });
});

describe('waitFor', () => {
  test('gives the first value that holds', async () => {
    let looks = 0;
    const value = await waitFor('three looks', () => {
      looks += 1;
      return looks === 3 ? 'there' : undefined;
    });
    expect([value, looks]).toEqual(['there', 3]);
  });

  test.each([
    ['a value', () => notYet({ nextHops: ['192.0.2.1'] }), "{ nextHops: [ '192.0.2.1' ] }"],
    ['undefined', () => undefined, 'undefined'],
    ['false', () => false as const, 'false'],
    [
      'an exception',
      () => {
        throw new Error('refused');
      },
      'refused',
    ],
  ])('says what was seen last: %s', async (_what, probe, seen) => {
    const waiting = waitFor('the sun', probe, 30);
    await expect(waiting).rejects.toThrow(WaitError);
    await expect(waiting).rejects.toThrow(`waited 30 ms for: the sun; last seen: ${seen}`);
  });

  test('zero and the empty string are values', async () => {
    expect(await waitFor('zero', () => 0)).toBe(0);
    expect(await waitFor('empty', () => '')).toBe('');
  });
});

describe('the ledger', () => {
  test('destroys what it recorded and forgets itself', async () => {
    const state = newFolder();
    const made = newFolder();
    const kept = newFolder();
    const ledger = new Ledger('one', state);
    ledger.addDirectory(made);
    const sleeper = new Program(ledger, 'sleep', ['sleep', '1000']);
    expect(readdirSync(state)).toEqual(['one.json']);
    ledger.destroy();
    expect(await sleeper.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect([existsSync(made), existsSync(kept), readdirSync(state)]).toEqual([false, true, []]);
    expect(ledger.isDestroyed).toBe(true);
  });

  test('sweeps labs of dead processes only', () => {
    const state = newFolder();
    const [mine, orphaned] = [newFolder(), newFolder()];
    const ledger = new Ledger('mine', state);
    ledger.addDirectory(mine);
    const dead = { owner: { pid: process.pid, startTime: '1' }, namespaces: [], processes: [] };
    writeFileSync(join(state, 'dead.json'), JSON.stringify({ ...dead, directories: [orphaned] }));
    writeFileSync(join(state, 'half.json'), '{"owner":');
    expect(sweepStaleLabs(state)).toBe(1);
    expect([existsSync(mine), existsSync(orphaned)]).toEqual([true, false]);
    expect(readdirSync(state).sort()).toEqual(['half.json', 'mine.json']);
    ledger.destroy();
  });

  test('a pid that was given to somebody else is left alone', async () => {
    const state = newFolder();
    const owner = new Ledger('owner', state);
    const innocent = new Program(owner, 'sleep', ['sleep', '1000']);
    const entry = { pid: innocent.pid, startTime: '1' };
    const dead = { owner: { pid: 999_999_999, startTime: '1' }, namespaces: [], directories: [] };
    writeFileSync(join(state, 'dead.json'), JSON.stringify({ ...dead, processes: [entry] }));
    expect(sweepStaleLabs(state)).toBe(1);
    expect(isRunning({ pid: innocent.pid, startTime: processStartTime(innocent.pid) ?? '' })).toBe(true);
    owner.destroy();
    await innocent.exited;
  });

  test('no state folder: nothing to sweep', () => {
    expect(sweepStaleLabs(join(folder, 'none'))).toBe(0);
  });

  test.each([
    ['4242 (bgpd) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20', '777'],
    ['4242 (odd ) name (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 778 20', '778'],
    ['4242 (gone) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 779 20', undefined],
  ])('start time of %s', (stat, startTime) => {
    expect(parseStartTime(stat)).toBe(startTime);
  });
});

describe('a lock', () => {
  test('is held by one, and passed on', async () => {
    const path = join(newFolder(), 'lock');
    const order: string[] = [];
    const release = await takeLock(path, () => order.push('never'));
    const second = takeLock(path, () => {
      order.push('waits');
      release();
    });
    (await second)();
    expect(order).toEqual(['waits']);
    expect(existsSync(path)).toBe(false);
  });

  test('of a dead holder is taken over', async () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, startTime: '1' }));
    const release = await takeLock(path, () => {});
    release();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a program', () => {
  const ledger = new Ledger('programs', newFolder());
  afterAll(() => ledger.destroy());
  const shell = (script: string): Program => new Program(ledger, 'shell', ['sh', '-c', script]);

  test('tells its lines and its end', async () => {
    const program = shell('echo one; echo two >&2; read word; echo "got $word"; exit 4');
    const heard: string[] = [];
    program.onLine((line, stream) => heard.push(`${stream} ${line}`));
    program.write('three\n');
    expect(await program.lineMatching(/^got/)).toBe('got three');
    expect(await program.lineMatching(/one/)).toBe('one');
    expect(await program.exited).toEqual({ code: 4, signal: null });
    expect(heard.sort()).toEqual(['stderr two', 'stdout got three', 'stdout one']);
    expect(program.isRunning).toBe(false);
  });

  test('a line that never comes is an error with what was printed', async () => {
    const program = shell('echo something else; exec sleep 1000');
    await program.lineMatching(/something/);
    await expect(program.lineMatching(/ready/, 20)).rejects.toThrow(
      'did not print /ready/ within 20 ms:\nsomething else',
    );
    program.kill();
    await expect(program.lineMatching(/ready/)).rejects.toThrow('before it ended');
  });

  test('stops when asked, even when paused; is killed when it does not', async () => {
    const polite = shell('trap "exit 7" TERM; echo up; while :; do sleep 0.01; done');
    await polite.lineMatching(/up/);
    polite.pause();
    expect(await polite.stop()).toEqual({ code: 7, signal: null });
    const stubborn = shell('trap "" TERM; echo up; while :; do sleep 0.01; done');
    await stubborn.lineMatching(/up/);
    expect(await stubborn.stop(30)).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('that does not exist ends at once', async () => {
    const program = new Program(ledger, 'nobody', ['no-such-program-here']);
    expect(await program.exited).toEqual({ code: null, signal: null });
    expect(() => program.pid).toThrow('nobody did not start: spawn no-such-program-here ENOENT');
  });
});

describe('vty', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** Answers each command with pieces, as the kernel may cut them. */
  function daemon(pieces: readonly Buffer[]): Promise<string> {
    const path = join(newFolder(), 'x.vty');
    server = createServer((socket) => {
      socket.setNoDelay(true);
      socket.once('data', (command: Buffer) => {
        if (command.at(-1) !== 0) return;
        const send = (index: number): void => {
          const piece = pieces[index];
          if (piece === undefined) socket.end();
          else socket.write(piece, () => setImmediate(send, index + 1));
        };
        send(0);
      });
    });
    return new Promise((resolve) => {
      server?.listen(path, () => resolve(path));
    });
  }

  const answer = Buffer.from('{"a":1}\n\0\0\0\0');
  test('an answer is the same wherever it is cut', async () => {
    for (let cut = 0; cut < answer.length; cut += 1) {
      const path = await daemon(
        [answer.subarray(0, cut), answer.subarray(cut)].filter((piece) => piece.length > 0),
      );
      expect(await vtyJson(path, 'show x json')).toEqual({ a: 1 });
      server?.close();
    }
    expect(await vtyCommand(await daemon([...answer].map((byte) => Buffer.from([byte]))), 'show x')).toBe(
      '{"a":1}\n',
    );
  });

  test.each([
    ['closed early', [Buffer.from('half')], 'closed before the answer ended'],
    ['no JSON', [Buffer.from('% Unknown command\0\0\0\x02')], 'no JSON: % Unknown command'],
  ])('%s', async (_what, pieces, message) => {
    await expect(vtyJson(await daemon(pieces), 'show x')).rejects.toThrow(message);
  });

  test('no daemon', async () => {
    await expect(vtyCommand(join(folder, 'none.vty'), 'show x')).rejects.toThrow(
      'vty command "show x": connect ENOENT',
    );
  });
});

describe('the root folder of FRR', () => {
  test.each([
    ['bgpd version 8.4.4', '8.4.4', false],
    ['bgpd version 9.0', '9.0', false],
    ['bgpd version 9.1', '9.1', true],
    ['bgpd version 10.3\nCopyright', '10.3', true],
    ['bgpd version 10.5.1-my-build', '10.5.1', true],
  ])('%s', (text, version, serves) => {
    expect(parseFrrVersion(text)).toBe(version);
    expect(isAtLeast(version, [9, 1])).toBe(serves);
  });

  test('no version', () => {
    expect(parseFrrVersion('')).toBeUndefined();
  });

  test('is named by its packages', () => {
    expect(rootFolderName(['frr'])).toMatch(/^trixie-frr-[0-9a-f]{8}$/);
    expect(rootFolderName(['frr'])).not.toBe(rootFolderName(['frr', 'iproute2']));
  });

  test.each([
    ['the main archive', 'Other|http://x/|main\nDebian|http://m/debian/|main\n', 'http://m/debian/'],
    [
      'not the security archive',
      'Debian|http://m/debian-security/|main\nDebian|http://m/debian/|main',
      'http://m/debian/',
    ],
    ['not contrib', 'Debian|http://m/debian/|contrib\n', undefined],
    ['none', '', undefined],
  ])('mirror: %s', (_what, targets, mirror) => {
    expect(aptMirror(targets)).toBe(mirror);
  });
});

describe('texts', () => {
  test('masquerade rules name the family of each source', () => {
    const rules = masqueradeRules('eth0', ['10.244.1.0/24', 'fd00:244:1::/64']);
    expect(rules).toContain('    ip saddr 10.244.1.0/24 oifname "eth0" masquerade\n');
    expect(rules).toContain('    ip6 saddr fd00:244:1::/64 oifname "eth0" masquerade\n');
  });

  test('a sandbox ends in the program itself, with no right left', () => {
    const script = sandboxScript({
      root: '/srv/root',
      mountPoint: "/run/it's",
      readOnly: [{ source: '/repo', target: '/repo' }],
      writable: [{ source: '/run/shared', target: '/shared' }],
      rights: { uid: 65_532, gid: 65_532 },
    });
    const lines = script.split('\n');
    expect(lines.at(-1)).toBe(
      'exec setpriv --reuid=65532 --regid=65532 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs -- "$@"',
    );
    expect(script).toContain(String.raw`mount -o remount,bind,ro '/run/it'\''s/repo'`);
    expect(script).not.toContain(String.raw`remount,bind,ro '/run/it'\''s/shared'`);
    expect(lines.indexOf('pivot_root . .')).toBeGreaterThan(
      lines.findIndex((line) => line.startsWith('mount -o remount,ro ')),
    );
  });

  test('with the rights of root the program is simply run, with a /run to write to', () => {
    const script = sandboxScript({ root: '/', mountPoint: '/m', rights: 'root' });
    expect(script.split('\n').at(-1)).toBe('exec "$@"');
    expect(script).toContain("mount -t tmpfs -o mode=755 lab '/m/run'");
  });
});
