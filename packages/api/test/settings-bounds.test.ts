// Every field of the settings at, inside and beyond its bounds, with the whole sentence that refuses it.

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseSettings, type Fault, type Settings } from '../src/index.ts';
import { withValue } from './cases/shape.ts';

const SMALLEST = {
  asn: 64512,
  routerId: '192.0.2.1',
  source: {},
  bgpd: {},
  http: {},
  probes: {},
  guard: {},
  exchange: {},
  handOver: {},
};

function parsed(place: string, value: unknown): ReturnType<typeof parseSettings> {
  return parseSettings(stringify(withValue(SMALLEST, place, value)));
}

function valueAt(settings: Settings, place: string): unknown {
  return place.split(' ').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings);
}

interface Numbers {
  readonly place: string;
  readonly from: number;
  readonly to: number;
}

const NUMBERS: readonly Numbers[] = [
  { place: 'asn', from: 1, to: 4294967294 },
  { place: 'bgpd port', from: 1, to: 65535 },
  { place: 'http port', from: 1, to: 65535 },
  { place: 'probes port', from: 1, to: 65535 },
  { place: 'probes losses', from: 1, to: 100 },
  { place: 'probes returns', from: 1, to: 100 },
  { place: 'guard deadNodesPercent', from: 1, to: 100 },
];

describe.each(NUMBERS)('$place', ({ place, from, to }) => {
  const field = place.replaceAll(' ', '.');

  it.each([from, to, from + 1, to - 1])('may be %d', (value) => {
    const result = parsed(place, value);
    expect(result.ok && valueAt(result.value, place)).toBe(value);
  });

  it.each<[unknown, string]>([
    [from - 1, `must be at least ${from}, not ${from - 1}`],
    [-1, `must be at least ${from}, not -1`],
    [to + 1, `must be at most ${to}, not ${to + 1}`],
    [from + 0.5, `must be a whole number, not ${from + 0.5}`],
    [String(from), `must be a whole number, not "${from}"`],
    [true, 'must be a whole number, not true'],
    [null, 'must be a whole number, not null'],
    [[], 'must be a whole number, not a list'],
    [{}, 'must be a whole number'],
  ])('is not %j', (value, rule) => {
    expect(parsed(place, value).faults.map(({ message }) => message)).toEqual([
      `settings: ${field} ${rule}.`,
    ]);
  });
});

interface Durations {
  readonly place: string;
  readonly projected: string;
  readonly from: number;
  readonly to: number;
}

const DURATIONS: readonly Durations[] = [
  { place: 'probes interval', projected: 'probes intervalMs', from: 100, to: 60_000 },
  { place: 'probes timeout', projected: 'probes timeoutMs', from: 50, to: 60_000 },
  { place: 'guard suspectListDelay', projected: 'guard suspectListMs', from: 1000, to: 600_000 },
  { place: 'guard joinDelay', projected: 'guard joinDelayMs', from: 0, to: 60_000 },
  { place: 'guard silentNodeDelay', projected: 'guard silentNodeMs', from: 0, to: 600_000 },
  { place: 'guard staleAfter', projected: 'guard staleMs', from: 1000, to: 600_000 },
  { place: 'guard keptTableAfter', projected: 'guard keptTableMs', from: 1000, to: 600_000 },
  { place: 'handOver patience', projected: 'handOver patienceMs', from: 0, to: 600_000 },
];

