/**
 * Routers that take one path a prefix: each has a table of its own in bgpd, one next hop for every prefix, Services
 * spread over the nodes, policy of its own; and moves back once it takes several.
 */
import { notYet, waitFor, type IpFamily, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';
import { logged } from '../support/herald-log.ts';
import { advertisement, node, pool, service, slice } from '../support/manifests.ts';

type Name = 'full' | 'frr' | 'bird' | 'half';
const KINDS = { full: 'frr-root', frr: 'frr', bird: 'bird', half: 'bird' } as const;
const ASNS: Readonly<Record<Name, number>> = { full: 65_001, frr: 65_002, bird: 65_003, half: 65_004 };
/** Families for which the router takes several paths at first. */
const RECEIVES: Readonly<Record<Name, readonly IpFamily[]>> = { full: [4, 6], frr: [], bird: [], half: [4] };
const NAMES = ['full', 'frr', 'bird', 'half'] as const;
const WEB = ['203.0.113.1', '2001:db8:53::1'] as const;

let scene: PeerScene<Name>;

function options(name: Name, addPathReceive: readonly IpFamily[]): RouterOptions {
  const address = scene.topology.podVisibleAs().ipv4;
  const neighbor = { address, asn: HERALD_ASN, multihop: 255, passive: true, families: [4, 6] as const };
  return {
    asn: ASNS[name],
    routerId: scene.topology.router(name).ipv4,
    neighbors: [{ ...neighbor, addPathReceive, gracefulRestart: 'off' }],
  };
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({ name: 'peers-plain', routers: KINDS, workers: 3 });
  await Promise.all(NAMES.map((name) => scene.topology.router(name).start(options(name, RECEIVES[name]))));
  scene.writeService('web', WEB);
  NAMES.forEach((name) => writePeer(name));
  await scene.startHerald();
  await scene.established(...NAMES);
});

afterAll(() => scene?.close());

function writePeer(name: Name, spec: Readonly<Record<string, unknown>> = {}): void {
  const address = { peerAddress: scene.topology.router(name).ipv4, peerASN: ASNS[name] };
  scene.writePeer(name, { ...address, addressFamilies: ['IPv4', 'IPv6'], ...spec });
}

/** The one next hop that a router has for a prefix, as "prefix nextHop". */
async function onlyHop(name: Name, prefix: string): Promise<string> {
  return await waitFor(`${name} has one next hop for ${prefix}`, async () => {
    const hops = (await scene.routes(name)).filter((route) => route.startsWith(`${prefix} `));
    return (hops.length === 1 && hops[0]) || notYet(hops);
  });
}

async function inView(name: Name): Promise<void> {
  await scene.sessionAfter(name, 1);
  await scene.peerIs(name, 'established in its own table', ({ instance, session }) => {
    return instance.startsWith('plain-') && session.state === 'Established';
  });
}

