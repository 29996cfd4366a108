import { describe, expect, it } from 'vitest';
import { ApiError } from '../src/index.ts';
import { outcomeOfError, RequestCounts, verbOf } from '../src/transport/request-counts.ts';
import { statusKind, WriteCounts } from '../src/write/index.ts';
import type { ApiRequest } from '../src/index.ts';

const CORE = '/api/v1';
const GROUP = '/apis/heraldbgp.io/v1alpha1';

describe('the verb of a request', () => {
  it.each<[ApiRequest['method'], string, string]>([
    ['GET', `${CORE}/nodes`, 'list'],
    ['GET', `${CORE}/namespaces`, 'list'],
    ['GET', `${CORE}/namespaces/shop`, 'get'],
    ['GET', `${CORE}/namespaces/shop/services`, 'list'],
    ['GET', `${CORE}/namespaces/shop/services/web`, 'get'],
    ['GET', `${CORE}/namespaces/shop/services/web/status`, 'get'],
    ['GET', `${GROUP}/bgppeers`, 'list'],
    ['GET', `${GROUP}/bgppeers/tor-1/status`, 'get'],
    ['POST', `${CORE}/namespaces/shop/events`, 'create'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/herald/leases/herald', 'update'],
    ['PATCH', `${GROUP}/bgppeers/tor-1/status`, 'patch'],
    ['DELETE', `${GROUP}/namespaces/herald/heraldreplicas/herald-0`, 'delete'],
  ])('%s %s is %s', (method, path, verb) => {
    expect(verbOf({ method, path })).toBe(verb);
  });
});

describe('requests', () => {
  it('are counted by verb and outcome', () => {
    const counts = new RequestCounts();
    counts.add('list', '200');
    counts.add('list', '200');
    counts.add('list', outcomeOfError(new ApiError('status', 'no', { status: 403 })));
    counts.add('watch', outcomeOfError(new ApiError('timeout', 'late')));
    expect(counts.list()).toEqual([
      { verb: 'list', outcome: '200', count: 2 },
      { verb: 'list', outcome: '403', count: 1 },
      { verb: 'watch', outcome: 'timeout', count: 1 },
    ]);
  });
});

describe('writes', () => {
  const SERVICE = `${CORE}/namespaces/shop/services/web/status`;
  const PEER = `${GROUP}/bgppeers/tor-1/status`;

  it.each([
    [SERVICE, 'conditions'],
    [PEER, 'statuses'],
    [`${CORE}/namespaces/shop/events`, 'events'],
    [`${CORE}/namespaces/shop/events/web.1`, 'events'],
  ])('to %s are %s', (path, kind) => {
    expect(statusKind({ path })).toBe(kind);
  });

  it('are counted by how they ended, reads are not, and errors reach the writer', async () => {
    const counts = new WriteCounts();
    const failures = [undefined, 409, undefined, 403];
    const client = counts.counting(
      {
        request: () => {
          const status = failures.shift();
          return status === undefined
            ? Promise.resolve('answer')
            : Promise.reject(new ApiError('status', 'no', { status }));
        },
      },
      statusKind,
    );
    const write = (path: string, method: 'PATCH' | 'GET' = 'PATCH') =>
      client.request({ method, path }).catch((error: ApiError) => error.status);
    const answers = [
      await write(SERVICE),
      await write(SERVICE),
      await write(SERVICE, 'GET'),
      await write(PEER),
    ];
    expect(answers).toEqual(['answer', 409, 'answer', 403]);
    expect(counts.list()).toEqual([
      { kind: 'conditions', outcome: 'written', count: 1 },
      { kind: 'conditions', outcome: 'conflict', count: 1 },
      { kind: 'statuses', outcome: 'forbidden', count: 1 },
    ]);
  });
});
