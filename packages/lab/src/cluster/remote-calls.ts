/**
 * Calls of methods in another process of this machine: one connection a call, arguments and result as Node's own
 * serialized values, so that maps and undefined survive.
 *
 * In: a socket's path and objects by name. Out: on the other side, objects that look the same and whose methods all
 * give promises. For a lab's own processes: whoever may open the socket may call everything.
 */
import { chmodSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

interface Call {
  readonly target: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Outcome = { readonly value: unknown } | { readonly error: string };

export async function serveCalls(path: string, targets: ReadonlyMap<string, object>): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, targets));
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  return server;
}

/** Has the properties of `known`; everything else that is asked of it is a method at the other side. */
export function remoteObject(path: string, target: string, known: object): object {
  return new Proxy(known, {
    get(own, property) {
      if (property in own) return Reflect.get(own, property) as unknown;
      // An object with a `then` would be taken for a promise.
      if (typeof property === 'symbol' || property === 'then') return undefined;
      return (...args: unknown[]) => callRemote(path, { target, method: property, args });
    },
  });
}

async function callRemote(path: string, call: Call): Promise<unknown> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(serialize(call));
  const outcome = deserialize(await readAll(socket)) as Outcome;
  if ('error' in outcome) throw new Error(`${call.target}.${call.method}: ${outcome.error}`);
  return outcome.value;
}

async function serve(socket: Socket, targets: ReadonlyMap<string, object>): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const call = deserialize(await readAll(socket)) as Call;
    socket.end(serialize({ value: await perform(targets, call) } satisfies Outcome));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    socket.end(serialize({ error: text } satisfies Outcome));
  }
}

async function perform(targets: ReadonlyMap<string, object>, call: Call): Promise<unknown> {
  const target = targets.get(call.target);
  const method: unknown = target === undefined ? undefined : Reflect.get(target, call.method);
  if (typeof method !== 'function') throw new TypeError(`no method ${call.method} of ${call.target}`);
  return (await Reflect.apply(method, target, call.args)) as unknown;
}

/** Not by iteration, which would close the socket before the answer. */
function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => resolve(Buffer.concat(chunks)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the other side has gone')));
  });
}
