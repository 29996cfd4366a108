/**
 * The way from the machine's loopback to the API server in its namespace: programs outside use an ordinary kubeconfig.
 *
 * In: the API server's namespace and address. Out: a port on 127.0.0.1 that leads there. The listening socket is made
 * outside and served by one helper process inside; it ends with the process that opened the door.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../ledger.ts';
import type { Namespace } from '../namespace.ts';

const DOOR = fileURLToPath(new URL('../processes/api-door.ts', import.meta.url));

export class ApiDoor {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async open(
    ledger: Ledger,
    namespace: Namespace,
    target: { readonly host: string; readonly port: number },
  ): Promise<ApiDoor> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [file = '', ...args] = namespace.enter([process.execPath, DOOR, target.host, String(target.port)]);
    const child = spawn(file, args, { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'spawn');
    if (child.pid !== undefined) ledger.addProcess(child.pid);
    const { port } = server.address() as AddressInfo;
    child.send('serve', server);
    await once(child, 'message');
    server.close();
    return new ApiDoor(port, child);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
