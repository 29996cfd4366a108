// One connection: octets to messages, back-pressure, and an end that is told once.

import { describe, expect, it, vi } from 'vitest';
import { administrativeShutdown, encode } from '../../src/index.ts';
import { Connection } from '../../src/feed/io/connection.ts';
import { message, PLAIN, toHex, update } from '../octets.ts';
import { pass, stopClock, turn } from './scripted-feed.ts';
import { ScriptedSocket } from './scripted-socket.ts';

const KEEPALIVE = message(4, '');
const GOODBYE = encode(administrativeShutdown('bye'), PLAIN);

interface Noted {
  readonly socket: ScriptedSocket;
  readonly connection: Connection;
  readonly events: string[];
}

function connection(): Noted {
  const socket = new ScriptedSocket();
  const events: string[] = [];
  const noted = new Connection(socket, {
    onFrame: (frame) => events.push(frame.ok ? `frame of ${frame.value.length}` : frame.problem.text),
    onDrain: () => events.push('drain'),
    onEnd: (text) => events.push(`end: ${text}`),
  });
  return { socket, connection: noted, events };
}

describe('octets that arrive', () => {
  it('become messages, however they are cut', async () => {
    const { socket, events } = connection();
    const stream = Buffer.concat([KEEPALIVE, update({}), KEEPALIVE]);
    for (const chunk of [stream.subarray(0, 5), stream.subarray(5, 30), stream.subarray(30)]) {
      socket.arrive(chunk);
      await turn();
    }
    expect(events).toEqual(['frame of 19', 'frame of 23', 'frame of 19']);
  });

  it('are a problem once, and then silence', async () => {
    const { socket, events } = connection();
    socket.arrive(new Uint8Array(19));
    socket.arrive(KEEPALIVE);
    await turn();
    expect(events).toEqual(['the marker is not all ones']);
  });

  it('may be a longer message once that is allowed', async () => {
    const long = message(2, `00000000${'080a'.repeat(2500)}`);
    const refusing = connection();
    refusing.socket.arrive(long);
    const allowing = connection();
    allowing.connection.allow(65535);
    allowing.socket.arrive(long);
    await turn();
    expect(refusing.events).toEqual(['length 5023 is not between 19 and 4096']);
    expect(allowing.events).toEqual(['frame of 5023']);
  });

  it('are not told after the goodbye, even those of the same chunk', async () => {
    const socket = new ScriptedSocket();
    const frames: string[] = [];
    const ending: Connection = new Connection(socket, {
      onFrame: (frame) => {
        frames.push(frame.ok ? 'frame' : 'problem');
        void ending.finish();
      },
      onDrain: () => undefined,
      onEnd: () => frames.push('end'),
    });
    socket.arrive(Buffer.concat([KEEPALIVE, KEEPALIVE, KEEPALIVE]));
    await turn();
    socket.arrive(KEEPALIVE);
    socket.destroy();
    await turn();
    expect(frames).toEqual(['frame']);
  });
});

describe('octets that are written', () => {
  it('are taken at once when there is room, and told so', async () => {
    const { socket, connection: open } = connection();
    let isTaken = false;
    expect(
      open.write(KEEPALIVE, () => {
        isTaken = true;
      }),
    ).toBe(true);
    await turn();
    expect([isTaken, open.isFlushed, open.hasRoom]).toEqual([true, true, true]);
    expect(toHex(Buffer.concat(socket.written))).toBe(toHex(KEEPALIVE));
  });

  it('wait when the kernel is full, and the drain is told once', async () => {
    const { socket, connection: open, events } = connection();
    socket.block();
    expect(open.write(new Uint8Array(socket.writableHighWaterMark))).toBe(false);
    expect([open.isFlushed, open.hasRoom]).toEqual([false, false]);
    socket.unblock();
    await turn();
    expect([open.isFlushed, open.hasRoom]).toEqual([true, true]);
    expect(events).toEqual(['drain']);
  });

  it('are never called taken when the connection broke', async () => {
    const { socket, connection: open, events } = connection();
    socket.block();
    let isTaken = false;
    open.write(KEEPALIVE, () => {
      isTaken = true;
    });
    socket.destroy(new Error('reset by peer'));
    await turn();
    expect(isTaken).toBe(false);
    expect(events).toEqual(['end: reset by peer']);
  });

  it('go together in one system call', async () => {
    const { socket, connection: open } = connection();
    open.together(() => {
      open.write(KEEPALIVE);
      open.write(update({}));
      expect(socket.written).toEqual([]);
    });
    await turn();
    expect(Buffer.concat(socket.written)).toHaveLength(42);
  });
});

describe('the end of a connection', () => {
  it('by the peer is told once, with its reason', async () => {
    const { socket, events } = connection();
    socket.destroy();
    await turn();
    expect(events).toEqual(['end: the peer closed the connection']);
  });

  it('by an error is told with the words of the error', async () => {
    const { socket, events } = connection();
    socket.destroy(new Error('read ECONNRESET'));
    await turn();
    expect(events).toEqual(['end: read ECONNRESET']);
  });

  it('by us sends what is queued, and is told to nobody', async () => {
    const { socket, connection: open, events } = connection();
    socket.block();
    open.write(update({}));
    open.write(GOODBYE);
    const ended = open.finish();
    socket.unblock();
    await turn();
    socket.destroy();
    await ended;
    expect(toHex(Buffer.concat(socket.written))).toBe(toHex(Buffer.concat([update({}), GOODBYE])));
    expect(socket.finished).toBe(true);
    expect(events).toEqual([]);
  });

  it.each([
    [999, false],
    [1000, true],
  ])(
    'by us waits for a peer that does not read: after %i ms destroyed is %s',
    async (milliseconds, isDestroyed) => {
      stopClock();
      const { socket, connection: open } = connection();
      socket.block();
      open.write(GOODBYE);
      void open.finish();
      await pass(milliseconds);
      expect(socket.destroyed).toBe(isDestroyed);
      socket.destroy();
    },
  );

  it('by us leaves no timer behind when the peer goes first', async () => {
    stopClock();
    const { socket, connection: open } = connection();
    const ended = open.finish();
    socket.destroy();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('by us is over at once when it was closed before', async () => {
    const { socket, connection: open } = connection();
    socket.destroy();
    await turn();
    await expect(open.finish()).resolves.toBeUndefined();
  });
});
