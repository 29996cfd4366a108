import { address } from '@herald/net';
import { afterEach, expect, it } from 'vitest';
import { redialFeed, VtyError } from '../src/index.ts';
import { answerBytes, startFakeBgpd } from './fake-bgpd.ts';
import type { FakeBgpd } from './fake-bgpd.ts';

let bgpd: FakeBgpd | undefined;

afterEach(() => bgpd?.close());

it('resets the one neighbour of the one view', async () => {
  bgpd = await startFakeBgpd((_, socket) => socket.write(answerBytes({ status: 0, text: '' })));
  await redialFeed(bgpd.settings, 'plain-7', address('127.1.0.9'));
  expect(bgpd.commands).toEqual(['enable', 'clear bgp view plain-7 127.1.0.9']);
});

it('says what bgpd said when it refuses', async () => {
  bgpd = await startFakeBgpd((command, socket) => {
    const refused = { status: 13, text: 'No such neighbor\n' };
    socket.write(answerBytes(command === 'enable' ? { status: 0, text: '' } : refused));
  });
  const dialled = redialFeed(bgpd.settings, 'plain-7', address('127.1.0.9'));
  await expect(dialled).rejects.toThrow(VtyError);
  await expect(dialled).rejects.toThrow(/No such neighbor/);
});
