// The text of the settings: where it breaks is said by line and column, everything that is wrong is said at
// once, and JSON is as good as YAML.

import { describe, expect, it } from 'vitest';
import { parseSettings } from '../src/index.ts';

const messages = (text: string): string[] => parseSettings(text).faults.map(({ message }) => message);

interface Mistake {
  readonly about: string;
  readonly lines: readonly string[];
  readonly line: number;
  readonly column: number;
}

const MISTAKES: readonly Mistake[] = [
  { about: 'a key twice', lines: ['asn: 1', 'ipam: true', 'asn: 2'], line: 3, column: 1 },
  {
    about: 'a key twice, further in',
    lines: ['asn: 1', 'http:', '  port: 1', '  port: 2'],
    line: 4,
    column: 3,
  },
  { about: 'a tab for indentation', lines: ['asn: 1', 'http:', '\tport: 1'], line: 3, column: 1 },
  { about: 'an open quote', lines: ['asn: 1', 'logLevel: "info'], line: 2, column: 16 },
  { about: 'an open list', lines: ['asn: [1'], line: 1, column: 8 },
  { about: 'an open mapping', lines: ['asn: 1', 'http: {port: 1'], line: 2, column: 15 },
  { about: 'an escape that is none', lines: ['asn: 1', 'stateDir: "/a\\q"'], line: 2, column: 14 },
  { about: 'a closing bracket alone', lines: ['asn: 1', 'http: ]'], line: 2, column: 7 },
  { about: 'a value that is a mapping too', lines: ['asn: 1: 2'], line: 1, column: 6 },
  { about: 'a reserved character', lines: ['asn: @1'], line: 1, column: 6 },
  { about: 'a backtick', lines: ['asn: 1', 'logLevel: `info`'], line: 2, column: 11 },
];

describe('a text that cannot be read', () => {
  it.each(MISTAKES)('names the place of $about', ({ lines, line, column }) => {
    const result = parseSettings(lines.join('\n'));
    expect(result.ok).toBe(false);
    expect(result.faults[0]).toMatchObject({ object: 'settings', field: '', reason: 'Unreadable' });
    expect(result.faults[0]?.message).toContain(
      `settings cannot be read at line ${line}, column ${column}: `,
    );
  });

  it.each(MISTAKES)('is not judged by its content as well: $about', ({ lines }) => {
    const { faults } = parseSettings([...lines, 'colour: red'].join('\n'));
    expect(faults.every(({ reason }) => reason === 'Unreadable')).toBe(true);
  });

  it('names the line behind comments and blank lines', () => {
    expect(messages('# settings\n\n\nasn: 1\n\n# twice\nasn: 2\n')).toEqual([
      'settings cannot be read at line 7, column 1: Map keys must be unique.',
    ]);
  });

  it('names the line of a text with the line breaks of Windows', () => {
    expect(messages('asn: 1\r\nipam: true\r\nasn: 2\r\n')).toEqual([
      'settings cannot be read at line 3, column 1: Map keys must be unique.',
    ]);
  });
});

describe('a text that is no mapping', () => {
  it.each([
    '',
    '\n',
    '# nothing\n',
    'null',
    '~',
    '7',
    'true',
    'text',
    '"asn: 1"',
    '[]',
    '- asn: 1',
    '---\n',
    '[asn]',
  ])('%j', (text) => {
    expect(messages(text)).toEqual(['settings must be a mapping of fields, such as "asn: 65000".']);
  });
});

