// One SessionPlan a behaviour, each with a golden file of its name. Shared by the golden test and by the
// test that lets a real bgpd run them one after the other.

import type { SessionPlan } from '@herald/decision';
import { address } from '@herald/net';
import { peer, plan, view } from './session-plan.ts';

const V6_ROUTER = address('2001:db8:2::2');

function fifty(): SessionPlan {
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
  return plan(
    ...numbers.map((number) =>
      peer(`leaf-${String(number).padStart(2, '0')}`, {
        number,
        address: address(`198.51.100.${number}`),
        remoteAs: 65000 + number,
      }),
    ),
  );
}

export const BEHAVIOURS: Readonly<Record<string, SessionPlan>> = {
  'no-peer': plan(),
  'ebgp-ipv4': plan(peer('tor-1')),
  'ebgp-ipv6': plan(peer('tor-1', { address: V6_ROUTER })),
  ibgp: plan(peer('rr-1', { remoteAs: 65000, internal: true })),
  multihop: plan(
    peer('far-1', { ebgpMultiHop: 255 }),
    peer('far-2', { number: 8, address: address('192.0.2.3'), ebgpMultiHop: 3 }),
  ),
  'multihop-ibgp': plan(peer('rr-1', { remoteAs: 'internal', internal: true, ebgpMultiHop: 255 })),
  gtsm: plan(peer('tor-1', { ttlSecurityHops: 2, ebgpMultiHop: 255 })),
  md5: plan(peer('tor-1', { password: 'a#b!c?d|e"\'$' })),
  'dynamic-asn': plan(
    peer('any-1', { remoteAs: 'external' }),
    peer('any-2', {
      number: 8,
      address: address('192.0.2.3'),
      remoteAs: 'internal',
      internal: true,
    }),
  ),
  'four-octet-asn': plan(peer('tor-1', { remoteAs: 4_200_000_001 })),
  'local-as': plan(peer('tor-1', { localAs: 4_200_000_002 })),
  'source-address': plan(peer('tor-1', { sourceAddress: address('192.0.2.9'), port: 1179 })),
  'staged-view': plan({
    ...peer('tor-1', { instance: view(7), addPath: { 4: false, 6: false } }),
    staged: true,
  }),
  'staged-shared': plan({ ...peer('tor-1'), staged: true }),
  shutdown: plan(peer('tor-1', { shutdown: true })),
  'shutdown-message': plan(
    Object.assign(peer('tor-1', { shutdown: true }), { shutdownMessage: 'Herald replica a\nends' }),
  ),
  timers: plan(peer('tor-1', { holdTimeSeconds: 0, keepaliveTimeSeconds: 0, connectTimeSeconds: 120 })),
  'mixed-families': plan(
    peer('tor-1', { families: [4, 6] }),
    peer('tor-2', { number: 8, address: V6_ROUTER, families: [4, 6] }),
  ),
  'plain-view': plan(
    peer('tor-1', { instance: view(7), addPath: { 4: false, 6: false }, families: [4, 6] }),
    peer('tor-2', { number: 8, address: address('192.0.2.3') }),
  ),
  'view-one-family': plan(
    peer('tor-1', { instance: view(7), addPath: { 4: true, 6: false }, families: [4, 6] }),
  ),
  'graceful-restart': plan(
    peer('tor-1', {
      gracefulRestart: {
        enabled: true,
        restartTimeSeconds: 300,
        longLivedStaleTimeSeconds: 3600,
      },
    }),
    peer('tor-2', {
      number: 8,
      address: address('192.0.2.3'),
      gracefulRestart: {
        enabled: true,
        restartTimeSeconds: 60,
        longLivedStaleTimeSeconds: undefined,
      },
    }),
    peer('tor-3', { number: 9, address: address('192.0.2.4') }),
  ),
  'fifty-peers': fifty(),
};
