// What a process had decided when it was killed, as the tests of the kept table need it: two routers of which one takes
// one path a prefix, four Services, and the content that is kept of it.

import { decide, emptyMemory, keptTables } from '@herald/decision';
import type { Decided, Memory, RetainedPath, RetainedTables, Tables } from '@herald/decision';
import { MARKER_PREFIX } from '@herald/frr';
import { pathAttributes, type RouteTable } from '@herald/net';

import { inSlices } from '../../src/in-slices.ts';
import { keptSessions, type KeptContent, type KeptOwner } from '../../src/kept/kept-content.ts';
import { sceneWorld } from '../../../decision/test/routes/small-world.ts';
import type { Scene } from '../../../decision/test/routes/small-world.ts';
import { PLAIN_ATTRIBUTES } from '../plain-attributes.ts';

export const OWNER: KeptOwner = { uid: 'pod-1', asn: 64_500, routerId: '192.0.2.1', build: '1.0.0' };
const ORDINAL = 42;

const PLAIN = { offers: { 4: false, 6: false }, localAs: 64_501 } as const;

export const SCENE: Scene = {
  services: {
    web: { on: 'a b' },
    other: { on: 'b c', ips: '203.0.113.2' },
    six: { on: 'a d', ips: '203.0.113.3 2001:db8::3', ipFamilies: [4, 6] },
  },
  peers: { tor: {}, spine: { passwordSecret: { name: 'md5', key: 'spine' } }, plain: PLAIN },
  ads: {
    default: { asPathPrepend: 1, nextHops: { weight: 'Endpoints' } },
    quiet: { peers: ['spine'] },
  },
};

export function decided(scene: Scene = SCENE): Decided {
  return decide(sceneWorld(scene), emptyMemory());
}

export async function kept({ decision, memory }: Decided = decided()): Promise<KeptContent> {
  const others = ['http://192.0.2.7:8443'];
  return { sessions: keptSessions(decision.sessions), tables: await tablesOf(memory), others };
}

async function tablesOf(memory: Memory): Promise<Tables> {
  const made = await inSlices(keptTables(memory, ORDINAL, undefined));
  if (made === undefined) {
    throw new Error('something was decided');
  }
  return made.tables;
}

/** Table -> `prefix path-id next-hop attributes`, sorted. */
export function rows({ shared, views }: Tables): Record<string, readonly string[]> {
  const each = Array.from(views, ([name, table]) => [name, rowsOf(table)] as const);
  return { '': rowsOf(shared), ...Object.fromEntries(each) };
}

function rowsOf(table: RouteTable): readonly string[] {
  const all = Array.from(table, ([text, { paths }]) =>
    paths.map(({ pathId, nextHop, attributes }) => `${text} ${pathId} ${nextHop.text} ${attributes.key}`),
  );
  return all.flat().sort();
}

export type Held = ReadonlyMap<string, readonly RetainedPath[]>;

const MARKER: RetainedPath = {
  nextHop: MARKER_PREFIX.address.text,
  pathId: 1,
  attributes: PLAIN_ATTRIBUTES,
};

/** As it is read from bgpd, complete: which AS number was prepended is not known. */
export function held(table: RouteTable): Held {
  const routes = Array.from(table, ([text, { paths }]) => {
    const of = paths.map(({ pathId, nextHop, attributes }) => {
      const asPath = attributes.asPath.map(() => 0);
      return { pathId, nextHop: nextHop.text, attributes: pathAttributes({ ...attributes, asPath }) };
    });
    return [text, of] as const;
  });
  return new Map([...routes, [MARKER_PREFIX.text, [MARKER]]]);
}

export function heldTables({ shared, views }: Tables): RetainedTables {
  return new Map([['', held(shared)], ...Array.from(views, ([name, of]) => [name, held(of)] as const)]);
}
