// A vty socket without a bgpd behind it: what is asked is recorded, what is answered is the test's decision.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VTY_BOUNDS } from '../src/index.ts';
import type { VtySettings } from '../src/index.ts';
import type { VtyAnswer } from '../src/vty/answer.ts';

export type Reply = (command: string, socket: Socket) => void;

export function answerBytes({ status, text }: VtyAnswer): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.from([0, 0, 0, status])]);
}

export interface FakeBgpd {
  readonly settings: VtySettings;
  readonly commands: string[];
  close(): void;
}

export async function startFakeBgpd(reply: Reply, bounds: Partial<VtySettings> = {}): Promise<FakeBgpd> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-vty-'));
  const socketPath = join(folder, 'bgpd.vty');
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let held = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const parts = (held + bytes.toString()).split('\0');
      held = parts.pop() ?? '';
      for (const command of parts) {
        commands.push(command);
        reply(command, socket);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve);
  });
  const close = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { settings: { socketPath, ...VTY_BOUNDS, ...bounds }, commands, close };
}
