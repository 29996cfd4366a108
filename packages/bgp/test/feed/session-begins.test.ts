// A feed against scripted peers: every way in which a session comes about or does not, with the octets that the
// peer reads and the words that the operator reads.

import { beforeEach, describe, expect, it } from 'vitest';
import { encode, type Message, type OpenMessage } from '../../src/index.ts';
import { FULL } from '../receiver.ts';
import { hex, message, toHex } from '../octets.ts';
import { KEEPALIVE, remoteOpen, ScriptedFeed, SETTINGS, stopClock } from './scripted-feed.ts';
import {
  established,
  inOpenConfirm,
  inOpenSent,
  started,
  STATES,
  TABLE,
  WHOLE_SESSION,
} from './scripted-states.ts';

beforeEach(stopClock);

describe('a handshake', () => {
  it('goes through its states, one after the other', async () => {
    const script = started();
    expect(script.feed.state).toEqual({ kind: 'connecting' });
    script.connect();
    expect(script.feed.state).toEqual({ kind: 'open-sent' });
    await script.receive(remoteOpen());
    expect(script.feed.state).toEqual({ kind: 'open-confirm' });
    await script.receive(KEEPALIVE);
    expect(script.feed.state).toEqual({ kind: 'established', sinceMs: Date.now(), endOfRibSent: true });
    expect(script.lines).toEqual(WHOLE_SESSION);
    expect(script.problems).toEqual([]);
  });

  it('arrives octet by octet just the same', async () => {
    const script = started();
    script.connect();
    const octets = Buffer.concat([remoteOpen(), KEEPALIVE].map((each) => encode(each, script.session)));
    for (const octet of octets) {
      await script.receiveOctets(Uint8Array.of(octet));
    }
    expect(script.lines).toEqual(WHOLE_SESSION);
  });

  it('is not begun before the first table', () => {
    const script = new ScriptedFeed();
    expect(script.listeners.claimed).toBeUndefined();
    expect(script.states).toEqual([]);
  });
});

describe('an OPEN that is refused', () => {
  const noFour = FULL.filter(({ kind }) => kind !== 'four-octet-asn');
  const rows: [string, Partial<OpenMessage>, string, string, string][] = [
    ['another AS', { asn: 65009, capabilities: noFour }, '2/2', '', 'the peer is AS 65009, not 65000'],
    [
      'our identifier',
      { identifier: remoteOpen().identifier },
      '2/3',
      '',
      'the peer has our own identifier 10.0.0.1',
    ],
    [
      'AS numbers of two octets',
      { capabilities: noFour },
      '2/7',
      '41040000fde8',
      'the peer has no four-octet AS numbers',
    ],
  ];

  it.each(rows)('for %s: NOTIFICATION, reason, and a new attempt', async (...row) => {
    const [, fields, codes, data, text] = row;
    const script = new ScriptedFeed({
      routerId: codes === '2/3' ? remoteOpen().identifier : SETTINGS.routerId,
    });
    script.feed.set(TABLE);
    script.connect();
    await script.receive(remoteOpen(fields));
    expect(script.lines).toEqual(['open', `notification ${codes}`]);
    const last = script.messages.at(-1);
    expect(last?.kind === 'notification' && toHex(last.data)).toBe(data);
    expect(script.problems).toEqual([{ reason: 'OpenRefused', text }]);
    expect(script.feed.state).toEqual({ kind: 'connecting' });
    expect(script.feed.counters.sessionsLost).toBe(0);
    await script.establish();
    expect(script.feed.state.kind).toBe(codes === '2/3' ? 'connecting' : 'established');
  });

  const malformed: [string, string, string][] = [
    ['version 3', '03 fde8 001e 0a000001 00', 'notification 2/1'],
    ['hold time 1', '04 fde8 0001 0a000001 00', 'notification 2/6'],
    ['identifier 0.0.0.0', '04 fde8 001e 00000000 00', 'notification 2/3'],
    ['AS 0', '04 0000 001e 0a000001 00', 'notification 2/2'],
    ['a parameter that is no capability', '04 fde8 001e 0a000001 03 01 01 00', 'notification 2/4'],
    ['parameters that overrun', '04 fde8 001e 0a000001 05 02 02 02 00', 'notification 2/0'],
  ];

  it.each(malformed)('because it is malformed: %s', async (_, body, said) => {
    const script = await inOpenSent();
    await script.receiveOctets(message(1, body));
    expect(script.lines).toEqual(['open', said]);
    expect(script.problems.map(({ reason }) => reason)).toEqual(['MalformedMessage']);
    expect(script.feed.state).toEqual({ kind: 'connecting' });
  });
});

describe('a message that does not belong there', () => {
  const rows: [string, (typeof STATES)[number][1], Message, string][] = [
    ['KEEPALIVE for an OPEN', inOpenSent, KEEPALIVE, 'notification 5/1'],
    ['an OPEN after the OPEN', inOpenConfirm, remoteOpen(), 'notification 5/2'],
    ['an OPEN in an established session', established, remoteOpen(), 'notification 5/3'],
  ];

  it.each(rows)('ends the session: %s', async (...[, reached, sent, said]) => {
    const script = await reached();
    await script.receive(sent);
    expect(script.lines.at(-1)).toBe(said);
    expect(script.problems.map(({ reason }) => reason)).toEqual(['UnexpectedMessage']);
    expect(script.socket.finished).toBe(true);
  });
});

describe('a long message of the peer', () => {
  const long = message(2, `1388${'080a'.repeat(2500)}0000`);

  it.each([
    ['is read once both offered it', FULL, 'established', []],
    [
      'ends the session where it was not offered',
      FULL.filter(({ kind }) => kind !== 'extended-message'),
      'connecting',
      ['length 5023 is not between 19 and 4096'],
    ],
  ] as const)('%s', async (...[, capabilities, state, texts]) => {
    const script = started();
    await script.establish(remoteOpen({ capabilities }));
    await script.receiveOctets(long);
    expect(script.feed.state.kind).toBe(state);
    expect(script.problems.map(({ text }) => text)).toEqual(texts);
  });
});

describe('octets that are no message', () => {
  it.each(STATES)('end the session in %s with the right NOTIFICATION', async (_, reached) => {
    const script = await reached();
    await script.receiveOctets(hex(`${'ff'.repeat(16)} 0013 09`));
    expect(script.lines.at(-1)).toBe('notification 1/3');
    const last = script.messages.at(-1);
    expect(last?.kind === 'notification' && toHex(last.data)).toBe('09');
    expect(script.problems).toEqual([{ reason: 'MalformedMessage', text: 'message type 9 is unknown' }]);
  });
});