describe.each(DURATIONS)('$place', ({ place, projected, from, to }) => {
  const field = place.replaceAll(' ', '.');
  const rule = `must be a duration from ${from}ms to ${to}ms, such as "500ms" or "2s"`;

  it.each([`${from}ms`, `${to}ms`, `${to / 1000}s`, '1s', '1s500ms', '60s', '1m'])('may be %s', (text) => {
    const result = parsed(place, text);
    const inMs: Readonly<Record<string, number>> = {
      '1s': 1000,
      '1s500ms': 1500,
      '60s': 60_000,
      '1m': 60_000,
    };
    const written = text.endsWith('ms') ? Number.parseInt(text, 10) : to;
    expect(result.ok && valueAt(result.value, projected)).toBe(inMs[text] ?? written);
  });

  it.each([`${to + 1}ms`, '11m', '1h', '', '1', 'soon', '-1s', '1.5s', ' 1s', '1d'])('is not %j', (text) => {
    expect(parsed(place, text).faults.map(({ message }) => message)).toEqual([
      `settings: ${field} ${rule}, not ${JSON.stringify(text)}.`,
    ]);
  });

  it.each<[unknown, string]>([
    [500, 'must be a text, not 500'],
    [null, 'must be a text, not null'],
    [false, 'must be a text, not false'],
    [['1s'], 'must be a text, not a list'],
    [{ seconds: 1 }, 'must be a text'],
    ['1'.repeat(25), `must have at most 24 characters, not "${'1'.repeat(25)}"`],
  ])('is not %j, whatever it would mean', (value, says) => {
    expect(parsed(place, value).faults.map(({ message }) => message)).toEqual([
      `settings: ${field} ${says}.`,
    ]);
  });
});

describe.each(DURATIONS.filter(({ from }) => from > 0))('$place', ({ place, from }) => {
  it('is not shorter than its bound', () => {
    expect(parsed(place, `${from - 1}ms`).ok).toBe(false);
    expect(parsed(place, '0s').ok).toBe(false);
  });
});

const CHOICES: readonly { place: string; words: readonly string[]; alternatives: string }[] = [
  { place: 'standbyMode', words: ['Hot', 'Warm', 'Cold'], alternatives: 'Hot, Warm or Cold' },
  {
    place: 'logLevel',
    words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    alternatives: 'fatal, error, warn, info, debug, trace or silent',
  },
  {
    place: 'probes mode',
    words: ['KubeProxy', 'Tcp', 'Disabled'],
    alternatives: 'KubeProxy, Tcp or Disabled',
  },
];

describe.each(CHOICES)('$place', ({ place, words, alternatives }) => {
  it.each(words)('may be %s', (word) => {
    const result = parsed(place, word);
    expect(result.ok && valueAt(result.value, place)).toBe(word);
  });

  it.each([...words.map((word) => ` ${word}`), words[0]?.toUpperCase(), '', 'none'])('is not %j', (word) => {
    expect(parsed(place, word).faults.map(({ message }) => message)).toContain(
      `settings: ${place.replaceAll(' ', '.')} must be ${alternatives}, not ${JSON.stringify(word)}.`,
    );
  });

  it.each([7, null, true, []])('is not %j', (value) => {
    const { faults } = parsed(place, value);
    expect(faults.map(({ message }) => message)).toContainEqual(expect.stringContaining('must be a text'));
  });
});

const FLAGS = ['ipam', 'compatibilityAnnotations', 'excludeLabelHonoured', 'cordonedNodesLeave'];

describe.each(FLAGS)('%s', (place) => {
  it.each([true, false])('may be %j', (value) => {
    const result = parsed(place, value);
    expect(result.ok && valueAt(result.value, place)).toBe(value);
  });

  it.each<[unknown, string]>([
    ['true', ', not "true"'],
    ['yes', ', not "yes"'],
    [1, ', not 1'],
    [0, ', not 0'],
    [null, ', not null'],
    [[], ', not a list'],
    [{}, ''],
  ])('is not %j', (value, shown) => {
    expect(parsed(place, value).faults.map(({ message }) => message)).toEqual([
      `settings: ${place} must be true or false${shown}.`,
    ]);
  });
});

const PATHS = ['stateDir', 'bgpd binary', 'bgpd vtyDir', 'bgpd vtysh', 'bgpd configDir'];

describe.each(PATHS)('%s', (place) => {
  const field = place.replaceAll(' ', '.');

  it.each(['/', '/a', '/a b/ü', `/${'a'.repeat(4095)}`])('may be %j', (path) => {
    const result = parsed(place, path);
    expect(result.ok && valueAt(result.value, place)).toBe(path);
  });

  it.each(['', 'a', './a', '../a', '~/a', ' /a', 'C:\\a', 'file:///a'])('is not %j', (path) => {
    expect(parsed(place, path).faults.map(({ message }) => message)).toEqual([
      `settings: ${field} must be an absolute path, not ${JSON.stringify(path)}.`,
    ]);
  });

  it('is not endless', () => {
    expect(parsed(place, `/${'a'.repeat(4096)}`).faults.map(({ field: at }) => at)).toEqual([field]);
  });
});

