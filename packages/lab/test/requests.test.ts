// The listener and the requester as processes, on loopback: what counts as answered, what as lost, and why.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Conversation } from '../src/conversation.ts';
import { Ledger } from '../src/ledger.ts';
import { Program } from '../src/program.ts';
import type { Target, Totals } from '../src/processes/requester.ts';

const folder = mkdtempSync(join(tmpdir(), 'lab-requests-'));
const ledger = new Ledger('requests', folder);
const servers: Server[] = [];
afterAll(() => {
  ledger.destroy();
  for (const one of servers) one.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(name: string): Conversation {
  const script = fileURLToPath(new URL(`../src/processes/${name}.ts`, import.meta.url));
  return new Conversation(new Program(ledger, name, [process.execPath, script]));
}

const requester = start('requester');
const listener = start('listener');

async function send(targets: readonly Target[], count: number, deadlineMs = 1_000): Promise<Totals> {
  await requester.ask({ kind: 'start', targets, ratePerSecond: 500, deadlineMs, count });
  for (;;) {
    const totals = await requester.ask<Totals>({ kind: 'totals' });
    if (totals.sent === count) return requester.ask<Totals>({ kind: 'stop' });
  }
}

/** A server that answers each request with the text given, or not at all. */
function server(answer: string): Promise<Target> {
  const made = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      if (answer !== 'silence') socket.end(answer);
    });
  });
  servers.push(made);
  return new Promise((resolve) => {
    made.listen(0, '127.0.0.1', () =>
      resolve({ address: '127.0.0.1', port: (made.address() as AddressInfo).port }),
    );
  });
}

async function freePort(): Promise<number> {
  const { port } = await server('');
  await new Promise((resolve) => {
    servers.pop()?.close(resolve);
  });
  return port;
}

describe('requests', () => {
  test('are answered by the listener, by address, each on its own connection', async () => {
    const port = await freePort();
    const targets = [
      { address: '127.0.0.1', port },
      { address: '127.0.0.2', port },
    ];
    for (const { address } of targets)
      await listener.ask({ kind: 'listen', address, port, status: 200, body: `at ${address}` });
    const totals = await send(targets, 40);
    expect(totals).toMatchObject({ sent: 40, answered: 40, lost: 0, inFlight: 0 });
    expect(totals.answers).toEqual({ 'at 127.0.0.1': 20, 'at 127.0.0.2': 20 });
    expect(await listener.ask({ kind: 'served' })).toBe(40);
    await listener.ask({ kind: 'close', address: '127.0.0.2', port });
    expect(await send(targets, 10)).toMatchObject({
      answered: 5,
      lost: 5,
      lostByAddress: { '127.0.0.2': 5 },
      lostByCause: { ECONNREFUSED: 5 },
    });
  });

  const rows: [what: string, answer: string, cause: string][] = [
    ['silence', 'silence', 'no answer in time'],
    ['half an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'incomplete'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nbody', 'incomplete'],
    ['another status', 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy', 'incomplete'],
  ];
  test.each(rows)('%s is lost', async (_what, answer, cause) => {
    const before = Date.now();
    const totals = await send([await server(answer)], 5, 150);
    expect(totals).toMatchObject({ sent: 5, answered: 0, lost: 5, lostByCause: { [cause]: 5 } });
    expect(totals.lostAtMs).toHaveLength(5);
    expect(Math.min(...totals.lostAtMs)).toBeGreaterThanOrEqual(before - 5);
  });
});

describe('a conversation', () => {
  test('an error of the helper is the answer', async () => {
    const question = { kind: 'listen', address: '203.0.113.250', port: 80, status: 200, body: '' };
    await expect(listener.ask(question)).rejects.toThrow('EADDRNOTAVAIL');
  });

  test('the helper ends before it answers, or has ended', async () => {
    const helper = new Conversation(new Program(ledger, 'helper', ['sh', '-c', 'read line; exit 0']));
    await expect(helper.ask({ kind: 'anything' })).rejects.toThrow('helper ended before it answered');
    await expect(helper.ask({ kind: 'anything' })).rejects.toThrow('helper has ended');
  });

  test('lines that are no answer are passed over', async () => {
    const script = 'read line; echo noise; echo "{\\"id\\":1,\\"value\\":5}"; read line';
    const helper = new Conversation(new Program(ledger, 'helper', ['sh', '-c', script]));
    expect(await helper.ask({ kind: 'anything' })).toBe(5);
    helper.program.kill();
    await helper.program.exited;
  });
});
