// Every query parameter of every endpoint: what is accepted at its bounds, and what is said just outside.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../src/index.ts';
import { serve } from './fixture.ts';

let server: Server;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

const LISTS = ['/api/v1/routes', '/api/v1/services'] as const;

const INTEGER = 'must be integer';
const BOOLEAN = 'must be boolean';

/** The answer's status, and the rules that it names. */
async function ask(url: string): Promise<[number, readonly { parameter: string; rule: string }[]]> {
  const response = await server.app.inject({ url });
  return [
    response.statusCode,
    response.json<{ faults?: { parameter: string; rule: string }[] }>().faults ?? [],
  ];
}

describe.each(LISTS)('%s', (url) => {
  it.each<[string, number]>([
    ['1', 1],
    ['2', 2],
    ['999', 999],
    ['1000', 1000],
    ['1.0', 1],
    ['%201', 1],
  ])('takes limit=%s', async (value, limit) => {
    const response = await server.app.inject({ url: `${url}?limit=${value}` });
    expect([response.statusCode, response.json().limit]).toEqual([200, limit]);
  });

  it.each<[string, string]>([
    ['0', 'must be >= 1'],
    ['-0', 'must be >= 1'],
    ['-1', 'must be >= 1'],
    ['1001', 'must be <= 1000'],
    ['99999999999999999999', 'must be <= 1000'],
    ['1.5', INTEGER],
    ['', INTEGER],
    ['many', INTEGER],
    ['true', INTEGER],
    ['null', INTEGER],
    ['NaN', INTEGER],
    ['1,2', INTEGER],
    ['1;2', INTEGER],
    ['0.9', INTEGER],
    ['1e400', INTEGER],
    ['-1e400', INTEGER],
  ])('refuses limit=%s', async (value, rule) => {
    const [status, faults] = await ask(`${url}?limit=${value}`);
    expect([status, faults[0]]).toEqual([400, { parameter: 'limit', rule }]);
  });

  it.each<[string, number]>([
    ['0', 0],
    ['1', 1],
    ['1000000', 1_000_000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('takes offset=%s', async (value, offset) => {
    const response = await server.app.inject({ url: `${url}?offset=${value}` });
    expect([response.statusCode, response.json().offset]).toEqual([200, offset]);
  });

  it.each<[string, string]>([
    ['-1', 'must be >= 0'],
    ['9007199254740993', 'must be <= 9007199254740991'],
    ['1e400', INTEGER],
    ['-1e400', INTEGER],
    ['1.5', INTEGER],
    ['', INTEGER],
    ['last', INTEGER],
  ])('refuses offset=%s', async (value, rule) => {
    const [status, faults] = await ask(`${url}?offset=${value}`);
    expect([status, faults[0]]).toEqual([400, { parameter: 'offset', rule }]);
  });

  it.each(['limit', 'offset'])('refuses %s twice', async (name) => {
    expect(await ask(`${url}?${name}=1&${name}=2`)).toEqual([400, [{ parameter: name, rule: INTEGER }]]);
  });

  it('has a page of 100 from the start when nothing is asked', async () => {
    const { limit, offset } = (await server.app.inject({ url })).json();
    expect([limit, offset]).toEqual([100, 0]);
  });
});

describe('text parameters of routes', () => {
  it.each<[string, string, number]>([
    ['prefix', '203.0.113.9/32', 200],
    ['prefix', '203.0.113.9', 200],
    ['prefix', '0.0.0.0/0', 200],
    ['prefix', '::/0', 200],
    ['prefix', '2001:db8::1', 200],
    ['prefix', '2001:DB8::1/128', 200],
    ['prefix', '203.0.113.9%2F32', 200],
    ['prefix', '203.0.113.9/33', 400],
    ['prefix', '203.0.113.9/-1', 400],
    ['prefix', '203.0.113.9/', 400],
    ['prefix', '203.0.113.9/32/32', 400],
    ['prefix', '203.0.113.9/24', 400],
    ['prefix', '203.0.113', 400],
    ['prefix', '203.0.113.256', 400],
    ['prefix', '2001:db8::1/129', 400],
    ['prefix', '2001:db8:::1', 400],
    ['prefix', 'fe80::1%25eth0', 400],
    ['prefix', '%00', 400],
    ['nextHop', '10.0.0.11', 200],
    ['nextHop', '2001:db8:1::11', 200],
    ['nextHop', '2001:DB8:1:0::11', 200],
    ['nextHop', '10.0.0.99', 200],
    ['nextHop', '10.0.0.11/32', 400],
    ['nextHop', '10.0.0', 400],
    ['nextHop', 'n1', 400],
    ['nextHop', 'fe80::1%25eth0', 400],
    ['nextHop', '%20', 400],
    ['peer', 'tor-1', 200],
    ['peer', 'refused', 200],
    ['peer', 'TOR-1', 404],
    ['peer', 'tor-1%20', 404],
    ['peer', '__proto__', 404],
    ['peer', 'x'.repeat(253), 404],
    ['peer', 'x'.repeat(254), 400],
    ['prefix', '1'.repeat(254), 400],
    ['nextHop', '1'.repeat(254), 400],
    ['family', 'ipv4', 200],
    ['family', 'ipv6', 200],
    ['family', 'IPv4', 400],
    ['family', '4', 400],
  ])('%s=%s: %d', async (name, value, status) => {
    const response = await server.app.inject({ url: `/api/v1/routes?${name}=${value}` });
    expect(response.statusCode).toBe(status);
    const faults: { parameter: string }[] | undefined = response.json().faults;
    expect(faults?.map((fault) => fault.parameter)).toEqual(status === 400 ? [name] : undefined);
  });

  it.each(['prefix', 'nextHop', 'peer', 'family'])('%s may not be empty', async (name) => {
    const [status, faults] = await ask(`/api/v1/routes?${name}=`);
    expect([status, faults.map((fault) => fault.parameter)]).toEqual([400, [name]]);
  });

  it.each(['prefix', 'nextHop', 'peer', 'family'])('%s may not come twice', async (name) => {
    const [status, faults] = await ask(`/api/v1/routes?${name}=a&${name}=b`);
    expect([status, faults[0]?.parameter]).toEqual([400, name]);
  });
});

describe('parameters of services', () => {
  it.each<[string, number, string | undefined]>([
    ['announced=true', 200, undefined],
    ['announced=false', 200, undefined],
    ['announced=TRUE', 400, BOOLEAN],
    ['announced=1', 400, BOOLEAN],
    ['announced=0', 400, BOOLEAN],
    ['announced=yes', 400, BOOLEAN],
    ['announced=', 400, BOOLEAN],
    ['announced', 400, BOOLEAN],
    ['announced=true&announced=true', 400, BOOLEAN],
    ['namespace=default', 200, undefined],
    ['namespace=', 200, undefined],
    ['namespace=default&namespace=shop', 400, 'must be string'],
  ])('%s: %d', async (query, status, rule) => {
    const [found, faults] = await ask(`/api/v1/services?${query}`);
    expect([found, faults[0]?.rule]).toEqual([status, rule]);
  });
});

describe('parameters that are not known', () => {
  const closed = [
    '/api/v1/status',
    '/api/v1/config',
    '/api/v1/routes',
    '/api/v1/peers',
    '/api/v1/services',
    '/api/v1/services/default/web',
  ];
  const unknown = ['x', 'Limit', 'limit[]', 'page', 'sort', 'watch', '__proto__', 'constructor'];
  it.each(closed.flatMap((url) => unknown.map((name): [string, string] => [url, name])))(
    '%s?%s=1',
    async (url, name) => {
      expect(await ask(`${url}?${name}=1`)).toEqual([400, [{ parameter: name, rule: 'is not known' }]]);
    },
  );

  it('are all named at once, with the bad ones', async () => {
    const [status, faults] = await ask('/api/v1/services?a=1&limit=0&b=2&offset=-1&announced=x');
    expect(status).toBe(400);
    expect(faults.map((fault) => fault.parameter).sort()).toEqual(['a', 'announced', 'b', 'limit', 'offset']);
  });
});