describe('the same settings', () => {
  const expected = parseSettings('asn: 64512\nrouterId: 192.0.2.1\nhttp:\n  port: 80\n');

  it.each([
    ['JSON', '{"asn": 64512, "routerId": "192.0.2.1", "http": {"port": 80}}'],
    ['JSON of one line', '{"asn":64512,"routerId":"192.0.2.1","http":{"port":80}}'],
    [
      'JSON with line breaks',
      '{\n  "asn": 64512,\n  "routerId": "192.0.2.1",\n  "http": { "port": 80 }\n}\n',
    ],
    ['flow style', '{asn: 64512, routerId: 192.0.2.1, http: {port: 80}}'],
    ['quotes', '"asn": 64512\n\'routerId\': "192.0.2.1"\nhttp: {"port": 80}'],
    ['another order', 'http: {port: 80}\nrouterId: 192.0.2.1\nasn: 64512'],
    ['comments', '# ours\nasn: 64512 # private\nrouterId: 192.0.2.1\nhttp:\n  # plain\n  port: 80'],
    ['a document start', '---\nasn: 64512\nrouterId: 192.0.2.1\nhttp: {port: 80}\n'],
    ['a document end', 'asn: 64512\nrouterId: 192.0.2.1\nhttp: {port: 80}\n...\n'],
    ['a byte order mark', '\u{feff}asn: 64512\nrouterId: 192.0.2.1\nhttp: {port: 80}\n'],
    ['Windows', 'asn: 64512\r\nrouterId: 192.0.2.1\r\nhttp:\r\n  port: 80\r\n'],
    ['hexadecimal', 'asn: 0xfc00\nrouterId: 192.0.2.1\nhttp: {port: 0x50}'],
    ['an alias', 'asn: 64512\nrouterId: &id 192.0.2.1\nhttp: {port: 80}\n'],
    [
      'what is the default anyway',
      'asn: 64512\nrouterId: 192.0.2.1\nhttp: {port: 80}\nipam: true\nprobes: {}',
    ],
  ])('written as %s', (_, text) => {
    expect(expected.ok).toBe(true);
    expect(parseSettings(text)).toEqual(expected);
  });
});

describe('several faults at once', () => {
  it.each<[string, string, string[]]>([
    [
      'of one field each',
      'asn: 0\nipam: 1\nstandbyMode: hot\nlogLevel: loud\nstateDir: x\n',
      ['asn', 'ipam', 'standbyMode', 'logLevel', 'stateDir', 'routerId'],
    ],
    [
      'in every part',
      'asn: 1\nrouterId: 1.1.1.1\nsource: {kind: x}\nbgpd: {port: 0}\nhttp: {port: 0}\nprobes: {port: 0}\nguard: {joinDelay: x}\n',
      ['source.kind', 'bgpd.port', 'http.port', 'probes.port', 'guard.joinDelay'],
    ],
    [
      'in one part',
      'asn: 1\nrouterId: 1.1.1.1\nprobes: {mode: x, port: 0, interval: 1ms, timeout: 1h, losses: 0, returns: 101}\n',
      ['probes.mode', 'probes.port', 'probes.interval', 'probes.timeout', 'probes.losses', 'probes.returns'],
    ],
    [
      'unknown fields and wrong ones',
      'asn: x\nrouterId: 1.1.1.1\ncolour: red\nhttp: {tls: true, port: x}\n',
      ['asn', 'colour', 'http.tls', 'http.port'],
    ],
    ['the part that is missing', 'ipam: 1\nrouterId: 1.1.1.1\n', ['asn', 'ipam']],
    [
      'parts that are no mappings',
      'asn: 1\nrouterId: 1.1.1.1\nsource: x\nbgpd: []\nhttp: 7\nprobes: true\nguard: null\n',
      ['source', 'bgpd', 'http', 'probes', 'guard'],
    ],
    [
      'the paths of bgpd',
      'asn: 1\nrouterId: 1.1.1.1\nbgpd: {binary: a, vtyDir: b, vtysh: c, configDir: d, feedAddress: e}\n',
      ['bgpd.binary', 'bgpd.vtyDir', 'bgpd.vtysh', 'bgpd.configDir', 'bgpd.feedAddress'],
    ],
  ])('%s', (_, text, fields) => {
    const { ok, faults } = parseSettings(text);
    expect(ok).toBe(false);
    expect(faults.map(({ field }) => field).sort()).toEqual(fields.toSorted());
    for (const { object, field, message } of faults) {
      expect(object).toBe('settings');
      expect(message).toMatch(new RegExp(`^settings: ${field.replaceAll('.', '\\.')} (?:must|is) .+\\.$`));
    }
  });
});
