// The pods of a node hear nothing any more from some addresses, nor those from them, while the node itself does: a
// partition that only a replica of Herald sees.

import type { Namespace } from '@herald/lab';

/** The machine that leads to the pods. */
export interface Gateway {
  readonly namespace: Namespace;
}

const TABLE = 'pod_cut';

export async function whileCut(
  node: Gateway,
  addresses: readonly string[],
  act: () => Promise<unknown>,
): Promise<void> {
  await cutPods(node, addresses);
  try {
    await act();
  } finally {
    await node.namespace.tryRun(['nft', 'delete', 'table', 'inet', TABLE]);
  }
}

async function cutPods(node: Gateway, addresses: readonly string[]): Promise<void> {
  const rules = addresses.flatMap((address) => {
    const family = address.includes(':') ? 'ip6' : 'ip';
    return [`    ${family} daddr ${address} drop`, `    ${family} saddr ${address} drop`];
  });
  const table = [
    `table inet ${TABLE} {`,
    '  chain forward {',
    '    type filter hook forward priority 10; policy accept;',
    ...rules,
    '  }',
    '}',
    '',
  ];
  await node.namespace.run(['nft', '-f', '-'], table.join('\n'));
}