describe('B2 a router without ADD-PATH', () => {
  test.each(['frr', 'bird'] as const)('B2 %s: one next hop a prefix, said in its status', async (name) => {
    await inView(name);
    const view = await scene.peerIs(name, 'told why', ({ reason }) => reason === 'NoAddPath');
    expect(view).toMatchObject({ accepted: true, message: expect.stringContaining('IPv4 and IPv6') });
    expect(view.families.map(({ addPath }) => addPath)).toEqual(['not negotiated', 'not negotiated']);
    const hops = await Promise.all([onlyHop(name, `${WEB[0]}/32`), onlyHop(name, `${WEB[1]}/128`)]);
    const possible = [...scene.through(`${WEB[0]}/32`), ...scene.through(`${WEB[1]}/128`)];
    expect(possible).toEqual(expect.arrayContaining(hops));
  });

  test('B2 the move is one session reset, logged, and is not felt by the router with ADD-PATH', async () => {
    await inView('frr');
    const moves = logged(scene.herald.controller, 'peer-moved');
    expect(moves.filter(({ peer }) => peer === 'frr')).toEqual([
      expect.objectContaining({ from: 'default', to: expect.stringMatching(/^plain-\d+$/) }),
    ]);
    const pod = scene.topology.podVisibleAs().ipv4;
    expect(await Promise.all(NAMES.map((name) => dropped(name, pod)))).toEqual([0, 1, 1, 1]);
    await scene.routesAre('full', [...scene.through(`${WEB[0]}/32`), ...scene.through(`${WEB[1]}/128`)]);
  });

  test('B2 half: several next hops in the family that it takes them for, one in the other', async () => {
    await inView('half');
    const view = await scene.peerIs('half', 'told why', ({ reason }) => reason === 'NoAddPath');
    expect(view.message).toContain('IPv6');
    expect(view.message).not.toContain('IPv4');
    expect(view.families.map(({ addPath }) => addPath)).toEqual(['negotiated', 'not negotiated']);
    const hop = await onlyHop('half', `${WEB[1]}/128`);
    await scene.routesAre('half', [...scene.through(`${WEB[0]}/32`), hop]);
  });

  test('B2 next hops that are for one peer only are what it gets', async () => {
    const [, second] = scene.topology.workers;
    const cidrs = [`${second?.ipv4}/32`, `${second?.ipv6}/128`];
    writePeer('bird', { nextHop: { cidrs } });
    await scene.routesAre('bird', [
      ...scene.through(`${WEB[0]}/32`, 1),
      ...scene.through(`${WEB[1]}/128`, 1),
    ]);
    await onlyHop('frr', `${WEB[0]}/32`);
    writePeer('bird');
  });

  test('B2 a policy for one of them reaches it and no other', async () => {
    scene.manifests.write('policy', advertisement('coloured', { peers: ['frr'], communities: ['65000:77'] }));
    const communities = async (name: Name): Promise<string[]> => {
      const paths = await scene.topology.router(name).table(4);
      return paths.filter(({ prefix }) => prefix === `${WEB[0]}/32`).flatMap((path) => path.communities);
    };
    await waitFor('frr has the community', async () => {
      const found = await communities('frr');
      return found.join() === '65000:77' || notYet(found);
    });
    expect(await Promise.all([communities('bird'), communities('full')])).toEqual([[], []]);
    scene.manifests.remove('policy');
  });

  const NODES = 10;
  const SERVICES = 1000;
  const UNEVEN = 1.5;

  test('B2 1,000 Services spread over 10 nodes: the largest share is at most 1.5 times the smallest', async () => {
    const names = Array.from({ length: NODES }, (_, index) => `node-${index}`);
    const nodes = names.map((name, index) => node(name, { ipv4: `192.0.2.${201 + index}` }));
    const services = Array.from({ length: SERVICES }, (_, index) => {
      const addresses = [`100.64.${index >> 8}.${index & 255}`];
      return [service(`bulk-${index}`, { addresses }), slice(`bulk-${index}`, names)];
    });
    const toPlain = { ipAddressPools: ['bulk'], peers: ['frr', 'bird'] };
    scene.manifests.write('advertisement', advertisement('default', { ipAddressPools: ['public'] }));
    scene.manifests.write(
      'bulk-nodes',
      ...nodes,
      pool('bulk', ['100.64.0.0/16']),
      advertisement('bulk', toPlain),
    );
    scene.manifests.writeMany('bulk', services.flat());
    await Promise.all((['frr', 'bird'] as const).map(isSpread));
    scene.manifests.remove('bulk');
    scene.manifests.remove('bulk-nodes');
    scene.manifests.write('advertisement', advertisement('default'));
    await waitFor('they are gone', async () => (await scene.routes('bird')).length === 2, 30_000);
  });

  async function isSpread(name: Name): Promise<void> {
    const hops = await waitFor(
      `${name} has 1,000 more routes`,
      async () => {
        const routes = (await scene.routes(name)).filter((route) => route.startsWith('100.64.'));
        return routes.length === SERVICES
          ? routes.map((route) => route.split(' ')[1] ?? '')
          : notYet(routes.length);
      },
      60_000,
    );
    const shares = [...Map.groupBy(hops, (hop) => hop).values()].map(({ length }) => length);
    expect(shares).toHaveLength(NODES);
    expect(Math.max(...shares) / Math.min(...shares)).toBeLessThanOrEqual(UNEVEN);
  }

  test('B2 a router that is given ADD-PATH moves back, by one more reset, and gets every next hop', async () => {
    const { router } = scene.topology.sites.bird;
    const pod = scene.topology.podVisibleAs().ipv4;
    const others = async () =>
      await Promise.all(['full', 'frr', 'half'].map((name) => dropped(name as Name, pod)));
    const before = await others();
    await router.reconfigure(options('bird', [4, 6]));
    await scene.peerIs('bird', 'in the shared instance', ({ instance, reason, session }) => {
      return instance === 'shared' && reason === 'Accepted' && session.state === 'Established';
    });
    await scene.routesAre('bird', [...scene.through(`${WEB[0]}/32`), ...scene.through(`${WEB[1]}/128`)]);
    expect(await others()).toEqual(before);
    const moves = logged(scene.herald.controller, 'peer-moved').filter(({ peer }) => peer === 'bird');
    expect(moves.map(({ to }) => to)).toEqual([expect.stringMatching(/^plain-/), 'default']);
    await waitFor('its view and the feed of it are gone', async () => {
      const instances = Object.keys(await scene.topology.pod().vtyJson('show bgp vrf all neighbors json'));
      const { feeds } = await scene.herald.get<{ feeds: readonly unknown[] }>('/api/v1/status');
      return (instances.length === 3 && feeds.length === 3) || notYet([instances, feeds]);
    });
  });
});

function dropped(name: Name, pod: string): Promise<number> {
  return scene.topology.router(name).connectionsDropped(pod);
}
