// The UPDATEs that reach a router, decoded, with the time they were on the wire: octets of a capture in,
// messages out, each with the address it came from. Sessions that begin while nobody looks cannot be decoded,
// because the OPENs say how; so it has to be started before the speakers are.

import { join } from 'node:path';

import { BEFORE_OPEN, decode, MessageFramer, negotiate } from '@herald/bgp';
import type { Negotiated, OpenMessage, UpdateMessage } from '@herald/bgp';
import { UPLINK, UpdateCapture, type Lab, type Router, type TcpBytes } from '@herald/lab';

export interface WireUpdate {
  readonly source: string;
  readonly timeMs: number;
  readonly message: UpdateMessage;
}

interface Session {
  readonly framers: Map<string, MessageFramer>;
  readonly opens: Map<string, OpenMessage>;
}

type Listener = (update: WireUpdate) => void;

const LONGEST_MESSAGE = 65_535;
/** RFC 4271 section 4.1. */
const TYPE_OFFSET = 18;
const OPEN_TYPE = 1;

export class RouterWire {
  readonly #router: string;
  readonly #sessions = new Map<number, Session>();
  readonly #listeners = new Set<Listener>();
  #capture: UpdateCapture | undefined;

  private constructor(router: string) {
    this.#router = router;
  }

  static async start(lab: Lab, router: Router): Promise<RouterWire> {
    const wire = new RouterWire(router.ipv4);
    wire.#capture = await UpdateCapture.start({
      namespace: router.namespace,
      device: UPLINK,
      pipe: join(lab.directory, `wire-${router.name}.pcap`),
      onBytes: (bytes) => wire.#take(bytes),
    });
    return wire;
  }

  /** Resolves with the next UPDATE that the test takes. */
  next(test: (update: WireUpdate) => boolean): Promise<WireUpdate> {
    return new Promise((resolve) => {
      const listener: Listener = (update) => {
        if (test(update)) {
          this.#listeners.delete(listener);
          resolve(update);
        }
      };
      this.#listeners.add(listener);
    });
  }

  async stop(): Promise<void> {
    await this.#capture?.stop();
  }

  #take({ connection, source, bytes, timeMs }: TcpBytes): void {
    const session = this.#sessions.get(connection) ?? { framers: new Map(), opens: new Map() };
    this.#sessions.set(connection, session);
    const framer = session.framers.get(source) ?? new MessageFramer();
    session.framers.set(source, framer);
    framer.maximumLength = LONGEST_MESSAGE;
    for (const frame of framer.push(Uint8Array.from(bytes))) {
      // What the router says only matters as far as it tells how the others are to be read.
      if (frame.ok && (source !== this.#router || frame.value[TYPE_OFFSET] === OPEN_TYPE)) {
        this.#tell(session, { source, timeMs }, frame.value);
      }
    }
  }

  #tell(session: Session, from: Pick<WireUpdate, 'source' | 'timeMs'>, frame: Uint8Array): void {
    const decoded = decode(frame, this.#negotiated(session));
    if (!decoded.ok) {
      throw new Error(`${from.source} sent what cannot be decoded: ${decoded.problem.text}`);
    }
    const { message } = decoded;
    if (message.kind === 'open') {
      session.opens.set(from.source, message);
    } else if (message.kind === 'update') {
      for (const listener of this.#listeners) {
        listener({ ...from, message });
      }
    }
  }

  /** As the router has it. */
  #negotiated({ opens }: Session): Negotiated {
    const local = opens.get(this.#router);
    const remote = [...opens].find(([source]) => source !== this.#router)?.[1];
    return local === undefined || remote === undefined ? BEFORE_OPEN : negotiate(local, remote);
  }
}

export function announces(message: UpdateMessage, prefix: string): boolean {
  return message.announced.some((nlri) => nlri.prefix.text === prefix);
}
