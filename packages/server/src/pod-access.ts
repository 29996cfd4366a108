// Who may read what through the listener on the pod network: health is open to everybody, for kubelets and load
// balancers; everything else needs a token of the cluster whose bearer may read that path. The token comes in
// the Authorization header (RFC 6750 section 2.1); who it belongs to and what they may is decided elsewhere.
//
// The right to a path of the API has a name of its own: every account of a cluster may get /api/* of the API server
// (ClusterRole system:discovery), and must not thereby get ours.
//
// Whatever cannot be decided is refused. A request is judged before anything of it but its head was read.

import type { FastifyRequest } from 'fastify';
import { pathOf, Problem } from './problem.ts';

export interface TokenCheck {
  /** `verb` as Kubernetes names it (get), `right` as a non-resource URL. */
  may(
    token: string,
    verb: string,
    right: string,
  ): Promise<'yes' | 'unauthenticated' | 'forbidden' | 'unavailable'>;
}

export const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The one path whose right is called as it is everywhere: roles of scrapers name it. */
const METRICS = '/metrics';
const OWN_RIGHTS = '/heraldbgp.io';

const BEARER = /^Bearer +(?<token>[^ ]+) *$/i;
const REALM = 'Bearer realm="herald"';
const RETRY_SECONDS = '1';

/** An onRequest hook; paths in `open` are for everybody, or have their own judge. */
export function requireToken(
  check: TokenCheck,
  open: ReadonlySet<string>,
): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    // By the route that was found, so that no spelling of a path opens another one.
    if (!open.has(request.routeOptions.url ?? '')) {
      await admit(check, request);
    }
  };
}

async function admit(check: TokenCheck, request: FastifyRequest): Promise<void> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.groups?.['token'];
  if (token === undefined) {
    throw challenge(401, 'A bearer token of the cluster is needed.', REALM);
  }
  const [verb, right] = [verbOf(request.method), rightOf(pathOf(request))];
  switch (await judged(check, token, verb, right)) {
    case 'yes':
      return;
    case 'unauthenticated':
      throw challenge(401, 'The token is not valid.', `${REALM}, error="invalid_token"`);
    case 'forbidden':
      throw challenge(403, `The bearer may not ${verb} ${right}.`, `${REALM}, error="insufficient_scope"`);
    case 'unavailable':
      throw new Problem(503, 'The token cannot be checked now.', {
        headers: { 'retry-after': RETRY_SECONDS },
      });
  }
}

async function judged(check: TokenCheck, token: string, verb: string, right: string) {
  try {
    return await check.may(token, verb, right);
  } catch {
    return 'unavailable';
  }
}

function challenge(status: 401 | 403, detail: string, words: string): Problem {
  return new Problem(status, detail, { headers: { 'www-authenticate': words } });
}

/** The non-resource URL that a role names. */
function rightOf(path: string): string {
  return path === METRICS ? path : `${OWN_RIGHTS}${path}`;
}

/** HEAD is GET without the body, and nobody is given the one without the other. */
function verbOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}
