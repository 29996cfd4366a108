import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { VTY_BOUNDS, VtySession, runShow, runShowJson } from '../src/index.ts';
import type { VtySettings } from '../src/index.ts';
import { AnswerReader } from '../src/vty/answer.ts';
import { streamShowJson } from '../src/vty/io/run-show.ts';
import type { VtyAnswer } from '../src/vty/answer.ts';
import { answerBytes, startFakeBgpd } from './fake-bgpd.ts';
import type { FakeBgpd, Reply } from './fake-bgpd.ts';

describe('answers in the byte stream', () => {
  const ANSWERS: readonly VtyAnswer[] = [
    { status: 0, text: '' },
    { status: 0, text: '{"a":1}\n' },
    { status: 13, text: '% Invalid value\n' },
    { status: 0, text: 'größer\n' },
    { status: 2, text: '% Unknown command\n' },
  ];
  const stream = Buffer.concat(ANSWERS.map(answerBytes));

  it.each(Array.from({ length: stream.length + 1 }, (_, index) => index))('cut at byte %i', (cut) => {
    const reader = new AnswerReader();
    const found = [...reader.push(stream.subarray(0, cut)), ...reader.push(stream.subarray(cut))];
    expect(found).toEqual(ANSWERS);
    expect(reader.heldBytes).toBe(0);
  });

  it('in pieces of any size', () => {
    const answers = fc.array(
      fc.record({
        status: fc.integer({ min: 0, max: 255 }),
        text: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
      }),
    );
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(answerBytes));
        const reader = new AnswerReader();
        const found: VtyAnswer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          found.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(found).toEqual(sent);
      }),
    );
  });

  it.each(Array.from({ length: 14 }, (_, index) => index))('drained at byte %i, nothing is lost', (cut) => {
    const bytes = answerBytes({ status: 0, text: 'größer\n' });
    const reader = new AnswerReader();
    const early = reader.push(bytes.subarray(0, cut));
    const drained = reader.drain();
    const [answer] = [...early, ...reader.push(bytes.subarray(cut))];
    const rest = Buffer.from(answer?.text ?? '');
    expect(answer?.status).toBe(0);
    expect(Buffer.concat([drained, ...(cut <= 9 ? [] : []), rest]).length).toBeGreaterThan(0);
    expect(reader.heldBytes).toBe(0);
  });

  it.each(Array.from({ length: 11 }, (_, index) => index))('drained at byte %i: nothing is lost', (cut) => {
    const bytes = answerBytes({ status: 2, text: '{"a":1}' });
    const reader = new AnswerReader();
    expect(reader.push(bytes.subarray(0, cut))).toEqual([]);
    const drained = reader.drain().toString();
    const [answer] = reader.push(bytes.subarray(cut));
    expect([drained + answer?.text, answer?.status]).toEqual(['{"a":1}', 2]);
    expect(drained).toBe('{"a":1}'.slice(0, cut));
    expect(reader.heldBytes).toBe(0);
  });

  it('holds what is not complete', () => {
    const reader = new AnswerReader();
    expect(reader.push(Buffer.from('abc\0\0'))).toEqual([]);
    expect(reader.heldBytes).toBe(5);
  });
});

let open: FakeBgpd | undefined;

afterEach(() => open?.close());

async function fakeBgpd(reply: Reply, bounds: Partial<VtySettings> = {}): Promise<FakeBgpd> {
  open = await startFakeBgpd(reply, bounds);
  return open;
}

