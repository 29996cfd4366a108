// When Services may hold one address: key x ports x policy x pods, as a matrix; and who loses one that was
// given to several who may not.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { losersAmong, sameTerms, sharingProblem, sharingTerms } from '../../src/allocate/sharing.ts';
import type { Holder, SharingTerms, Standing } from '../../src/allocate/sharing.ts';
import { service } from './simulated-cluster.ts';
import type { ServiceSpec } from './simulated-cluster.ts';

const KEY = 'heraldbgp.io/allow-shared-ip';

function terms(key: string, spec: ServiceSpec = {}, name = 'web'): SharingTerms {
  return sharingTerms(service(name, { selector: 'app=web', ...spec, annotations: { [KEY]: key } }), 'herald');
}

const onPorts = (...ports: string[]): ServiceSpec => ({ ports });

describe('two Services', () => {
  const local: ServiceSpec = { policy: 'Local' };

  const rows: (readonly [string, SharingTerms, SharingTerms, string | undefined])[] = [
    ['neither shares', terms(''), terms('', onPorts('TCP/443')), 'AddressInUse'],
    ['one shares', terms('k'), terms('', onPorts('TCP/443')), 'AddressInUse'],
    ['two keys', terms('k'), terms('l', onPorts('TCP/443')), 'SharingKeyDiffers'],
    ['one key, two ports', terms('k'), terms('k', onPorts('TCP/443')), undefined],
    ['one key, one port', terms('k'), terms('k'), 'SharingPortClash'],
    ['one port, two protocols', terms('k', onPorts('TCP/53')), terms('k', onPorts('UDP/53')), undefined],
    [
      'one of several ports',
      terms('k', onPorts('TCP/80', 'TCP/443')),
      terms('k', onPorts('TCP/8080', 'TCP/443')),
      'SharingPortClash',
    ],
    [
      'several ports, none of them in both',
      terms('k', onPorts('TCP/80', 'TCP/81')),
      terms('k', onPorts('TCP/82')),
      undefined,
    ],
    ['one has no ports', terms('k', onPorts()), terms('k'), undefined],
    [
      'Cluster beside Cluster of other pods',
      terms('k', { selector: 'a' }),
      terms('k', { ...onPorts('TCP/1'), selector: 'b' }),
      undefined,
    ],
    [
      'Local beside Local of the same pods',
      terms('k', local),
      terms('k', { ...local, ...onPorts('TCP/1') }),
      undefined,
    ],
    [
      'Local beside Local of other pods',
      terms('k', local),
      terms('k', { ...local, ...onPorts('TCP/1'), selector: 'x' }),
      'SharingPolicyClash',
    ],
    ['Local beside Cluster', terms('k', local), terms('k', onPorts('TCP/1')), 'SharingPolicyClash'],
    [
      'Local of two namespaces',
      terms('k', local, 'x/web'),
      terms('k', { ...local, ...onPorts('TCP/1') }, 'y/web'),
      'SharingPolicyClash',
    ],
    ['Cluster of two namespaces', terms('k', {}, 'x/web'), terms('k', onPorts('TCP/1'), 'y/web'), undefined],
    ['key, policy and port at once: the key', terms('k', local), terms('l'), 'SharingKeyDiffers'],
    ['policy and port at once: the policy', terms('k', local), terms('k'), 'SharingPolicyClash'],
  ];

  test.each(rows)('%s', (_name, one, two, expected) => {
    expect(sharingProblem(one, two)).toBe(expected);
  });

  test.each(rows)('%s, the other way round', (_name, one, two, expected) => {
    expect(sharingProblem(two, one)).toBe(expected);
  });
});

describe('terms', () => {
  const base = terms('k', { ports: ['TCP/80', 'TCP/81'] });
  const rows: (readonly [string, SharingTerms, boolean])[] = [
    ['themselves', base, true],
    ['equal ones', terms('k', { ports: ['TCP/80', 'TCP/81'] }), true],
    ['another key', terms('l', { ports: ['TCP/80', 'TCP/81'] }), false],
    ['another policy', terms('k', { ports: ['TCP/80', 'TCP/81'], policy: 'Local' }), false],
    ['a port fewer', terms('k', { ports: ['TCP/80'] }), false],
    ['a port more', terms('k', { ports: ['TCP/80', 'TCP/81', 'TCP/82'] }), false],
    ['another port', terms('k', { ports: ['TCP/80', 'TCP/82'] }), false],
    ['ports in another order', terms('k', { ports: ['TCP/81', 'TCP/80'] }), false],
    ['other pods under Cluster', terms('k', { ports: ['TCP/80', 'TCP/81'], selector: 'x' }), true],
  ];
  test.each(rows)('%s', (_name, other, same) => {
    expect(sameTerms(base, other)).toBe(same);
    expect(sameTerms(other, base)).toBe(same);
  });
});

interface Claim {
  readonly name: string;
  readonly uid?: string;
  readonly age?: number;
  readonly term?: number;
  readonly key?: string;
  readonly port?: number;
  readonly standing?: Standing;
}

