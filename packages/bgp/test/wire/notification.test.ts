import { describe, expect, it } from 'vitest';
import {
  administrativeShutdown,
  communicationOf,
  decode,
  encode,
  hardResetReason,
  notification,
} from '../../src/index.ts';
import { hex, PLAIN, toHex } from '../octets.ts';

describe('the words of an administrator (RFC 9003)', () => {
  it.each([
    ['short text', 'going away', 'going away'],
    ['exactly 255 octets', 'x'.repeat(255), 'x'.repeat(255)],
    ['more than 255 octets', 'x'.repeat(300), 'x'.repeat(255)],
    ['a character that would be cut', `${'x'.repeat(254)}ü`, 'x'.repeat(254)],
    ['no text', '', undefined],
  ])('arrive: %s', (_, sent, received) => {
    const decoded = decode(encode(administrativeShutdown(sent), PLAIN), PLAIN);
    expect(decoded.ok && decoded.message.kind === 'notification' && communicationOf(decoded.message)).toBe(
      received,
    );
  });

  it.each([
    ['a length beyond the data', notification(6, 2, hex('05 6161'))],
    ['a length one beyond the data', notification(6, 2, hex('02 61'))],
    ['no data', notification(6, 2)],
    ['another Cease', notification(6, 3, hex('01 61'))],
    ['no Cease', notification(4, 2, hex('01 61'))],
  ])('are not read from %s', (_, message) => {
    expect(communicationOf(message)).toBeUndefined();
  });

  it('are readable even when they are not UTF-8, and for an administrative reset', () => {
    expect(communicationOf(notification(6, 4, hex('02 ff61')))).toBe('\u{fffd}a');
  });
});

describe('a hard reset (RFC 8538)', () => {
  it('carries the NOTIFICATION that it stands for', () => {
    const inner = hardResetReason(notification(6, 9, hex('06 02 02 6162')));
    expect(inner).toMatchObject({ code: 6, subcode: 2 });
    expect(inner && communicationOf(inner)).toBe('ab');
    expect(inner && toHex(inner.data)).toBe('026162');
  });

  it.each([
    ['without data', notification(6, 9)],
    ['that is another Cease', notification(6, 2, hex('0602'))],
  ])('carries nothing %s', (_, message) => {
    expect(hardResetReason(message)).toBeUndefined();
  });
});
