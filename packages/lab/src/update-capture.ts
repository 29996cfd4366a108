/**
 * The raw bytes of BGP connections as they cross a device, per direction, with the time they were on the wire.
 *
 * Transparent: a packet capture, neither end knows. Messages are not decoded here; the caller gives the bytes to its
 * own decoder, one for each connection and direction.
 */
import type { Namespace } from './namespace.ts';
import { PcapReader } from './pcap.ts';
import type { Program } from './program.ts';
import { TcpReassembler } from './tcp-reassembler.ts';
import type { TcpBytes } from './tcp-reassembler.ts';
import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { run } from './command.ts';

export interface UpdateCaptureOptions {
  readonly namespace: Namespace;
  readonly device: string;
  readonly port?: number;
  /** An empty path for a named pipe, in the lab's folder. */
  readonly pipe: string;
  readonly onBytes: (bytes: TcpBytes) => void;
}

const BGP_PORT = 179;

export class UpdateCapture {
  readonly #program: Program;
  readonly #stream: ReadStream;

  private constructor(program: Program, stream: ReadStream) {
    this.#program = program;
    this.#stream = stream;
  }

  /** Resolves when packets are being captured. */
  static async start(options: UpdateCaptureOptions): Promise<UpdateCapture> {
    await run(['mkfifo', options.pipe]);
    const reassembler = new TcpReassembler(options.onBytes);
    const reader = new PcapReader((segment) => reassembler.push(segment));
    const program = options.namespace.start('tcpdump', tcpdumpArgv(options), { priority: -5 });
    const stream = createReadStream(options.pipe);
    stream.on('data', (chunk) => reader.push(chunk as Buffer));
    await program.lineMatching(/listening on/);
    return new UpdateCapture(program, stream);
  }

  /** Ends the capture and resolves when everything captured has been told. */
  async stop(): Promise<void> {
    const told = new Promise((resolve) => {
      this.#stream.once('close', resolve);
    });
    await this.#program.stop();
    await told;
  }
}

function tcpdumpArgv(options: UpdateCaptureOptions): string[] {
  const filter = `tcp port ${options.port ?? BGP_PORT}`;
  // A device that turns promiscuous is an event: FRR 10 sets its IPv6 routes again for it.
  const quiet = '--no-promiscuous-mode';
  const immediate = [quiet, '-U', '--immediate-mode', '-s', '0', '-B', '16384'];
  return ['tcpdump', '-i', options.device, '-n', ...immediate, '-Z', 'root', '-w', options.pipe, filter];
}
