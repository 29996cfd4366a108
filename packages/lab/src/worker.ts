/**
 * A worker node: a namespace that holds service addresses and really answers on them with its own name.
 *
 * One listener process a worker serves all its addresses and can be told at run time to take up or give up an
 * address, to freeze, to stop. Which addresses it should have is the test's decision; nothing here follows a cluster.
 */
import { fileURLToPath } from 'node:url';
import { Conversation } from './conversation.ts';
import type { Namespace } from './namespace.ts';

export interface WorkerSettings {
  readonly namespace: Namespace;
  readonly ipv4: string;
  readonly ipv6: string;
}

export interface ListenOptions {
  readonly port?: number;
  readonly status?: number;
  readonly body?: string;
}

const LISTENER = fileURLToPath(new URL('./processes/listener.ts', import.meta.url));
/** Served before what is under test: a slow listener would look like a lost request. */
const PRIORITY = -10;
const HTTP_PORT = 80;

export class Worker {
  readonly namespace: Namespace;
  readonly ipv4: string;
  readonly ipv6: string;
  #conversation: Conversation;

  private constructor(settings: WorkerSettings) {
    this.namespace = settings.namespace;
    this.ipv4 = settings.ipv4;
    this.ipv6 = settings.ipv6;
    this.#conversation = startListener(settings.namespace);
  }

  static async create(settings: WorkerSettings): Promise<Worker> {
    const worker = new Worker(settings);
    await worker.served();
    return worker;
  }

  get name(): string {
    return this.namespace.label;
  }

  /** Takes up a service address on the loopback device and answers on it. */
  async addAddress(address: string, options: ListenOptions = {}): Promise<void> {
    await this.namespace.addAddress('lo', hostPrefix(address));
    await this.listen(address, options);
  }

  /** Gives up a service address: the listener first, then the address. */
  async removeAddress(address: string, options: ListenOptions = {}): Promise<void> {
    await this.unlisten(address, options);
    await this.namespace.removeAddress('lo', hostPrefix(address));
  }

  /** Answers on an address that the worker has already, such as a health check on the node's own address. */
  listen(address: string, options: ListenOptions = {}): Promise<void> {
    return this.#conversation.ask({
      kind: 'listen',
      address,
      port: options.port ?? HTTP_PORT,
      status: options.status ?? 200,
      body: options.body ?? this.name,
    });
  }

  unlisten(address: string, options: ListenOptions = {}): Promise<void> {
    return this.#conversation.ask({ kind: 'close', address, port: options.port ?? HTTP_PORT });
  }

  /** Requests answered since the listener started. */
  served(): Promise<number> {
    return this.#conversation.ask<number>({ kind: 'served' });
  }

  /** The listener stops answering but its sockets stay open. */
  freeze(): void {
    this.#conversation.program.pause();
  }

  thaw(): void {
    this.#conversation.program.resume();
  }

  async stop(): Promise<void> {
    this.#conversation.program.kill('SIGKILL');
    await this.#conversation.program.exited;
  }

  /** A new listener, with no address yet. */
  async restart(): Promise<void> {
    await this.stop();
    this.#conversation = startListener(this.namespace);
    await this.served();
  }

  powerOff(): Promise<void> {
    return this.namespace.powerOff();
  }

  powerOn(): Promise<void> {
    return this.namespace.powerOn();
  }
}

function startListener(namespace: Namespace): Conversation {
  return new Conversation(namespace.start('listener', [process.execPath, LISTENER], { priority: PRIORITY }));
}

function hostPrefix(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}
