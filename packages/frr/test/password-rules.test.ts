// Which passwords bgpd can be given, and that one which it cannot be given never reaches it, nor any sentence.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planConfig, renderConfig } from '../src/index.ts';
import { PLACEMENT, peer, plan } from './session-plan.ts';

const LONG = 'the password is longer than 80 bytes';
const ODD = 'the password is empty or holds a space, a control character or a character outside ASCII';

describe('a password', () => {
  it.each([
    ['one character', 'a'],
    ['letters and digits', 'Abc123'],
    ['80 bytes', 'x'.repeat(80)],
    [
      'every printable character',
      String.fromCodePoint(...Array.from({ length: 80 }, (_, index) => 0x21 + index)),
    ],
    ['the rest of them', 'qrstuvwxyz{|}~'],
    ['what begins a comment', '!geheim'],
    ['what begins another comment', '#geheim'],
    ['quotes', `"'\`geheim`],
    ['a backslash', 'a\\nb'],
    ['what a template could read', '{{password}}'],
    ['what a shell could read', '$(reboot);`x`&|<>'],
    ['a question mark, which asks in a terminal', 'a?b'],
    ['a word of the configuration', 'shutdown'],
    ['eight, which once meant encrypted', '8'],
  ])('may be %s', (_, password) => {
    const { config, held, refused } = planConfig(plan(peer('tor-1', { password })), PLACEMENT);
    expect([...held]).toEqual([]);
    expect(refused).toEqual([]);
    expect(renderConfig(config).split('\n')).toContain(` neighbor 192.0.2.2 password ${password}`);
  });

  it.each([
    ['nothing', '', ODD],
    ['a space', ' ', ODD],
    ['two words', 'geheim mehr', ODD],
    ['a space in front', ' geheim', ODD],
    ['a space behind', 'geheim ', ODD],
    ['a line break behind, as from a file', 'geheim\n', ODD],
    ['a line of configuration', 'geheim\n neighbor 192.0.2.2 shutdown', ODD],
    ['a line break of Windows', 'geheim\r\n', ODD],
    ['a carriage return', 'geheim\r', ODD],
    ['a tab', 'geheim\t', ODD],
    ['a NUL', 'geheim\0', ODD],
    ['an escape', 'geheim\u001B[0m', ODD],
    ['a delete', 'geheim\u007F', ODD],
    ['an umlaut', 'gehëim', ODD],
    ['a space of another kind', 'geheim\u00A0', ODD],
    ['a byte order mark', '\u{feff}geheim', ODD],
    ['a picture', 'geheim😀', ODD],
    ['81 bytes', 'g'.repeat(81), LONG],
    ['far too many', 'geheim'.repeat(1000), LONG],
    ['too many and odd ones', 'ü'.repeat(81), LONG],
  ])('is not %s', (_, password, message) => {
    const { config, held, refused } = planConfig(
      plan(peer('tor-1', { password }), peer('ok', { number: 8 })),
      PLACEMENT,
    );
    expect([...held]).toEqual(['tor-1']);
    expect(refused).toEqual([{ peer: 'tor-1', reason: 'SecretInvalid', message }]);
    const text = renderConfig(config);
    expect(text).not.toContain('tor-1');
    expect(text).not.toMatch(/geh|password/);
    expect(text).toContain('description peer ok');
  });

  it('that is not there is not asked for', () => {
    const { config, refused } = planConfig(plan(peer('tor-1')), PLACEMENT);
    expect(refused).toEqual([]);
    expect(renderConfig(config)).not.toContain('password');
  });

  it('of a peer that is unresolved is not judged', () => {
    const unresolved = { ...peer('tor-1', { password: 'two words' }), unresolved: true };
    const { held, refused } = planConfig(plan(unresolved), PLACEMENT);
    expect([...held]).toEqual(['tor-1']);
    expect(refused).toEqual([]);
  });

  it('of any text is on a line of its own or nowhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (password) => {
        const usual = renderConfig(planConfig(plan(peer('tor-1', { password: 'x' })), PLACEMENT).config);
        const { config, refused } = planConfig(plan(peer('tor-1', { password })), PLACEMENT);
        const lines = renderConfig(config).split('\n').length;
        expect(refused.length === 1 || lines === usual.split('\n').length).toBe(true);
      }),
    );
  });

  it('of each of many peers is judged alone', () => {
    const passwords = ['good', 'not good', 'fine', '', 'g'.repeat(81)];
    const peers = passwords.map((password, index) => peer(`p${index}`, { number: index + 1, password }));
    const { held, refused } = planConfig(plan(...peers), PLACEMENT);
    expect([...held].sort()).toEqual(['p1', 'p3', 'p4']);
    expect(refused.map(({ peer: name, message }) => [name, message])).toEqual([
      ['p1', ODD],
      ['p3', ODD],
      ['p4', LONG],
    ]);
  });
});
