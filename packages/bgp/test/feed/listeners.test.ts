// Servers for bgpd: shared by feeds of one address and port, closed with the last of them, tried again when the
// port is taken; and nobody gets in who is not expected.

import { connect, Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Listeners } from '../../src/index.ts';
import type { Claim } from '../../src/feed/io/listeners.ts';
import { freePort } from '../receiver.ts';
import { stopTimers } from './loopback.ts';

/** What happened to a claim, and a promise of the next thing that does. */
class Noted {
  readonly events: string[] = [];
  readonly claim: Claim;
  #waiting: (() => void) | undefined;

  constructor(listeners: Listeners, port: number, remoteAddress = '127.0.0.1') {
    this.claim = {
      localAddress: '127.0.0.4',
      port,
      remoteAddress,
      onConnection: (socket) => {
        this.#note(`connection from ${socket.remoteAddress}`);
        socket.on('error', () => undefined);
        onTestFinished(() => {
          socket.destroy();
        });
      },
      onListenFailed: (text) => {
        this.#note(text.includes('EADDRINUSE') ? 'taken' : text);
      },
      onStranger: (address) => {
        this.#note(`stranger ${address}`);
      },
    };
    listeners.claim(this.claim);
    onTestFinished(() => listeners.release(this.claim));
  }

  async until(count: number): Promise<void> {
    while (this.events.length < count) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  #note(event: string): void {
    this.events.push(event);
    this.#waiting?.();
  }
}

interface Dialled {
  readonly socket: Socket;
  readonly outcome: Promise<string>;
}

/** Resolves with "connected", or with the code of the error. */
function dial(port: number, localAddress = '127.0.0.1'): Dialled {
  const socket = connect({ host: '127.0.0.4', port, localAddress });
  onTestFinished(() => {
    socket.destroy();
  });
  const outcome = new Promise<string>((resolve) => {
    socket.once('connect', () => {
      resolve('connected');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
  });
  return { socket, outcome };
}

async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) {
    await new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
  }
}

describe('a claim', () => {
  it('gets the connections of its peer', async () => {
    const port = await freePort();
    const noted = new Noted(new Listeners(), port);
    dial(port);
    await noted.until(1);
    expect(noted.events).toEqual(['connection from 127.0.0.1']);
  });

  it('is told of strangers, who are closed at once', async () => {
    const port = await freePort();
    const noted = new Noted(new Listeners(), port);
    const { socket } = dial(port, '127.0.0.66');
    await noted.until(1);
    await closed(socket);
    expect(noted.events).toEqual(['stranger 127.0.0.66']);
  });

  it('listens until it is released, and then no more', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const noted = new Noted(listeners, port);
    dial(port);
    await noted.until(1);
    await listeners.release(noted.claim);
    await expect(dial(port).outcome).resolves.toBe('ECONNREFUSED');
    expect(noted.events).toHaveLength(1);
  });

  it('may be released twice, or without having been made', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const { claim } = new Noted(listeners, port);
    await listeners.release(claim);
    await expect(listeners.release(claim)).resolves.toBeUndefined();
    await expect(new Listeners().release(claim)).resolves.toBeUndefined();
  });

  it('that is released before its server listens leaves nothing behind', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const { claim, events } = new Noted(listeners, port);
    await listeners.release(claim);
    await expect(dial(port).outcome).resolves.toBe('ECONNREFUSED');
    expect(events).toEqual([]);
  });

  it('that is made while another is released takes over its server', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const first = new Noted(listeners, port);
    const releasing = listeners.release(first.claim);
    const second = new Noted(listeners, port);
    await releasing;
    dial(port);
    await second.until(1);
    expect([first.events, second.events]).toEqual([[], ['connection from 127.0.0.1']]);
  });

  it('may be made again on the same port at once', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const first = new Noted(listeners, port);
    await listeners.release(first.claim);
    const second = new Noted(listeners, port);
    dial(port);
    await second.until(1);
    expect([first.events, second.events]).toEqual([[], ['connection from 127.0.0.1']]);
  });
});

describe('claims of one address and port', () => {
  it('share a server: each gets its own peer, and all hear of strangers', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const one = new Noted(listeners, port, '127.0.0.1');
    const other = new Noted(listeners, port, '127.0.0.9');
    dial(port, '127.0.0.9');
    await other.until(1);
    dial(port, '127.0.0.1');
    await one.until(1);
    dial(port, '127.0.0.66');
    await Promise.all([one.until(2), other.until(2)]);
    expect(one.events).toEqual(['connection from 127.0.0.1', 'stranger 127.0.0.66']);
    expect(other.events).toEqual(['connection from 127.0.0.9', 'stranger 127.0.0.66']);
  });

  it('keep it until the last lets go', async () => {
    const port = await freePort();
    const listeners = new Listeners();
    const one = new Noted(listeners, port, '127.0.0.1');
    const other = new Noted(listeners, port, '127.0.0.9');
    await listeners.release(one.claim);
    dial(port, '127.0.0.1');
    await other.until(1);
    dial(port, '127.0.0.9');
    await other.until(2);
    expect(other.events).toEqual(['stranger 127.0.0.1', 'connection from 127.0.0.9']);
    expect(one.events).toEqual([]);
    await listeners.release(other.claim);
    await expect(dial(port).outcome).resolves.toBe('ECONNREFUSED');
  });
});

describe('a connection that cannot be accepted', () => {
  it('is said, and ends neither the server nor, when it would listen again, the process', async () => {
    stopTimers();
    const port = await freePort();
    const listening = vi.spyOn(Server.prototype, 'listen');
    onTestFinished(() => {
      listening.mockRestore();
    });
    const noted = new Noted(new Listeners(), port);
    dial(port);
    await noted.until(1);
    // What Node emits when accept(2) fails, as it does when file descriptors run out.
    const [server] = listening.mock.contexts as Server[];
    server?.emit('error', new Error('accept ENFILE'));
    vi.advanceTimersByTime(1000);
    dial(port);
    await noted.until(3);
    const connection = 'connection from 127.0.0.1';
    expect(noted.events).toEqual([connection, 'accept ENFILE', connection]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a port that is taken', () => {
  it('is said, and tried again every second until it is free', async () => {
    stopTimers();
    const port = await freePort();
    const holders = new Listeners();
    const holder = new Noted(holders, port);
    dial(port);
    await holder.until(1);
    const waiting = new Noted(new Listeners(), port);
    await waiting.until(1);
    vi.advanceTimersByTime(1000);
    await waiting.until(2);
    expect(waiting.events).toEqual(['taken', 'taken']);
    await holders.release(holder.claim);
    vi.advanceTimersByTime(1000);
    dial(port);
    await waiting.until(3);
    expect(waiting.events.at(-1)).toBe('connection from 127.0.0.1');
  });

  it('is not tried again once the claim is released', async () => {
    stopTimers();
    const port = await freePort();
    const holder = new Noted(new Listeners(), port);
    dial(port);
    await holder.until(1);
    const listeners = new Listeners();
    const waiting = new Noted(listeners, port);
    await waiting.until(1);
    await listeners.release(waiting.claim);
    expect(vi.getTimerCount()).toBe(0);
  });
});
