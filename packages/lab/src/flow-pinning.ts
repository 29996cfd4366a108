/**
 * Makes a Linux router keep each flow on the next hop that its first packet took, as switches with resilient
 * hashing do: when a prefix gains or loses next hops, only new flows see it. Without this, Linux spreads the
 * packets of a running connection anew, and a request that is just being answered meets another worker.
 *
 * A first packet chooses anew whatever the kernel still knows of its ports: no switch remembers a next hop that is gone.
 *
 * In: the router's namespace and the next hops. Marks the flow in conntrack with the number of the next hop that
 * routing chose for its first packet, and routes later packets by that mark.
 */
import type { HostAddresses } from './address-plan.ts';
import type { Namespace } from './namespace.ts';

const TABLE = 'lab_pinning';
/** Routing tables and marks of next hops; the kernel's own tables are 253 to 255. */
const FIRST_MARK = 1_000;

export async function pinFlows(
  namespace: Namespace,
  device: string,
  hops: readonly HostAddresses[],
): Promise<void> {
  await namespace.run(['nft', '-f', '-'], pinningRules(hops));
  for (const family of ['ipv4', 'ipv6'] as const) {
    const lines = hops.flatMap((hop, index) => tableLines(hop[family], device, FIRST_MARK + index));
    const flag = family === 'ipv4' ? '-4' : '-6';
    await namespace.run(['ip', flag, '-batch', '-'], `${lines.join('\n')}\n`);
  }
}

function tableLines(address: string, device: string, mark: number): string[] {
  return [
    `rule add fwmark ${mark} lookup ${mark}`,
    `route add default via ${address} dev ${device} table ${mark}`,
  ];
}

function pinningRules(hops: readonly HostAddresses[]): string {
  const elements = (family: keyof HostAddresses): string =>
    hops.map((hop, index) => `${hop[family]} : ${FIRST_MARK + index}`).join(', ');
  return `table inet ${TABLE} {
  map hops4 { type ipv4_addr : mark; elements = { ${elements('ipv4')} } }
  map hops6 { type ipv6_addr : mark; elements = { ${elements('ipv6')} } }
  chain prerouting {
    type filter hook prerouting priority mangle; policy accept;
    ct direction original tcp flags & (syn | ack) != syn meta mark set ct mark
  }
  chain postrouting {
    type filter hook postrouting priority mangle; policy accept;
    ct direction original tcp flags & (syn | ack) == syn ct mark set rt ip nexthop map @hops4
    ct direction original tcp flags & (syn | ack) == syn ct mark set rt ip6 nexthop map @hops6
  }
}
`;
}
