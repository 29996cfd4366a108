/**
 * One command to a running FRR daemon over its vty socket, without starting vtysh: a few milliseconds instead of
 * fifty, so that tables can be watched closely.
 *
 * The protocol: the command and a zero byte; the answer ends with three zero bytes and a status byte.
 */
import { connect } from 'node:net';

const ANSWER_TIMEOUT_MS = 20_000;

export class VtyError extends Error {
  constructor(command: string, reason: string) {
    super(`vty command "${command}": ${reason}`);
    this.name = 'VtyError';
  }
}

export function vtyCommand(socketPath: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const chunks: Buffer[] = [];
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new VtyError(command, reason));
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => fail('no answer'));
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('closed before the answer ended'));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (!endsAnswer(chunks)) return;
      resolve(Buffer.concat(chunks).subarray(0, -4).toString('utf8'));
      socket.destroy();
    });
    socket.write(`${command}\0`);
  });
}

function endsAnswer(chunks: readonly Buffer[]): boolean {
  const last = chunks.at(-1);
  if (last === undefined) return false;
  // The end may be cut by the stream: only then the pieces are joined.
  const tail = last.length >= 4 || chunks.length === 1 ? last : Buffer.concat(chunks.slice(-4));
  return tail.length >= 4 && tail.readUIntBE(tail.length - 4, 3) === 0;
}

export async function vtyJson<T>(socketPath: string, command: string): Promise<T> {
  const text = await vtyCommand(socketPath, command);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new VtyError(command, `no JSON: ${text.slice(0, 200)}`);
  }
}
