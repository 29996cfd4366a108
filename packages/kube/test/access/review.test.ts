import { expect, test } from 'vitest';

import {
  accessReview,
  readAccessReview,
  readTokenReview,
  tokenReview,
  type ReviewedUser,
} from '../../src/access/review.ts';

const ALICE: ReviewedUser = {
  username: 'alice',
  uid: 'u1',
  groups: ['ops', 'system:authenticated'],
  extra: { 'example.com/scopes': ['a', 'b'] },
};

test('a token is asked about as the API wants it', () => {
  expect(tokenReview('abc')).toEqual({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'abc' } },
  });
});

test('a right is asked about with all that is known of the user', () => {
  expect(accessReview(ALICE, 'get', '/metrics')).toEqual({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        nonResourceAttributes: { verb: 'get', path: '/metrics' },
        user: 'alice',
        uid: 'u1',
        groups: ['ops', 'system:authenticated'],
        extra: { 'example.com/scopes': ['a', 'b'] },
      },
    },
  });
});

const authenticated = (user: unknown) => ({ status: { authenticated: true, user } });

test.for<{ what: string; answer: unknown; user: ReviewedUser | undefined }>([
  { what: 'a whole user', answer: authenticated(ALICE), user: ALICE },
  {
    what: 'a user with a name only',
    answer: authenticated({ username: 'bob' }),
    user: { username: 'bob', uid: undefined, groups: [], extra: {} },
  },
  {
    what: 'fields of other types',
    answer: authenticated({ username: 'bob', uid: 5, groups: ['a', 1], extra: { x: 'y' } }),
    user: { username: 'bob', uid: undefined, groups: ['a'], extra: { x: [] } },
  },
  { what: 'not authenticated', answer: { status: { authenticated: false, user: ALICE } }, user: undefined },
  { what: 'an error', answer: { status: { error: 'token expired' } }, user: undefined },
  {
    what: 'authenticated as text',
    answer: { status: { authenticated: 'true', user: ALICE } },
    user: undefined,
  },
  { what: 'no status', answer: {}, user: undefined },
  { what: 'nothing', answer: undefined, user: undefined },
])('a TokenReview with $what', ({ answer, user }) => {
  expect(readTokenReview(answer)).toEqual(user);
});

test.for([authenticated(undefined), authenticated({}), authenticated({ username: '' })])(
  'a TokenReview that is authenticated as nobody is no answer: %j',
  (answer) => {
    expect(() => readTokenReview(answer)).toThrow(TypeError);
  },
);

test.for([
  { status: { allowed: true }, allowed: true },
  { status: { allowed: false }, allowed: false },
  { status: { allowed: false, denied: true }, allowed: false },
  { status: { allowed: true, denied: true }, allowed: false },
  { status: { allowed: true, reason: 'RBAC' }, allowed: true },
])('a SubjectAccessReview of $status', ({ status, allowed }) => {
  expect(readAccessReview({ status })).toBe(allowed);
});

test.for([undefined, null, {}, { status: {} }, { status: { allowed: 'true' } }, [], 'yes'])(
  'a SubjectAccessReview of another shape is no answer: %j',
  (answer) => {
    expect(() => readAccessReview(answer)).toThrow(TypeError);
  },
);
