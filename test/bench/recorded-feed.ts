// What a feed said to its bgpd, octet by octet: captured on the pod's loopback while the real feed speaks, so
// that a bare sender can say exactly the same again. Packets in, whole messages out; what bgpd answers is
// passed over. Decodes nothing but lengths and types.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { MessageFramer } from '@herald/bgp';
import { UpdateCapture, type Lab, type Pod } from '@herald/lab';

export const BGPD_PORT = 1790;
/** The longest message once extended messages are negotiated (RFC 8654 section 4). */
const LONGEST_MESSAGE = 65_535;
/** Where the type stands in a message, and its values (RFC 4271 section 4.1). */
const TYPE_OFFSET = 18;
const MESSAGE_TYPE = { open: 1, update: 2 } as const;
/** Header 19 and two empty length fields: the shortest UPDATE, which is IPv4's End-of-RIB (RFC 4724 section 2). */
const END_OF_RIB_OCTETS = 23;

export interface RecordedMessage {
  readonly timeMs: number;
  readonly bytes: Uint8Array;
}

export class RecordedFeed {
  readonly #messages: RecordedMessage[] = [];
  readonly #waiting = new Set<() => void>();
  #framer = new MessageFramer();
  #capture: UpdateCapture | undefined;

  static async start(lab: Lab, pod: Pod): Promise<RecordedFeed> {
    const recorded = new RecordedFeed();
    recorded.#capture = await UpdateCapture.start({
      namespace: pod.namespace,
      device: 'lo',
      port: BGPD_PORT,
      pipe: join(lab.directory, `feed-${randomUUID()}.pcap`),
      onBytes: ({ destinationPort, bytes, timeMs }) => {
        if (destinationPort === BGPD_PORT) {
          recorded.#take(timeMs, bytes);
        }
      },
    });
    return recorded;
  }

  get open(): Uint8Array | undefined {
    return this.#messages.find(({ bytes }) => typeOf(bytes) === MESSAGE_TYPE.open)?.bytes;
  }

  /** Every UPDATE so far, End-of-RIBs included. */
  get updates(): readonly RecordedMessage[] {
    return this.#messages.filter(({ bytes }) => typeOf(bytes) === MESSAGE_TYPE.update);
  }

  /** Resolves once the first table was said completely. */
  async endOfRib(): Promise<void> {
    await this.#until(() => this.updates.some(({ bytes }) => bytes.length === END_OF_RIB_OCTETS));
  }

  /** Resolves with the first UPDATE behind the first `count`. */
  async updateAfter(count: number): Promise<RecordedMessage> {
    await this.#until(() => this.updates.length > count);
    return this.updates[count] ?? fail();
  }

  async stop(): Promise<void> {
    await this.#capture?.stop();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #take(timeMs: number, chunk: Uint8Array): void {
    this.#framer.maximumLength = LONGEST_MESSAGE;
    for (const frame of this.#framer.push(Uint8Array.from(chunk))) {
      if (frame.ok) {
        this.#messages.push({ timeMs, bytes: frame.value });
      }
    }
    for (const wake of this.#waiting) {
      wake();
    }
    this.#waiting.clear();
  }
}

function typeOf(message: Uint8Array): number | undefined {
  return message[TYPE_OFFSET];
}

function fail(): never {
  throw new Error('the capture lost a message');
}
