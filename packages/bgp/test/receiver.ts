// A minimal bgpd for tests: speaks the handshake, reads UPDATEs into a model table and notes what it saw.
// Waiting is for events: every `until` looks again after each message, connection and end, never by the clock.

import { createServer, connect, type Server, type Socket, type AddressInfo } from 'node:net';
import { address } from '@herald/net';
import {
  BEFORE_OPEN,
  decode,
  encode,
  endOfRibFamily,
  MessageFramer,
  negotiate,
  type Capability,
  type Message,
  type Negotiated,
  type NotificationMessage,
  type OpenMessage,
} from '../src/index.ts';
import { ModelTable } from './model-table.ts';

export const FULL: readonly Capability[] = [
  { kind: 'multiprotocol', afi: 1, safi: 1 },
  { kind: 'multiprotocol', afi: 2, safi: 1 },
  { kind: 'route-refresh' },
  { kind: 'extended-message' },
  { kind: 'four-octet-asn', asn: 65000 },
  {
    kind: 'add-path',
    families: [
      { afi: 1, safi: 1, mode: 'receive' },
      { afi: 2, safi: 1, mode: 'receive' },
    ],
  },
];

function localOpen(capabilities: readonly Capability[], asn: number): OpenMessage {
  return {
    kind: 'open',
    asn,
    holdTimeSeconds: 30,
    identifier: address('10.0.0.1'),
    capabilities: capabilities.map((each) => (each.kind === 'four-octet-asn' ? { ...each, asn } : each)),
  };
}

export class ReceivedSession {
  readonly socket: Socket;
  readonly table = new ModelTable();
  readonly endsOfRib: number[] = [];
  /** Every message in short: its kind, or "end-of-rib 4", or "announce 10.0.0.1/32 ...". */
  readonly log: string[] = [];
  remoteOpen: OpenMessage | undefined;
  notification: NotificationMessage | undefined;
  ended = false;
  updates = 0;
  readonly #framer = new MessageFramer();
  readonly #open: OpenMessage;
  readonly #changed: () => void;
  #negotiated: Negotiated = BEFORE_OPEN;

  constructor(socket: Socket, open: OpenMessage, changed: () => void) {
    this.socket = socket;
    this.#open = open;
    this.#changed = changed;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.ended = true;
      changed();
    });
    socket.on('data', (chunk: Uint8Array) => {
      for (const frame of this.#framer.push(chunk)) {
        const decoded = frame.ok ? decode(frame.value, this.#negotiated) : frame;
        if (!decoded.ok) {
          throw new Error(decoded.problem.text);
        }
        this.#read(decoded.message);
      }
      changed();
    });
  }

  send(message: Message): void {
    this.socket.write(encode(message, this.#negotiated));
  }

  /** Does not read until `resume`: what a stopped bgpd looks like. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
    this.#changed();
  }

  #read(message: Message): void {
    switch (message.kind) {
      case 'open':
        this.remoteOpen = message;
        this.send(this.#open);
        this.send({ kind: 'keepalive' });
        this.#negotiated = negotiate(this.#open, message);
        this.#framer.maximumLength = this.#negotiated.maximumLength;
        break;
      case 'update': {
        const family = endOfRibFamily(message);
        this.updates += 1;
        this.table.apply(message);
        if (family !== undefined) {
          this.endsOfRib.push(family);
        }
        const [first] = [...message.announced, ...(message.reach?.nlri ?? [])];
        this.log.push(
          family === undefined ? `update ${first?.prefix.text ?? 'withdraws'}` : `end-of-rib ${family}`,
        );
        break;
      }
      case 'notification':
        this.notification = message;
        break;
      case 'keepalive':
      case 'route-refresh':
        break;
    }
  }
}

export interface ReceiverOptions {
  readonly capabilities?: readonly Capability[];
  readonly asn?: number;
}

export class Receiver {
  readonly sessions: ReceivedSession[] = [];
  readonly #server: Server = createServer();
  readonly #open: OpenMessage;
  #waiting: (() => void)[] = [];
  #port = 0;

  constructor({ capabilities = FULL, asn = 65000 }: ReceiverOptions = {}) {
    this.#open = localOpen(capabilities, asn);
    this.#server.on('connection', (socket) => {
      this.#adopt(socket);
    });
  }

  get port(): number {
    return this.#port;
  }

  get session(): ReceivedSession {
    const last = this.sessions.at(-1);
    if (last === undefined) {
      throw new Error('there is no session');
    }
    return last;
  }

  async listen(port = 0): Promise<this> {
    const listening = new Promise<void>((resolve) => {
      this.#server.once('listening', resolve);
    });
    this.#server.listen({ host: '127.0.0.1', port });
    await listening;
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Connects to a feed that listens, from 127.0.0.1; retried until somebody listens. */
  dial(host: string, port: number, localAddress = '127.0.0.1'): void {
    const socket = connect({ host, port, localAddress });
    socket.once('connect', () => {
      this.#adopt(socket);
    });
    socket.once('error', () => {
      setImmediate(() => {
        this.dial(host, port, localAddress);
      });
    });
  }

  /** Resolves as soon as the condition holds; looked at after each event here and each `poke`. */
  readonly until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  };

  readonly poke = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) {
      resolve();
    }
  };

  stopListening(): void {
    this.#server.close();
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.sessions) {
      socket.destroy();
    }
  }

  #adopt(socket: Socket): void {
    this.sessions.push(new ReceivedSession(socket, this.#open, this.poke));
    this.poke();
  }
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const receiver = await new Receiver().listen();
  receiver.close();
  return receiver.port;
}
