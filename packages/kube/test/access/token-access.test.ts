// Who is let in, what the API server is asked for it, and what happens when it cannot be asked. The double
// answers as an API server with two users does.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';

import type { ReviewClient } from '../../src/access/token-access.ts';
import { TokenAccess } from '../../src/access/token-access.ts';

type Asked = Parameters<ReviewClient['request']>[0];

interface Body {
  readonly kind: string;
  readonly spec: {
    readonly token?: string;
    readonly user?: string;
    readonly nonResourceAttributes?: { readonly verb: string; readonly path: string };
  };
}

/** alice may read metrics, bob nothing. */
function answer({ body }: Asked): unknown {
  const { kind, spec } = body as Body;
  if (kind === 'TokenReview') {
    const username = spec.token?.replace(/-token.*$/, '') ?? '';
    return ['alice', 'bob'].includes(username)
      ? { status: { authenticated: true, user: { username } } }
      : { status: { authenticated: false } };
  }
  const { verb, path } = spec.nonResourceAttributes ?? { verb: '', path: '' };
  return { status: { allowed: spec.user === 'alice' && verb === 'get' && path === '/metrics' } };
}

function setUp(respond: (asked: Asked) => unknown = answer) {
  const clock = { nowMs: 0 };
  const asked: Asked[] = [];
  const client: ReviewClient = {
    request: async (request) => {
      asked.push(request);
      return await respond(request);
    },
  };
  const access = new TokenAccess({ client, nowMs: () => clock.nowMs });
  const kinds = (): string[] => asked.map(({ body }) => (body as Body).kind);
  return { access, asked, clock, kinds };
}

test.for([
  { token: 'alice-token', verb: 'get', path: '/metrics', expected: 'yes' },
  { token: 'alice-token', verb: 'post', path: '/metrics', expected: 'forbidden' },
  { token: 'alice-token', verb: 'get', path: '/api/v1/config', expected: 'forbidden' },
  { token: 'bob-token', verb: 'get', path: '/metrics', expected: 'forbidden' },
  { token: 'mallory-token', verb: 'get', path: '/metrics', expected: 'unauthenticated' },
])('$token may $verb $path: $expected', async ({ token, verb, path, expected }) => {
  expect(await setUp().access.may(token, verb, path)).toBe(expected);
});

test.for(['', ' ', 'a b', 'a\nb', 'é', '=', '"x"', 'a,b'])(
  'what cannot be a token is not asked about: %j',
  async (token) => {
    const { access, asked } = setUp();
    expect(await access.may(token, 'get', '/metrics')).toBe('unauthenticated');
    expect(asked).toEqual([]);
  },
);

test('a question has a time limit', async () => {
  const { access, asked } = setUp();
  await access.may('alice-token', 'get', '/metrics');
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 5000]);
});

describe('what is remembered', () => {
  test.for([
    { what: 'the same again', next: ['alice-token', 'get', '/metrics'], kinds: [] },
    { what: 'another path', next: ['alice-token', 'get', '/x'], kinds: ['SubjectAccessReview'] },
    { what: 'another verb', next: ['alice-token', 'post', '/metrics'], kinds: ['SubjectAccessReview'] },
    {
      what: 'another token of the same user',
      next: ['alice-token2', 'get', '/metrics'],
      kinds: ['TokenReview', 'SubjectAccessReview'],
    },
    { what: 'a token of nobody', next: ['x', 'get', '/metrics'], kinds: ['TokenReview'] },
  ] as const)('$what asks $kinds', async ({ next: [token, verb, path], kinds: expected }) => {
    const { access, kinds } = setUp();
    await access.may('alice-token', 'get', '/metrics');
    await access.may(token, verb, path);
    expect(kinds().slice(2)).toEqual(expected);
  });

  test('lasts ten seconds, a no like a yes', async () => {
    const { access, asked, clock } = setUp();
    const ask = async (): Promise<number> => {
      await access.may('alice-token', 'get', '/metrics');
      await access.may('mallory-token', 'get', '/metrics');
      return asked.length;
    };
    expect(await ask()).toBe(3);
    clock.nowMs = 9999;
    expect(await ask()).toBe(3);
    clock.nowMs = 10_000;
    expect(await ask()).toBe(6);
  });

  test('a token that was revoked stops working when its time is over', async () => {
    let revoked = false;
    const { access, clock } = setUp((asked) =>
      revoked ? { status: { authenticated: false } } : answer(asked),
    );
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('yes');
    revoked = true;
    clock.nowMs = 10_000;
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('unauthenticated');
  });

  test('parts do not run into each other', async () => {
    const { access, kinds } = setUp();
    await access.may('alice-token', 'get', '/a');
    await access.may('alice-token', 'get/', 'a');
    expect(kinds()).toEqual(['TokenReview', 'SubjectAccessReview', 'SubjectAccessReview']);
  });

  test('no token is kept', async () => {
    const { access } = setUp();
    await access.may('alice-token', 'get', '/metrics');
    const shown = inspect(access, { depth: 9, showHidden: true });
    expect(shown).not.toContain('alice-token');
  });

  test('many at once are one question', async () => {
    const { access, kinds } = setUp();
    const all = await Promise.all(
      Array.from({ length: 100 }, () => access.may('alice-token', 'get', '/metrics')),
    );
    expect(new Set(all)).toEqual(new Set(['yes']));
    expect(kinds()).toEqual(['TokenReview', 'SubjectAccessReview']);
  });
});

const away = (): never => {
  throw new Error('connect ECONNREFUSED');
};

describe('when the API server cannot be asked', () => {
  test.for<[string, (asked: Asked) => unknown]>([
    ['it is away', away],
    ['it does not answer with a review', () => 'hello'],
    ['it answers nothing', () => undefined],
    [
      'it refuses the second question',
      (asked) => ((asked.body as Body).kind === 'TokenReview' ? answer(asked) : away()),
    ],
    ['it names no user', () => ({ status: { authenticated: true } })],
  ])('because %s, nobody is let in', async ([, respond]) => {
    const { access } = setUp(respond);
    expect(await access.may('alice-token', 'get', '/metrics')).not.toBe('yes');
  });

  test('that is said, and not remembered', async () => {
    let isAway = true;
    const { access } = setUp((asked) => (isAway ? away() : answer(asked)));
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('unavailable');
    isAway = false;
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('yes');
  });

  test('what was known before still holds for its time', async () => {
    let isAway = false;
    const { access, clock } = setUp((asked) => (isAway ? away() : answer(asked)));
    await access.may('alice-token', 'get', '/metrics');
    isAway = true;
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('yes');
    clock.nowMs = 10_000;
    expect(await access.may('alice-token', 'get', '/metrics')).toBe('unavailable');
  });
});

test('a flood of tokens is no flood of questions', async () => {
  const hold = Promise.withResolvers<unknown>();
  const { access, asked } = setUp(() => hold.promise);
  const flood = Array.from({ length: 200 }, (_, i) => access.may(`t${i}`, 'get', '/metrics'));
  const refused = await Promise.race([Promise.all(flood.slice(16)), hold.promise]);
  expect(new Set(refused as string[])).toEqual(new Set(['unavailable']));
  expect(asked).toHaveLength(16);
  hold.resolve({ status: { authenticated: false } });
  expect(new Set(await Promise.all(flood.slice(0, 16)))).toEqual(new Set(['unauthenticated']));
  expect(await access.may('t199', 'get', '/metrics')).toBe('unauthenticated');
});