function holder({
  name,
  uid = `uid-${name}`,
  age = 0,
  term = 0,
  key = '',
  port = 80,
  standing = 'served',
}: Claim): Holder {
  const found = terms(key, { ports: [`TCP/${port}`] });
  return { serviceKey: name, uid, createdAt: age, term, terms: found, standing };
}

const losers = (now: readonly Claim[]) => [...losersAmong(now.map(holder))].sort().join();

describe('who loses', () => {
  const rows: (readonly [string, readonly Claim[], string])[] = [
    ['nobody alone', [{ name: 'a' }], ''],
    [
      'nobody of two that share',
      [
        { name: 'a', key: 'k' },
        { name: 'b', key: 'k', port: 81 },
      ],
      '',
    ],
    [
      'the higher term, though it is older',
      [
        { name: 'a', age: 1, term: 8 },
        { name: 'b', age: 2, term: 7 },
      ],
      'a',
    ],
    [
      'the one with a term against one without',
      [
        { name: 'a', age: 1, term: 1 },
        { name: 'b', age: 2 },
      ],
      'a',
    ],
    [
      'of equal terms the younger',
      [
        { name: 'a', age: 2, term: 3 },
        { name: 'b', age: 1, term: 3 },
      ],
      'a',
    ],
    [
      'of equal age the higher UID',
      [
        { name: 'a', uid: '2' },
        { name: 'b', uid: '1' },
      ],
      'a',
    ],
    [
      'a write that the API does not show, whatever its term and age',
      [
        { name: 'a', age: 1, standing: 'wanted' },
        { name: 'b', age: 2, term: 9 },
      ],
      'a',
    ],
    [
      'a Service of another type, whatever its term and age',
      [
        { name: 'a', age: 1, standing: 'shown' },
        { name: 'b', age: 2, term: 9 },
      ],
      'a',
    ],
    [
      'only the one that clashes of three',
      [
        { name: 'a', age: 1, key: 'k', port: 80 },
        { name: 'b', age: 2, key: 'k', port: 80 },
        { name: 'c', age: 3, key: 'k', port: 81 },
      ],
      'b',
    ],
    [
      'all that clash with the one that keeps it',
      [
        { name: 'a', age: 1 },
        { name: 'b', age: 2, key: 'k' },
        { name: 'c', age: 3, key: 'k', port: 81 },
      ],
      'b,c',
    ],
    [
      'one of those that share, when the one that does not has the higher term',
      [
        { name: 'a', age: 1, term: 9 },
        { name: 'b', age: 2, term: 4, key: 'k' },
        { name: 'c', age: 3, term: 5, key: 'k', port: 81 },
      ],
      'a',
    ],
  ];
  test.each(rows)('%s', (_name, now, expected) => {
    expect(losers(now)).toBe(expected);
    expect(losers(now.toReversed())).toBe(expected);
  });
});

const clashes = (a: Holder, b: Holder) => a !== b && sharingProblem(a.terms, b.terms) !== undefined;

describe('for all holders', () => {
  const claim = fc.record({
    age: fc.integer({ min: 0, max: 3 }),
    term: fc.integer({ min: 0, max: 2 }),
    key: fc.constantFrom('', 'k', 'k', 'l'),
    port: fc.integer({ min: 1, max: 4 }),
    standing: fc.constantFrom<Standing>('served', 'served', 'shown', 'wanted'),
  });
  const claims = fc
    .array(claim, { maxLength: 6 })
    .map((list) => list.map((each, i) => ({ ...each, name: `s${i}` })));

  test('those that keep the address may hold it together, and everybody who loses clashes with one of them', () => {
    fc.assert(
      fc.property(claims, (now) => {
        const holders = now.map(holder);
        const lost = new Set(losersAmong(holders));
        const kept = holders.filter(({ serviceKey }) => !lost.has(serviceKey));
        expect(kept.some((a) => kept.some((b) => clashes(a, b)))).toBe(false);
        for (const each of holders.filter(({ serviceKey }) => lost.has(serviceKey))) {
          expect(kept.some((other) => clashes(each, other))).toBe(true);
        }
      }),
    );
  });

  test('the order in which they are listed does not matter', () => {
    fc.assert(
      fc.property(claims, (now) => {
        expect(losers(now.toReversed())).toBe(losers(now));
      }),
    );
  });

  test('who loses what the API shows never depends on what is only wanted', () => {
    fc.assert(
      fc.property(claims, (now) => {
        const shown = now.filter(({ standing }) => standing !== 'wanted');
        const names = new Set(shown.map(({ name }) => name));
        const lost = losersAmong(now.map(holder)).filter((key) => names.has(key));
        expect([...lost].sort().join()).toBe(losers(shown));
      }),
    );
  });

  test('somebody always keeps it', () => {
    fc.assert(
      fc.property(
        claims.filter(({ length }) => length > 0),
        (now) => {
          expect(losersAmong(now.map(holder)).length).toBeLessThan(now.length);
        },
      ),
    );
  });
});