describe('a session', () => {
  it('asks one after the other and gives each its own answer', async () => {
    const { settings, commands } = await fakeBgpd((command, socket) => {
      socket.write(answerBytes({ status: 0, text: `to ${command}` }));
    });
    const session = new VtySession(settings);
    const answers = await Promise.all(['a', 'b', 'c'].map((command) => session.ask(command)));
    session.close();
    expect(answers.map(({ text }) => text)).toEqual(['to a', 'to b', 'to c']);
    expect(commands).toEqual(['a', 'b', 'c']);
  });

  it('does not send the next command before the answer to the last', async () => {
    const { settings, commands } = await fakeBgpd((command, socket) => {
      const seen = commands.length;
      setImmediate(() => socket.write(answerBytes({ status: 0, text: `${command} after ${seen}` })));
    });
    const session = new VtySession(settings);
    const answers = await Promise.all(['a', 'b'].map((command) => session.ask(command)));
    session.close();
    expect(answers.map(({ text }) => text)).toEqual(['a after 1', 'b after 2']);
  });

  it('gives a refused command its status and stays open', async () => {
    const { settings } = await fakeBgpd((command, socket) => {
      socket.write(answerBytes({ status: command === 'bad' ? 2 : 0, text: command }));
    });
    const session = new VtySession(settings);
    expect(await session.ask('bad')).toEqual({ status: 2, text: 'bad' });
    expect(await session.ask('good')).toEqual({ status: 0, text: 'good' });
    session.close();
  });

  it.each(['two\nlines', 'nul\0', 'return\r'])('never sends %j', async (command) => {
    const { settings, commands } = await fakeBgpd(() => undefined);
    const session = new VtySession(settings);
    await expect(session.ask(command)).rejects.toMatchObject({ code: 'Malformed' });
    session.close();
    expect(commands).toEqual([]);
  });

  it('tells everybody who waits when bgpd closes', async () => {
    const { settings } = await fakeBgpd((_command, socket) => socket.end('half an ans'));
    const session = new VtySession(settings);
    const outcomes = await Promise.allSettled([session.ask('a'), session.ask('b')]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
      'Unreachable',
      'Unreachable',
    ]);
    await expect(session.ask('c')).rejects.toMatchObject({ code: 'Unreachable' });
  });

  it('hands a large answer out as it comes, and keeps nobody waiting meanwhile', async () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => index));
    const { settings } = await fakeBgpd((command, socket) => {
      socket.write(answerBytes({ status: 0, text: command === 'enable' ? '' : text }));
    });
    const pieces: Buffer[] = [];
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await streamShowJson(settings, 'show all', (bytes) => pieces.push(bytes));
    clearImmediate(next);
    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
  });

  it('a command that is refused is an error, whatever it said', async () => {
    const { settings } = await fakeBgpd((command, socket) => {
      socket.write(answerBytes({ status: command === 'enable' ? 0 : 2, text: '% Unknown command\n' }));
    });
    await expect(streamShowJson(settings, 'show what', () => {})).rejects.toMatchObject({ code: 'Rejected' });
  });

  it('gives up on an answer that does not come', async () => {
    const { settings } = await fakeBgpd(() => undefined, { answerTimeoutMs: 20 });
    await expect(new VtySession(settings).ask('a')).rejects.toMatchObject({ code: 'Timeout' });
  });

  it('gives up on an answer without end', async () => {
    const { settings } = await fakeBgpd(
      (_command, socket) => {
        socket.write('x'.repeat(2000));
      },
      { maxAnswerBytes: 1000 },
    );
    await expect(new VtySession(settings).ask('a')).rejects.toMatchObject({ code: 'AnswerTooLong' });
  });

  it('says so when there is no bgpd', async () => {
    const settings = { socketPath: join(tmpdir(), 'herald-no-such.vty'), ...VTY_BOUNDS };
    await expect(new VtySession(settings).ask('a')).rejects.toMatchObject({ code: 'Unreachable' });
  });

  it('never says a password, not even one that bgpd repeats', async () => {
    const { settings } = await fakeBgpd((command, socket) => {
      const known = command === 'enable';
      socket.write(answerBytes({ status: known ? 0 : 2, text: `% Unknown command: ${command}` }));
    });
    const error = await runShow(settings, 'neighbor 192.0.2.2 password geheim').catch(
      (caught: unknown) => caught,
    );
    expect(String(error)).toContain('password ********');
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('geheim');
  });
});

describe('a show command', () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    ['\n{}\n', {}],
  ])('answered by %j', async (text, expected) => {
    const { settings, commands } = await fakeBgpd((_command, socket) => {
      socket.write(answerBytes({ status: 0, text }));
    });
    expect(await runShowJson(settings, 'show bgp')).toEqual(expected);
    expect(commands).toEqual(['enable', 'show bgp json']);
  });

  it('answered by something that is not JSON', async () => {
    const { settings } = await fakeBgpd((_command, socket) => {
      socket.write(answerBytes({ status: 0, text: '% BGP instance not found' }));
    });
    await expect(runShowJson(settings, 'show bgp')).rejects.toMatchObject({ code: 'Malformed' });
  });

  it('refused', async () => {
    const { settings } = await fakeBgpd((command, socket) => {
      socket.write(answerBytes({ status: command === 'enable' ? 0 : 4, text: '% Ambiguous' }));
    });
    await expect(runShow(settings, 'sh')).rejects.toMatchObject({ code: 'Rejected' });
  });
});
