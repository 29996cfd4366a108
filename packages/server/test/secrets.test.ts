// No secret in any answer: planted in every place that can hold one, looked for in every form.

import { PersistentMap, address } from '@herald/net';
import { secretData } from '@herald/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server, Views } from '../src/index.ts';
import { MASK, renderPlain, renderTime, type Plain } from '../src/render/plain.ts';
import { PLANTED, peer, planned, serve, views } from './fixture.ts';

const base = views();

/** A state in which every peer has a password and every Secret holds one. */
function full(): Partial<Views> {
  const names = ['tor-1', 'tor-2', 'plain', 'refused'];
  const secret = {
    ...[...base.world.secrets.values()][0],
    kind: 'Secret' as const,
    name: 'other',
    uid: 'u',
    createdAt: 0,
    labels: {},
    namespace: 'herald',
    key: 'herald/other',
    type: 'Opaque',
    data: secretData(names.map((name) => [name, `${PLANTED}-${name}`])),
  };
  const peers = names.map((name) => peer(name, { passwordSecret: { name: 'other', key: name } }));
  const settings = { ...base.settings, password: PLANTED, data: { token: PLANTED }, secrets: [PLANTED] };
  return {
    settings,
    world: {
      ...base.world,
      secrets: base.world.secrets.with([['herald/other', secret]], []),
      peers: PersistentMap.from(peers.map((one) => [one.name, one] as const)),
    },
    decision: {
      ...base.decision,
      sessions: {
        ...base.decision.sessions,
        peers: names.map((name, i) => planned(name, i + 1, { password: `${PLANTED}-${name}` })),
      },
    },
  };
}

let server: Server;
beforeAll(async () => {
  server = await serve(full());
});
afterAll(() => server.close());

const URLS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/v1/status',
  '/api/v1/config',
  '/api/v1/routes',
  '/api/v1/routes?peer=tor-1',
  '/api/v1/peers',
  '/api/v1/leader',
  '/api/v1/replicas',
  '/api/v1/services',
  '/api/v1/services/default/web',
  '/api/v1/services/default/none',
  '/api/v1/routes?x=1',
  '/api/v1/openapi.json',
  '/nothing',
];

const FORMS: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['as base64', (secret) => Buffer.from(secret).toString('base64').replaceAll('=', '').slice(0, -1)],
  ['as hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
  ['backwards', (secret) => secret.split('').toReversed().join('')],
  ['in its first half', (secret) => secret.slice(0, secret.length / 2)],
];

describe.each(URLS)('%s', (url) => {
  it.each(FORMS)('does not hold a secret %s', async (_, form) => {
    const { body, headers } = await server.app.inject({ url });
    expect(body.length).toBeGreaterThan(10);
    expect(`${body}${JSON.stringify(headers)}`).not.toContain(form(PLANTED));
  });
});

describe('a mask', () => {
  it('stands for every password of a session', async () => {
    const { sessions } = (await server.app.inject({ url: '/api/v1/config' })).json();
    expect(sessions.peers.map((one: { password: string }) => one.password)).toEqual([MASK, MASK, MASK, MASK]);
  });

  it('stands for every password of a peer', async () => {
    const { items } = (await server.app.inject({ url: '/api/v1/peers' })).json();
    expect(items.map((one: { password: string }) => one.password)).toEqual([MASK, MASK, MASK, MASK]);
  });

  it('stands for whatever the settings hold under such a name', async () => {
    const { settings } = (await server.app.inject({ url: '/api/v1/config' })).json();
    expect([settings.password, settings.data, settings.secrets]).toEqual([MASK, MASK, MASK]);
    expect(settings.asn).toBe(65000);
  });
});

describe('a value is shown as', () => {
  const cycle = [1, [2, [3]]];
  it.each<[string, unknown, Plain]>([
    ['text', 'x', 'x'],
    ['empty text', '', ''],
    ['a number', 5, 5],
    ['zero', 0, 0],
    ['a truth', true, true],
    ['an untruth', false, false],
    ['nothing for undefined', undefined, null],
    ['nothing for null', null, null],
    ['nothing for what is no number', Number.NaN, null],
    ['nothing for infinity', Number.POSITIVE_INFINITY, null],
    ['nothing for a function', () => 1, null],
    ['nothing for a symbol', Symbol('x'), null],
    ['text for a large number', 9_007_199_254_740_993n, '9007199254740993'],
    ['an address', address('2001:db8::1'), '2001:db8::1'],
    ['a list', [1, 'a', null], [1, 'a', null]],
    ['lists in lists', cycle, [1, [2, [3]]]],
    ['a map', new Map([['a', 1]]), { a: 1 }],
    ['a map by number', new Map([[4, true]]), { 4: true }],
    ['a persistent map', PersistentMap.from([['a', 1]]), { a: 1 }],
    ['an object', { a: { b: [address('10.0.0.1')] } }, { a: { b: ['10.0.0.1'] } }],
    ['an absent field', { a: undefined }, { a: null }],
    ['a password', { password: PLANTED }, { password: MASK }],
    ['an empty password', { password: '' }, { password: MASK }],
    ['no password', { password: undefined }, { password: null }],
    ['no password either', { password: null }, { password: null }],
    ['a secret', { secret: { of: PLANTED } }, { secret: MASK }],
    ['secrets', { secrets: [PLANTED] }, { secrets: MASK }],
    ['the data of a Secret', { data: new Map([['k', PLANTED]]) }, { data: MASK }],
    [
      'a password far inside',
      [{ a: new Map([['b', { password: PLANTED }]]) }],
      [{ a: { b: { password: MASK } } }],
    ],
    ['a password in a map', new Map([['password', PLANTED]]), { password: MASK }],
    [
      'the name of a Secret',
      { passwordSecret: { name: 's', key: 'k' } },
      { passwordSecret: { name: 's', key: 'k' } },
    ],
  ])('%s', (_, value, expected) => {
    expect(renderPlain(value)).toEqual(expected);
  });

  it.each<[number | undefined, string | null]>([
    [undefined, null],
    [0, null],
    [1, '1970-01-01T00:00:00.001Z'],
    [Date.UTC(2026, 4, 1, 12), '2026-05-01T12:00:00.000Z'],
    [Date.UTC(2026, 4, 1, 12) + 7, '2026-05-01T12:00:00.007Z'],
  ])('a time: %s', (ms, expected) => {
    expect(renderTime(ms)).toBe(expected);
  });
});
