// The two questions that the API server answers about a request to us: whose token is it (TokenReview), and
// may that user do this (SubjectAccessReview with non-resource attributes). Values in, request bodies out;
// answers in, verdicts out. Pure: nothing is sent or remembered here.
//
// An answer that does not have the expected shape is no answer: it throws, so that it can never be taken for
// a yes.

export interface ReviewedUser {
  readonly username: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ReviewRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly body: unknown;
}

export function tokenReview(token: string): ReviewRequest {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  return { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body };
}

export function accessReview(user: ReviewedUser, verb: string, path: string): ReviewRequest {
  const { username, uid, groups, extra } = user;
  const spec = { nonResourceAttributes: { verb, path }, user: username, uid, groups, extra };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  return { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', body };
}

/** undefined: the token is nobody's. */
export function readTokenReview(answer: unknown): ReviewedUser | undefined {
  const status = fieldOf(answer, 'status');
  if (fieldOf(status, 'authenticated') !== true) {
    return undefined;
  }
  const user = fieldOf(status, 'user');
  const username = fieldOf(user, 'username');
  if (typeof username !== 'string' || username === '') {
    throw new TypeError('The TokenReview names no user.');
  }
  const uid = fieldOf(user, 'uid');
  return {
    username,
    uid: typeof uid === 'string' ? uid : undefined,
    groups: textsOf(fieldOf(user, 'groups')),
    extra: extraOf(fieldOf(user, 'extra')),
  };
}

export function readAccessReview(answer: unknown): boolean {
  const status = fieldOf(answer, 'status');
  const allowed = fieldOf(status, 'allowed');
  if (typeof allowed !== 'boolean') {
    throw new TypeError('The SubjectAccessReview says neither yes nor no.');
  }
  return allowed && fieldOf(status, 'denied') !== true;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function extraOf(value: unknown): Record<string, string[]> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, texts]) => [key, textsOf(texts)]))
    : {};
}
