/**
 * The one broadcast domain of a lab, who is on it, and the networks that hang behind its members.
 *
 * In: machines by label and address, stub networks by the machine that leads to them. Out: connected namespaces;
 * everybody on the segment knows the way to every stub. Nothing here knows what a machine is for.
 */
import { SEGMENT_PREFIXES, withLengths } from './address-plan.ts';
import type { HostAddresses, StubLink } from './address-plan.ts';
import type { Lab } from './lab.ts';
import { addBridge, connect, plug } from './namespace.ts';
import type { Namespace } from './namespace.ts';

const BRIDGE = { device: 'br0' } as const;
export const UPLINK = 'eth0';
const STUB = 'eth1';

/** A network that hangs behind one machine of the segment. */
interface Stub {
  readonly prefixes: StubLink['prefixes'];
  readonly behind: HostAddresses;
}

export class Segment {
  readonly #lab: Lab;
  readonly #fabric: Namespace;
  readonly #members = new Map<Namespace, HostAddresses>();
  readonly #stubs: Stub[] = [];

  private constructor(lab: Lab, fabric: Namespace) {
    this.#lab = lab;
    this.#fabric = fabric;
  }

  static async create(lab: Lab): Promise<Segment> {
    const fabric = await lab.namespace('fabric');
    await addBridge(fabric, BRIDGE.device);
    return new Segment(lab, fabric);
  }

  async join(label: string, addresses: HostAddresses): Promise<Namespace> {
    const namespace = await this.#lab.namespace(label);
    await namespace.forward();
    const end = { namespace, device: UPLINK, addresses: withLengths(addresses, SEGMENT_PREFIXES) };
    await plug({ namespace: this.#fabric, ...BRIDGE }, end, label.slice(-15));
    this.#members.set(namespace, addresses);
    return namespace;
  }

  /** A namespace whose only way out is `gateway`. */
  async stub(label: string, gateway: Namespace, behind: HostAddresses, link: StubLink): Promise<Namespace> {
    const namespace = await this.#lab.namespace(label);
    await connect(
      { namespace: gateway, device: STUB, addresses: withLengths(link.near, link.prefixes) },
      { namespace, device: UPLINK, addresses: withLengths(link.far, link.prefixes) },
    );
    await namespace.addRoutes([
      ['0.0.0.0/0', link.near.ipv4],
      ['::/0', link.near.ipv6],
    ]);
    this.addStub(link.prefixes, behind);
    return namespace;
  }

  /** A network that somebody else makes behind a member, such as a node's pods. */
  addStub(prefixes: StubLink['prefixes'], behind: HostAddresses): void {
    this.#stubs.push({ prefixes, behind });
  }

  /** Everybody on the segment learns the way to what hangs behind the others. */
  async addStubRoutes(): Promise<void> {
    await Promise.all([...this.#members].map(([namespace, own]) => this.#addRoutes(namespace, own)));
  }

  #addRoutes(namespace: Namespace, own: HostAddresses): Promise<void> {
    const others = this.#stubs.filter(({ behind }) => behind.ipv4 !== own.ipv4);
    return namespace.addRoutes(
      others.flatMap(({ prefixes, behind }) => [
        [prefixes[0], behind.ipv4] as const,
        [prefixes[1], behind.ipv6] as const,
      ]),
    );
  }
}
