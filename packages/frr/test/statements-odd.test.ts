// Configuration text that nobody promised would look like ours: other versions, other hands, cut short. What
// is read of it, and that nothing of it becomes a line of somebody else.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffConfig, parseStatements } from '../src/index.ts';
import type { Statements } from '../src/index.ts';

interface Plain {
  readonly globals?: readonly string[];
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly maps?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly instances?: Readonly<Record<string, unknown>>;
}

function plain({ globals, lists, routeMaps, instances }: Statements): Required<Plain> {
  return {
    globals,
    lists: Object.fromEntries(lists),
    maps: Object.fromEntries([...routeMaps].map(([name, clauses]) => [name, Object.fromEntries(clauses)])),
    instances: Object.fromEntries(
      [...instances].map(([header, { settings, neighbors }]) => [
        header,
        {
          settings,
          ...Object.fromEntries(
            [...neighbors].map(([address, scopes]) => [address, Object.fromEntries(scopes)]),
          ),
        },
      ]),
    ),
  };
}

const NOTHING: Required<Plain> = { globals: [], lists: {}, maps: {}, instances: {} };
const BGP = 'router bgp 65000';

describe('the text', () => {
  it.each<[string, readonly string[], Plain]>([
    ['of nothing', [''], {}],
    ['of spaces', ['   ', '\t', ''], {}],
    ['of comments', ['! a', '# b', '!', '  ! indented', '#'], {}],
    ['of ends', ['exit', 'end', 'exit-address-family', 'exit'], {}],
    ['of an instance alone', [BGP], { instances: { [BGP]: { settings: [] } } }],
    [
      'of an instance twice',
      [BGP, ' a', 'exit', BGP, ' b'],
      { instances: { [BGP]: { settings: ['a', 'b'] } } },
    ],
    [
      'of an instance without its exit',
      [BGP, ' a', 'router bgp 65000 view x', ' b'],
      { instances: { [BGP]: { settings: ['a'] }, 'router bgp 65000 view x': { settings: ['b'] } } },
    ],
    [
      'of a family without its exit',
      [BGP, ' address-family ipv4 unicast', '  neighbor a activate', 'exit', BGP, ' b'],
      { instances: { [BGP]: { settings: ['b'], a: { 'ipv4 unicast': ['activate'] } } } },
    ],
    [
      'of a family after another without an exit between',
      [
        BGP,
        ' address-family ipv4 unicast',
        '  neighbor a activate',
        ' address-family ipv6 unicast',
        '  neighbor a x',
      ],
      { instances: { [BGP]: { settings: [], a: { 'ipv4 unicast': ['activate'], 'ipv6 unicast': ['x'] } } } },
    ],
    [
      'of settings in a family, which are not ours',
      [
        BGP,
        ' address-family ipv4 unicast',
        '  maximum-paths 64',
        '  network 10.0.0.0/8',
        ' exit-address-family',
        ' b',
      ],
      { instances: { [BGP]: { settings: ['b'] } } },
    ],
    [
      'of families that Herald does not use',
      [
        BGP,
        ' address-family ipv4 labeled-unicast',
        '  neighbor a activate',
        ' exit-address-family',
        ' neighbor a b',
      ],
      { instances: { [BGP]: { settings: [], a: { '': ['b'] } } } },
    ],
    [
      'of a neighbour group',
      [BGP, ' neighbor leafs peer-group', ' neighbor leafs remote-as external'],
      { instances: { [BGP]: { settings: [], leafs: { '': ['peer-group', 'remote-as external'] } } } },
    ],
    [
      'of a neighbour without anything',
      [BGP, ' neighbor 192.0.2.2', ' neighbor '],
      { instances: { [BGP]: { settings: ['neighbor 192.0.2.2', 'neighbor'] } } },
    ],
    [
      'of an unnumbered neighbour',
      [BGP, ' neighbor eth0 interface remote-as external'],
      { instances: { [BGP]: { settings: [], eth0: { '': ['interface remote-as external'] } } } },
    ],
    [
      'without indentation',
      [BGP, 'neighbor a b', 'address-family ipv4 unicast', 'neighbor a c', 'exit-address-family', 'd'],
      { instances: { [BGP]: { settings: ['d'], a: { '': ['b'], 'ipv4 unicast': ['c'] } } } },
    ],
    [
      'with the line breaks of Windows',
      [`${BGP}\r`, ' a\r', 'exit\r', 'b\r'],
      { globals: ['b'], instances: { [BGP]: { settings: ['a'] } } },
    ],
    [
      'of a route-map',
      ['route-map m permit 10', ' match x', ' set y', 'exit', 'z'],
      { globals: ['z'], maps: { m: { 'route-map m permit 10': ['match x', 'set y'] } } },
    ],
    [
      'of a clause twice',
      ['route-map m permit 10', ' a', 'exit', 'route-map m permit 10', ' b'],
      { maps: { m: { 'route-map m permit 10': ['a', 'b'] } } },
    ],
    [
      'of clauses without an exit between',
      ['route-map m permit 10', ' a', 'route-map m deny 20', 'route-map n permit 10', ' b'],
      {
        maps: {
          m: { 'route-map m permit 10': ['a'], 'route-map m deny 20': [] },
          n: { 'route-map n permit 10': ['b'] },
        },
      },
    ],
    [
      'of a clause with nothing said about what it does',
      ['route-map m optimization', 'route-map m permit', 'route-map m'],
      { globals: ['route-map m optimization', 'route-map m permit', 'route-map m'] },
    ],
    [
      'of lists',
      [
        'ip prefix-list a seq 10 permit 10.0.0.0/8',
        'bgp large-community-list standard b seq 10 permit 1:2:3',
        'bgp large-community-list expanded b seq 20 deny ^4',
        'ip prefix-list a seq 20 deny any',
      ],
      {
        lists: {
          a: ['ip prefix-list a seq 10 permit 10.0.0.0/8', 'ip prefix-list a seq 20 deny any'],
          b: [
            'bgp large-community-list standard b seq 10 permit 1:2:3',
            'bgp large-community-list expanded b seq 20 deny ^4',
          ],
        },
      },
    ],
    [
      'of lists of other kinds',
      [
        'ipv6 prefix-list a permit ::/0',
        'bgp community-list standard c permit 1:1',
        'access-list d permit any',
      ],
      {
        globals: [
          'ipv6 prefix-list a permit ::/0',
          'bgp community-list standard c permit 1:1',
          'access-list d permit any',
        ],
      },
    ],
    ['of a list without a name', ['ip prefix-list'], { globals: ['ip prefix-list'] }],
    [
      'of a list in an instance',
      [BGP, 'ip prefix-list a seq 1 permit any'],
      { instances: { [BGP]: { settings: ['ip prefix-list a seq 1 permit any'] } } },
    ],
    [
      'of other blocks',
      ['interface lo', ' ip address 10.0.0.1/32', 'exit', 'line vty', 'exit'],
      { globals: ['interface lo', 'ip address 10.0.0.1/32', 'line vty'] },
    ],
    [
      'of other routers',
      ['router ospf', ' ospf router-id 1.1.1.1', 'exit'],
      { globals: ['router ospf', 'ospf router-id 1.1.1.1'] },
    ],
    [
      'of a sentence',
      ['Building configuration...', 'Current configuration:'],
      { globals: ['Building configuration...', 'Current configuration:'] },
    ],
  ])('%s', (_, lines, expected) => {
    expect(plain(parseStatements(lines.join('\n')))).toEqual({ ...NOTHING, ...expected });
  });

  it('cut anywhere is read as far as it goes', () => {
    const text = `log x\nroute-map m permit 10\n match y\nexit\n${BGP}\n a\n neighbor n b\n address-family ipv4 unicast\n  neighbor n activate\n exit-address-family\nexit\n`;
    const whole = plain(parseStatements(text));
    for (let end = 0; end <= text.length; end++) {
      const part = plain(parseStatements(text.slice(0, text.lastIndexOf('\n', end) + 1)));
      expect(whole.globals).toEqual(expect.arrayContaining([...part.globals]));
      expect(Object.keys(whole.maps)).toEqual(expect.arrayContaining(Object.keys(part.maps)));
      expect(`${JSON.stringify(whole.maps)} `).toContain(
        JSON.stringify(part.maps).replaceAll(/[\]}]+$/g, ''),
      );
      expect(Object.keys(whole.instances)).toEqual(expect.arrayContaining(Object.keys(part.instances)));
    }
  });

  it('of any lines is read without complaint, and differs in nothing from itself', () => {
    const word = fc.constantFrom('router bgp 1', 'router bgp 1 view v', 'address-family ipv4 unicast');
    const more = fc.constantFrom(
      'exit',
      'end',
      'exit-address-family',
      'neighbor a b',
      'route-map m permit 1',
      '!',
    );
    const line = fc.oneof(
      word,
      more,
      fc.string(),
      fc.constantFrom('ip prefix-list l seq 1 permit any', 'set x'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const statements = parseStatements(lines.join('\n'));
        expect(diffConfig(statements, statements)).toEqual([]);
      }),
    );
  });
});
