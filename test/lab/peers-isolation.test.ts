/**
 * What is done to one peer is not felt by any other: two routers that must notice nothing, and two more to which
 * everything happens. What a router is told is read from the wire.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { notYet, waitFor, type RouterOptions } from '@herald/lab';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';

import { advertisement, node, pool, secret } from '../support/manifests.ts';
import { HERALD_ASN, PeerScene } from '../support/peer-scene.ts';
import { WireLog } from '../support/wire-log.ts';

type Name = 'calm' | 'plain' | 'busy' | 'other';
const KINDS = { calm: 'frr', plain: 'bird', busy: 'frr-root', other: 'bird' } as const;
const ASNS: Readonly<Record<Name, number>> = { calm: 65_001, plain: 65_002, busy: 65_003, other: 65_004 };
const UNDISTURBED = ['calm', 'plain'] as const;
const ALL = '203.0.113.1/32';
const MINE = '203.0.113.2/32';

let scene: PeerScene<Name>;

function options(name: Name, password?: string): RouterOptions {
  const address = scene.topology.podVisibleAs().ipv4;
  const neighbor = {
    address,
    asn: HERALD_ASN,
    multihop: 255,
    passive: true,
    gracefulRestart: 'helper' as const,
  };
  const plain = name === 'plain' ? { addPathReceive: [] } : {};
  const neighbors = [{ ...neighbor, ...plain, ...(password === undefined ? {} : { password }) }];
  return { asn: ASNS[name], routerId: scene.topology.router(name).ipv4, neighbors };
}

function writePeer(name: Name, spec: Readonly<Record<string, unknown>> = {}): void {
  scene.writePeer(name, { peerAddress: scene.topology.router(name).ipv4, peerASN: ASNS[name], ...spec });
}

beforeAll(async () => {
  scene = await PeerScene.open<Name>({ name: 'peers-calm', routers: KINDS, workers: 2 });
  const names = Object.keys(KINDS) as Name[];
  await Promise.all(names.map((name) => scene.topology.router(name).start(options(name))));
  scene.writeService('all', ['203.0.113.1']);
  scene.writeService('mine', ['203.0.113.2'], undefined, { audience: 'other' });
  const withoutAudience = [{ matchExpressions: [{ key: 'audience', operator: 'DoesNotExist' }] }];
  scene.manifests.write('advertisement', advertisement('default', { serviceSelectors: withoutAudience }));
  const forOther = { serviceSelectors: [{ matchLabels: { audience: 'other' } }], peers: ['other'] };
  scene.manifests.write('advertisement-other', advertisement('for-other', forOther));
  UNDISTURBED.forEach((name) => writePeer(name));
  await scene.startHerald();
  await scene.sessionAfter('plain', 1);
  await waitFor('plain has its one route', async () => (await scene.routes('plain')).length === 1);
  await scene.routesAre('calm', scene.through(ALL));
});

afterAll(() => scene?.close());

async function dropped(): Promise<number[]> {
  const pod = scene.topology.podVisibleAs().ipv4;
  return await Promise.all(UNDISTURBED.map((name) => scene.topology.router(name).connectionsDropped(pod)));
}

describe('B4 B5 B8 others notice nothing', () => {
  let wires: readonly WireLog[];
  let before: readonly number[];

  beforeEach(async () => {
    const { lab, topology } = scene;
    const speaker = topology.podVisibleAs().ipv4;
    wires = await Promise.all(UNDISTURBED.map((name) => WireLog.start(lab, topology.router(name), speaker)));
    before = await dropped();
  });

  afterEach(async () => {
    const after = await dropped();
    await Promise.all(wires.map((wire) => wire.stop()));
    expect(after).toEqual(before);
    expect(wires.map((wire) => wire.updates())).toEqual([[], []]);
  });

  test('B4 a peer is added', async () => {
    writePeer('busy');
    await scene.routesAre('busy', scene.through(ALL));
  });

  test('B4 its timers change', async () => {
    writePeer('busy', { holdTime: '90s', keepaliveTime: '20s', connectTime: '2s' });
    await scene.peerIs('busy', 'established anew', ({ session }) => {
      return session.state === 'Established' && session.connectionsDropped === 1;
    });
    await scene.routesAre('busy', scene.through(ALL));
  });

  test('B4 its policy changes', async () => {
    const [first] = scene.topology.workers;
    writePeer('busy', { holdTime: '90s', keepaliveTime: '20s', nextHop: { cidrs: [`${first?.ipv4}/32`] } });
    await scene.routesAre('busy', scene.through(ALL, 0));
    expect((await scene.peers()).get('busy')?.session.connectionsDropped).toBe(1);
    writePeer('busy', { holdTime: '90s', keepaliveTime: '20s', rank: { mode: 'None' } });
    await scene.routesAre('busy', scene.through(ALL));
  });

  test('B4 it is removed', async () => {
    scene.removePeer('busy');
    await scene.routesAre('busy', []);
  });

  test('B5 a later peer with the same address is refused with a reason', async () => {
    const calm = scene.topology.router('calm').ipv4;
    const copy = { peerAddress: calm, peerASN: 65_099 };
    scene.writePeer('zz-copy', copy);
    const view = await scene.peerIs(
      'zz-copy',
      'refused',
      ({ accepted, reason }) => !accepted && reason !== 'Undecided',
    );
    expect(view).toMatchObject({ reason: 'DuplicatePeerAddress', instance: 'none' });
    expect((await scene.peers()).get('calm')).toMatchObject({
      accepted: true,
      session: { state: 'Established' },
    });
    scene.removePeer('zz-copy');
  });

  test('B5 a later peer with the same address and another port is refused as well', async () => {
    const calm = scene.topology.router('calm').ipv4;
    scene.writePeer('zz-port', { peerAddress: calm, peerPort: 1179, peerASN: 65_099 });
    await scene.peerIs('zz-port', 'refused', ({ reason }) => reason === 'DuplicatePeerAddress');
    scene.removePeer('zz-port');
    await waitFor('it is gone', async () => !(await scene.peers()).has('zz-port'));
  });

  describe('B5 a password', () => {
    const wrongType = { type: 'kubernetes.io/tls' };
    const spec = { passwordSecret: { name: 'bgp', key: 'busy' } };

    test('B5 a Secret that is missing: no session, a reason', async () => {
      await scene.topology.router('busy').reconfigure(options('busy', 'one'));
      writePeer('busy', spec);
      await scene.peerIs('busy', 'refused', ({ reason }) => reason === 'SecretMissing');
      expect((await scene.peers()).get('busy')?.session.state).toBe('Unknown');
    });

    test('B5 of the wrong type: still none, another reason; fixed: up', async () => {
      scene.manifests.write('secret', secret('bgp', { busy: 'one' }, wrongType));
      await scene.peerIs('busy', 'refused', ({ reason }) => reason === 'SecretInvalid');
      scene.manifests.write('secret', secret('bgp', { busy: 'one' }));
      const view = await scene.peerIs('busy', 'up', ({ session }) => session.state === 'Established');
      expect(view).toMatchObject({ accepted: true, session: { authenticated: true } });
      await scene.routesAre('busy', scene.through(ALL));
    });

    test('B5 the Secret goes: the running session is left as it runs', async () => {
      const { connectionsDropped } = (await scene.peers()).get('busy')?.session ?? {};
      scene.manifests.remove('secret');
      await scene.peerIs('busy', 'without its Secret', ({ reason }) => reason === 'SecretMissing');
      scene.manifests.write('secret', secret('bgp', { busy: 'one' }, wrongType));
      await scene.peerIs('busy', 'without its Secret', ({ reason }) => reason === 'SecretInvalid');
      const view = await scene.peerIs('busy', 'up', ({ session }) => session.state === 'Established');
      expect(view.session.connectionsDropped).toBe(connectionsDropped);
      await scene.routesAre('busy', scene.through(ALL));
      scene.manifests.write('secret', secret('bgp', { busy: 'one' }));
      await scene.peerIs('busy', 'accepted', ({ accepted }) => accepted);
    });

    test('B1 the password is rotated on both sides', async () => {
      await scene.topology.router('busy').reconfigure(options('busy', 'two'));
      scene.manifests.write('secret', secret('bgp', { busy: 'wrong' }));
      await scene.peerIs('busy', 'down', ({ session }) => session.state !== 'Established');
      scene.manifests.write('secret', secret('bgp', { busy: 'two' }));
      const view = await scene.peerIs('busy', 'up', ({ session }) => session.state === 'Established');
      expect(view.session.authenticated).toBe(true);
      scene.removePeer('busy');
      await scene.routesAre('busy', []);
    });
  });
});

describe('B8 tags', () => {
  test('B8 a community that looks like an internal tag is refused with a fault, and nothing is sent of it', async () => {
    const before = await scene.routes('calm');
    scene.manifests.write('forged', advertisement('forged', { communities: ['4294967295:1:0', '65000:1'] }));
    const fault = await waitFor('the fault is said', async () => {
      const faults = await scene.faults();
      return faults.find(({ object }) => object === 'BGPAdvertisement forged') ?? notYet(faults);
    });
    expect(fault).toMatchObject({ reason: 'ReservedCommunity', field: 'spec.communities[0]' });
    expect(await scene.routes('calm')).toEqual(before);
    scene.manifests.remove('forged');
  });

  test('B8 a new peer is told what is for it and nothing else, not even for a moment', async () => {
    const { lab, topology } = scene;
    const wire = await WireLog.start(lab, topology.router('busy'), topology.podVisibleAs().ipv4);
    const [first, second] = topology.workers;
    await topology.router('busy').reconfigure(options('busy'));
    // Narrowed: what was for everybody is for everybody but this one from now on.
    writePeer('busy', { nextHop: { cidrs: [`${second?.ipv4}/32`] } });
    await scene.routesAre('busy', scene.through(ALL, 1));
    writePeer('busy', { nextHop: { cidrs: [`${first?.ipv4}/32`] } });
    await scene.routesAre('busy', scene.through(ALL, 0));
    scene.removePeer('busy');
    await scene.routesAre('busy', []);
    await wire.stop();
    const [session] = wire.sessions;
    // The last word may be missing: the session ends as well.
    expect(wire.updates(session).filter((word) => word !== `-${ALL}`)).toEqual([
      `+${ALL} ${second?.ipv4}`,
      'end-of-rib 4',
      `+${ALL} ${first?.ipv4}`,
    ]);
    expect({ problems: wire.problems, communities: wire.communities }).toEqual({
      problems: [],
      communities: [],
    });
  });

  test('B8 the number of a deleted peer is not used again, and its routes are not for its successor', async () => {
    writePeer('other');
    await scene.routesAre('other', [...scene.through(ALL), ...scene.through(MINE)]);
    const numbers = (): Set<string> => {
      const text = readFileSync(join(scene.topology.pod().sharedDirectory, 'frr/frr.conf'), 'utf8');
      return new Set([...text.matchAll(/^route-map herald-out-(\d+)/gm)].map(([, number = '']) => number));
    };
    const known = numbers();
    const address = { peerAddress: scene.topology.router('other').ipv4, peerASN: ASNS.other };
    const wire = await WireLog.start(
      scene.lab,
      scene.topology.router('other'),
      scene.topology.podVisibleAs().ipv4,
    );
    scene.removePeer('other');
    await scene.routesAre('other', []);
    scene.writePeer('successor', address);
    await scene.routesAre('other', scene.through(ALL));
    await wire.stop();
    const added = [...numbers()].filter((number) => !known.has(number));
    expect(added).toHaveLength(1);
    const told = wire.updates(wire.sessions.at(-1)).filter((word) => word.startsWith('+'));
    expect(told.some((word) => word.includes(MINE))).toBe(false);
    scene.removePeer('successor');
    await scene.routesAre('other', []);
  });
});

describe('B10 prefixes that cover infrastructure', () => {
  const extra = node('extra', { ipv4: '203.0.113.77', spec: { podCIDRs: ['203.0.113.96/28'] } });

  test.each([
    ['a node', '203.0.113.77'],
    ['a pod range', '203.0.113.100'],
    ['a peer', '203.0.113.200'],
  ])('B10 a Service on the address of %s is refused, also when it comes later', async (_, address) => {
    scene.writeService('covers', [address]);
    await scene.routesAre('calm', [...scene.through(ALL), ...scene.through(`${address}/32`)]);
    scene.manifests.write('extra', extra);
    scene.writePeer('far', { peerAddress: '203.0.113.200', peerASN: 65_077 });
    await scene.serviceIs('covers', 'CoversInfrastructure');
    await scene.routesAre('calm', scene.through(ALL));
    scene.manifests.remove('extra');
    scene.removePeer('far');
    await scene.serviceIs('covers', 'Advertised');
    await scene.routesAre('calm', [...scene.through(ALL), ...scene.through(`${address}/32`)]);
    scene.manifests.remove('service-covers');
    await scene.routesAre('calm', scene.through(ALL));
  });

  test('B10 an aggregate over a node is refused, and the Services inside with it', async () => {
    const aggregation = { length: 25, unassigned: 'RouterDiscards' };
    scene.manifests.write('extra', node('extra', { ipv4: '203.0.113.90' }), pool('aside', ['198.18.0.0/24']));
    scene.manifests.write('aggregate', advertisement('aggregate', { aggregation }));
    await waitFor('the reason is said', async () => {
      const view = await scene.service('all');
      const remarks = JSON.stringify(view);
      return remarks.includes('CoversInfrastructure') || notYet(view);
    });
    const routes = await scene.routes('calm');
    expect(routes.filter((route) => route.startsWith('203.0.113.0/25'))).toEqual([]);
    scene.manifests.remove('aggregate');
    scene.manifests.remove('extra');
    await scene.routesAre('calm', scene.through(ALL));
  });
});
