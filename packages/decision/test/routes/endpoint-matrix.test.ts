// Which endpoints can serve, cell by cell: ready x serving x terminating x policy x family x how the endpoints
// are dealt to slices. The expectation is worked out here from the words of DESIGN, not from the code: an
// endpoint counts if it is ready; if a Service (Cluster) or a node (Local) has none that is, then one that is
// serving and terminating. Under Local a node that has only such ones gives way to one that has a ready one (ADR 7).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Endpoint, EndpointSlice } from '@herald/api';
import type { Family } from '@herald/net';
import { usableEndpoints } from '../../src/routes/endpoints.ts';
import { decideScene, endpoints, told } from './small-world.ts';

type Conditions = Pick<Endpoint, 'ready' | 'serving' | 'terminating'>;

const BOOLEANS = [true, false] as const;
const POLICIES = ['Cluster', 'Local'] as const;
const FAMILIES = [4, 6] as const;

const CONDITIONS: readonly Conditions[] = BOOLEANS.flatMap((ready) =>
  BOOLEANS.flatMap((serving) => BOOLEANS.map((terminating) => ({ ready, serving, terminating }))),
);

function endpoint(family: Family, host: number, nodeName: string | undefined, is: Conditions): Endpoint {
  return { address: family === 4 ? `172.16.0.${host}` : `fd01::${host}`, nodeName, ...is };
}

function slice(family: Family, list: readonly Endpoint[], key = 'default/web-0'): EndpointSlice {
  return {
    kind: 'EndpointSlice',
    name: key.slice(key.indexOf('/') + 1),
    uid: key,
    createdAt: 0,
    labels: {},
    namespace: 'default',
    key,
    serviceKey: 'default/web',
    family,
    endpoints: list,
  };
}

/** The endpoints dealt out in turn. */
function dealt(family: Family, list: readonly Endpoint[], slices: number): EndpointSlice[] {
  return Array.from({ length: slices }, (_, i) =>
    slice(
      family,
      list.filter((_each, j) => j % slices === i),
      `default/web-${i}`,
    ),
  );
}

const shown = (of: ReturnType<typeof usableEndpoints>) =>
  [
    ...of.nodes.map(({ name, endpoints: count }) => `${name}${count}`),
    ...(of.nameless ? [`-${of.nameless}`] : []),
  ].join(' ');

const isReady = ({ ready }: Conditions) => ready;
const isLeaving = ({ ready, serving, terminating }: Conditions) => !ready && serving && terminating;
const text = ({ ready, serving, terminating }: Conditions) =>
  [ready && 'ready', serving && 'serving', terminating && 'terminating'].filter(Boolean).join('+') ||
  'nothing';

const cells = CONDITIONS.flatMap((is) =>
  POLICIES.flatMap((policy) => FAMILIES.map((family) => [text(is), policy, family, is] as const)),
);

describe('one endpoint', () => {
  test.each(cells)('%s under %s, IPv%d', (_text, policy, family, is) => {
    const expected = isReady(is) || isLeaving(is) ? 'a1' : '';
    expect(shown(usableEndpoints([slice(family, [endpoint(family, 1, 'a', is)])], family, policy))).toBe(
      expected,
    );
  });

  test.each(cells)(
    '%s under %s, asked for the other family than IPv%d: none',
    (_text, policy, family, is) => {
      const other = family === 4 ? 6 : 4;
      expect(shown(usableEndpoints([slice(family, [endpoint(family, 1, 'a', is)])], other, policy))).toBe('');
    },
  );

  test.each(cells)('%s under %s, IPv%d, on no node', (_text, policy, family, is) => {
    const expected = isReady(is) || isLeaving(is) ? '-1' : '';
    const found = usableEndpoints([slice(family, [endpoint(family, 1, undefined, is)])], family, policy);
    expect(shown(found)).toBe(expected);
  });
});

