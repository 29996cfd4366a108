// What a speaker told a router, message by message as it crossed the wire: a capture on the router's link in,
// UPDATEs, End-of-RIBs and the end of each connection out. Decoded by the OPENs of the connection itself, so it
// depends on nothing that either side says of its state. A message that cannot be decoded is an error here.

import { join } from 'node:path';

import {
  BEFORE_OPEN,
  MessageFramer,
  decode,
  endOfRibFamily,
  negotiate,
  type Decoded,
  type Message,
  type Negotiated,
  type OpenMessage,
} from '@herald/bgp';
import { UPLINK, UpdateCapture, type IpFamily, type Lab, type Router, type TcpBytes } from '@herald/lab';

export interface WireMessage {
  /** Of the capture; a session that is reset has another one afterwards. */
  readonly connection: number;
  readonly timeMs: number;
  /** "+prefix nextHop", "-prefix", "end-of-rib 4", "notification 6/2", "open", "keepalive", "undecoded". */
  readonly said: readonly string[];
  /** Texts of all communities of an UPDATE. */
  readonly communities: readonly string[];
}

/** What `updates` tells; a message that cannot be decoded must not look like silence. */
const TOLD = /^(?:[+-]|end-of-rib|undecoded)/;

/** RFC 8654. */
const EXTENDED_MAXIMUM_LENGTH = 65_535;

interface Side {
  readonly framer: MessageFramer;
  open: OpenMessage | undefined;
}

export class WireLog {
  readonly messages: WireMessage[] = [];
  readonly problems: string[] = [];
  readonly #speaker: string;
  readonly #running: Negotiated;
  readonly #sides = new Map<string, Side>();
  /** Connections whose beginning was seen. */
  readonly #opening = new Set<number>();
  #capture: UpdateCapture | undefined;

  private constructor(speaker: string, running: Negotiated) {
    this.#speaker = speaker;
    this.#running = running;
  }

  /** Captures from now on. A session that runs already has shown its OPENs: `addPath` is what they agreed on. */
  static async start(
    lab: Lab,
    router: Router,
    speaker: string,
    addPath: readonly IpFamily[] = [4, 6],
  ): Promise<WireLog> {
    const established = {
      families: [4, 6] as const,
      asnOctets: 4 as const,
      maximumLength: EXTENDED_MAXIMUM_LENGTH,
    };
    const log = new WireLog(speaker, { ...BEFORE_OPEN, ...established, addPathReceive: addPath });
    log.#capture = await UpdateCapture.start({
      namespace: router.namespace,
      device: UPLINK,
      pipe: join(lab.directory, `${router.name}-${performance.now()}.pcap`),
      onBytes: (bytes) => log.#received(bytes),
    });
    return log;
  }

  async stop(): Promise<void> {
    await this.#capture?.stop();
  }

  /** Everything said in UPDATEs, and that something was not understood, in order, of the given or of every connection. */
  updates(connection?: number): string[] {
    const chosen = this.messages.filter(
      (message) => connection === undefined || message.connection === connection,
    );
    return chosen.flatMap(({ said }) => said).filter((word) => TOLD.test(word));
  }

  /** Connections in which at least one UPDATE or End-of-RIB was sent, in order. */
  get sessions(): number[] {
    return [...new Set(this.messages.filter(isUpdate).map(({ connection }) => connection))];
  }

  get communities(): string[] {
    return [...new Set(this.messages.flatMap(({ communities }) => communities))].sort();
  }

  #received({ source, connection, timeMs, bytes }: TcpBytes): void {
    const ours = this.#side(connection, 'speaker');
    const theirs = this.#side(connection, 'router');
    const side = source === this.#speaker ? ours : theirs;
    for (const frame of side.framer.push(bytes)) {
      const decoded = frame.ok
        ? decode(frame.value, this.#negotiated(connection, theirs.open, ours.open))
        : frame;
      if (decoded.ok && decoded.message.kind === 'open') {
        side.open = decoded.message;
        this.#opening.add(connection);
      }
      // Of what the router says only its OPEN matters; the rest would have to be read by other rules.
      if (side === ours) {
        this.#note(decoded, connection, timeMs);
      }
      const { maximumLength } = this.#negotiated(connection, theirs.open, ours.open);
      ours.framer.maximumLength = maximumLength;
      theirs.framer.maximumLength = maximumLength;
    }
  }

  #note(decoded: Decoded, connection: number, timeMs: number): void {
    if (decoded.ok) {
      this.messages.push(wireMessage(decoded.message, connection, timeMs));
    } else {
      this.problems.push(`connection ${connection}: ${decoded.problem.text}`);
      this.messages.push({ connection, timeMs, said: ['undecoded'], communities: [] });
    }
  }

  /** As the router reads what the speaker sends. */
  #negotiated(
    connection: number,
    router: OpenMessage | undefined,
    speaker: OpenMessage | undefined,
  ): Negotiated {
    if (router !== undefined && speaker !== undefined) {
      return negotiate(router, speaker);
    }
    return this.#opening.has(connection) ? BEFORE_OPEN : this.#running;
  }

  #side(connection: number, who: 'speaker' | 'router'): Side {
    const key = `${connection} ${who}`;
    const side = this.#sides.get(key) ?? { framer: new MessageFramer(), open: undefined };
    this.#sides.set(key, side);
    return side;
  }
}

function isUpdate({ said }: WireMessage): boolean {
  return said.some((word) => TOLD.test(word));
}

function wireMessage(message: Message, connection: number, timeMs: number): WireMessage {
  if (message.kind !== 'update') {
    const said =
      message.kind === 'notification' ? `notification ${message.code}/${message.subcode}` : message.kind;
    return { connection, timeMs, said: [said], communities: [] };
  }
  const { attributes, announced, withdrawn, reach, unreach } = message;
  const family = endOfRibFamily(message);
  const communities = [...(attributes.communities ?? []), ...(attributes.largeCommunities ?? [])];
  return {
    connection,
    timeMs,
    said: [
      ...announced.map(({ prefix }) => `+${prefix.text} ${attributes.nextHop?.text}`),
      ...(reach?.nlri ?? []).map(({ prefix }) => `+${prefix.text} ${reach?.nextHop.text}`),
      ...[...withdrawn, ...(unreach?.nlri ?? [])].map(({ prefix }) => `-${prefix.text}`),
      ...(family === undefined ? [] : [`end-of-rib ${family}`]),
    ],
    communities: communities.map(({ text }) => text),
  };
}