describe('http address', () => {
  it.each(['127.0.0.2', '::1', '0.0.0.0', '::', '192.0.2.1'])('may be %s', (text) => {
    expect(parsed('http address', text).ok).toBe(true);
  });

  it.each(['', '*', 'localhost', '127.0.0.2:80', '[::1]', '127.0.0.02', '::1%lo'])('is not %j', (text) => {
    expect(parsed('http address', text).faults.map(({ message }) => message)).toEqual([
      `settings: http.address must be an IPv4 or IPv6 address, not ${JSON.stringify(text)}.`,
    ]);
  });
});

describe('bgpd feedAddress', () => {
  it.each(['127.0.0.2', '127.255.255.254'])('may be %s', (text) => {
    expect(parsed('bgpd feedAddress', text).ok).toBe(true);
  });

  it.each(['', '*', '::1', '127.0.0.1', '127.0.0.02', '127.0.0.2:80', '192.0.2.1'])('is not %j', (text) => {
    expect(parsed('bgpd feedAddress', text).faults.map(({ field }) => field)).toEqual(['bgpd.feedAddress']);
  });
});

describe('the router id', () => {
  it.each(['FromPodAddress', '192.0.2.1', '10.0.0.1', '1.0.0.0', '223.255.255.255', '169.254.1.1'])(
    'may be %s',
    (text) => {
      const result = parseSettings(stringify({ asn: 64512, routerId: text }), { podAddress: '10.1.2.3' });
      expect(result.ok && result.value.routerId.text).toBe(text === 'FromPodAddress' ? '10.1.2.3' : text);
    },
  );

  it.each([
    '',
    'frompodaddress',
    '0.0.0.0',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '1',
    '1.2.3',
  ])('is not %j', (text) => {
    expect(parsed('routerId', text).faults.map(({ message }) => message)).toEqual([
      `settings: routerId must be an IPv4 address of one machine, or FromPodAddress, not ${JSON.stringify(text)}.`,
    ]);
  });

  it('of an IPv6 pod is the same every time, and never zero', () => {
    const ids = Array.from({ length: 200 }, (_, index) => {
      const result = parseSettings('asn: 64512', { podAddress: `2001:db8::${index.toString(16)}` });
      return result.ok ? result.value.routerId.text : 'none';
    });
    expect(new Set(ids).size).toBeGreaterThan(190);
    expect(ids).not.toContain('0.0.0.0');
    const again = parseSettings('asn: 64512', { podAddress: '2001:DB8:0::0' });
    expect(again.ok && again.value.routerId.text).toBe(ids[0]);
  });
});

const said = ({ faults }: { faults: readonly Fault[] }): string[] => faults.map(({ message }) => message);

describe('where objects come from', () => {
  const PATH = 'settings: source.path must be set when source.kind is folder, and only then.';

  it.each<[object, string[]]>([
    [{}, []],
    [{ kind: 'kubernetes' }, []],
    [{ kind: 'folder', path: '/etc/herald' }, []],
    [{ kind: 'folder' }, [PATH]],
    [{ path: '/etc/herald' }, [PATH]],
    [{ kind: 'kubernetes', path: '/etc/herald' }, [PATH]],
    [{ kind: 'Folder', path: '/x' }, ['settings: source.kind must be kubernetes or folder, not "Folder".']],
    [{ kind: 'folder', path: 'x' }, ['settings: source.path must be an absolute path, not "x".']],
    [{ kind: 'folder', path: null }, ['settings: source.path must be a text, not null.']],
    [{ kind: 'folder', path: '/x', url: 'y' }, ['settings: source.url is not a field of the settings.']],
  ])('%j', (source, messages) => {
    expect(said(parsed('source', source))).toEqual(messages);
  });
});
