/**
 * Runs in a worker's namespace: answers HTTP on any number of addresses with a fixed text, the worker's name.
 *
 * Told by lines: listen, close, list. One answer per connection, then the connection ends. Written on bare TCP: at a
 * thousand new connections a second on a shared core an HTTP stack would be the bottleneck of what is measured.
 */
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { answerLines } from './answer-lines.ts';

interface Listening {
  readonly address: string;
  readonly port: number;
}

interface ListenQuestion extends Listening {
  readonly id: number;
  readonly kind: 'listen';
  readonly status: number;
  readonly body: string;
}

interface CloseQuestion extends Listening {
  readonly id: number;
  readonly kind: 'close';
}

interface ServedQuestion {
  readonly id: number;
  readonly kind: 'served';
}

type Question = ListenQuestion | CloseQuestion | ServedQuestion;

const BACKLOG = 4_096;
const servers = new Map<string, Server>();
let served = 0;

answerLines((question: Question) => {
  switch (question.kind) {
    case 'listen':
      return listen(question);
    case 'close':
      return close(question);
    case 'served':
      return served;
  }
});

async function listen(question: ListenQuestion): Promise<void> {
  close(question);
  const response = httpResponse(question.status, question.body);
  const server = createServer({ noDelay: true }, (socket) => serve(socket, response));
  servers.set(key(question), server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: question.address, port: question.port, backlog: BACKLOG }, resolve);
  });
}

/** Connections that are being answered are let finish; there is nothing to wait for. */
function close(listening: Listening): void {
  servers.get(key(listening))?.close();
  servers.delete(key(listening));
}

function serve(socket: Socket, response: Buffer): void {
  let request = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    request += chunk.toString('latin1');
    if (!request.includes('\r\n\r\n')) return;
    request = '';
    served += 1;
    socket.end(response);
  });
}

function httpResponse(status: number, body: string): Buffer {
  const head = [
    `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Not OK'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: text/plain',
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function key({ address, port }: Listening): string {
  return `${address} ${port}`;
}