/** What each of two endpoints on nodes a and b adds under a policy. */
function expectedPair(one: Conditions, two: Conditions, policy: 'Cluster' | 'Local'): string {
  const anyReady = isReady(one) || isReady(two);
  const counts = (is: Conditions) => isReady(is) || (isLeaving(is) && (policy === 'Local' || !anyReady));
  return [counts(one) && 'a1', counts(two) && 'b1'].filter(Boolean).join(' ');
}

const pairs = CONDITIONS.flatMap((one) =>
  CONDITIONS.flatMap((two) => POLICIES.map((policy) => [text(one), text(two), policy, one, two] as const)),
);

describe('two endpoints on two nodes', () => {
  test.each(pairs)('%s and %s under %s', (_one, _two, policy, one, two) => {
    for (const family of FAMILIES) {
      const list = [endpoint(family, 1, 'a', one), endpoint(family, 2, 'b', two)];
      for (const slices of [1, 2, 3]) {
        const found = usableEndpoints(dealt(family, list, slices), family, policy);
        expect(shown(found)).toBe(expectedPair(one, two, policy));
      }
    }
  });

  test.each(pairs)('%s and %s under %s, the other way round', (_one, _two, policy, one, two) => {
    const list = [endpoint(4, 2, 'b', two), endpoint(4, 1, 'a', one)];
    expect(shown(usableEndpoints([slice(4, list)], 4, policy))).toBe(expectedPair(one, two, policy));
  });
});

describe('two endpoints on one node', () => {
  test.each(pairs)('%s and %s under %s', (_one, _two, policy, one, two) => {
    const count = [one, two].filter(
      (is) => isReady(is) || (isLeaving(is) && !isReady(one) && !isReady(two)),
    ).length;
    const list = [endpoint(4, 1, 'a', one), endpoint(4, 2, 'a', two)];
    expect(shown(usableEndpoints([slice(4, list)], 4, policy))).toBe(count > 0 ? `a${count}` : '');
  });
});

describe('one address in two slices', () => {
  test.each(pairs)('%s and %s under %s: the better word counts, once', (_one, _two, policy, one, two) => {
    const usable = [one, two].some((is) => isReady(is) || isLeaving(is));
    for (const order of [
      [one, two],
      [two, one],
    ]) {
      const slices = order.map((is, i) => slice(4, [endpoint(4, 1, 'a', is)], `default/web-${i}`));
      expect(shown(usableEndpoints(slices, 4, policy))).toBe(usable ? 'a1' : '');
    }
  });

  test('that names another node in each: the better word says where it is', () => {
    const ready: Conditions = { ready: true, serving: true, terminating: false };
    const leaving: Conditions = { ready: false, serving: true, terminating: true };
    for (const policy of POLICIES) {
      const slices = [
        slice(4, [endpoint(4, 1, 'b', leaving)]),
        slice(4, [endpoint(4, 1, 'a', ready)], 'default/x'),
      ];
      expect(shown(usableEndpoints(slices, 4, policy))).toBe('a1');
      expect(shown(usableEndpoints(slices.toReversed(), 4, policy))).toBe('a1');
    }
  });
});

describe('a slice that lies about its family', () => {
  const ready: Conditions = { ready: true, serving: true, terminating: false };
  test.each([
    [4, 6],
    [6, 4],
  ] as const)('says IPv%d and holds IPv%d addresses: ignored', (says, holds) => {
    const lying = slice(says, [endpoint(holds, 1, 'a', ready)]);
    expect(shown(usableEndpoints([lying], says, 'Cluster'))).toBe('');
    expect(shown(usableEndpoints([lying], holds, 'Cluster'))).toBe('');
    const honest = slice(says, [endpoint(says, 1, 'b', ready)], 'default/web-1');
    expect(shown(usableEndpoints([lying, honest], says, 'Cluster'))).toBe('b1');
  });

  test('a slice without a family (FQDN) is ignored beside a real one', () => {
    const named = {
      ...slice(4, [{ ...endpoint(4, 1, 'a', ready), address: 'web.example' }]),
      family: undefined,
    };
    const real = slice(4, [endpoint(4, 1, 'b', ready)], 'default/web-1');
    expect(shown(usableEndpoints([named as unknown as EndpointSlice, real], 4, 'Cluster'))).toBe('b1');
  });
});

describe('whole Services', () => {
  const rows: (readonly [string, 'Cluster' | 'Local', string])[] = [
    ['a:on b:out c:off d:gone', 'Cluster', 'a'],
    ['a:on b:out c:off d:gone', 'Local', 'a'],
    ['a:out b:out c:stuck d:gone', 'Cluster', 'a b'],
    ['a:out b:out c:stuck d:gone', 'Local', 'a b'],
    ['a:out a:on b:out b:off', 'Cluster', 'a'],
    ['a:out a:on b:out b:off', 'Local', 'a'],
    ['a:odd b:out', 'Cluster', 'a'],
    ['a:odd b:out', 'Local', 'a'],
    ['a:stuck b:stuck', 'Cluster', ''],
    ['a:stuck b:stuck', 'Local', ''],
    ['- a', 'Cluster', 'a'],
    ['- a', 'Local', 'a'],
    ['-', 'Cluster', 'a b c d'],
    ['-', 'Local', ''],
    ['-:out', 'Cluster', 'a b c d'],
    ['-:out a', 'Cluster', 'a'],
    ['- a:out', 'Cluster', 'a b c d'],
    ['- a:out', 'Local', 'a'],
    ['-:off a:off', 'Cluster', ''],
  ];
  test.each(rows)('%s under %s', (on, policy, expected) => {
    const { decision } = decideScene({
      services: { web: { on, policy, ips: '203.0.113.1 2001:db8::1' } },
    });
    const both = { '2001:db8::1/128': expected, '203.0.113.1/32': expected };
    expect(told(decision)).toEqual(expected === '' ? {} : both);
  });
});

describe('for every list of endpoints', () => {
  const word = fc
    .tuple(fc.constantFrom('a', 'b', 'c', '-'), fc.constantFrom('on', 'off', 'out', 'stuck', 'gone', 'odd'))
    .map(([name, is]) => `${name}:${is}`);
  const list = fc.array(word, { maxLength: 8 }).map((words) => endpoints(words.join(' ')));

  test('neither the order nor the number of slices matters', () => {
    fc.assert(
      fc.property(
        list,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(...POLICIES),
        (of, slices, policy) => {
          const whole = usableEndpoints([slice(4, of)], 4, policy);
          expect(usableEndpoints(dealt(4, of, slices), 4, policy)).toEqual(whole);
          expect(usableEndpoints(dealt(4, of.toReversed(), slices).toReversed(), 4, policy)).toEqual(whole);
        },
      ),
    );
  });

  test('Local has every node that Cluster has, and a node has as many under both where both have it', () => {
    fc.assert(
      fc.property(list, (of) => {
        const cluster = usableEndpoints([slice(4, of)], 4, 'Cluster');
        const local = new Map(
          usableEndpoints([slice(4, of)], 4, 'Local').nodes.map(({ name, endpoints: count }) => [
            name,
            count,
          ]),
        );
        cluster.nodes.forEach(({ name, endpoints: count }) => expect(local.get(name)).toBe(count));
      }),
    );
  });

  test('one more ready endpoint never takes a node from those with ready ones', () => {
    fc.assert(
      fc.property(list, (of) => {
        const readyNodes = new Set(of.filter(isReady).flatMap(({ nodeName }) => nodeName ?? []));
        const more = [...of, endpoint(4, 99, 'd', { ready: true, serving: true, terminating: false })];
        for (const policy of POLICIES) {
          const names = usableEndpoints([slice(4, more)], 4, policy).nodes.map(({ name }) => name);
          expect(names).toContain('d');
          readyNodes.forEach((name) => expect(names).toContain(name));
        }
      }),
    );
  });
});
