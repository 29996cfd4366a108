import { describe, expect, test } from 'vitest';

import { SharedHold } from '../src/shared-hold.ts';
import { inView, peer, plan } from './session-plan.ts';

const TOR = peer('tor-1');
const OTHER = peer('tor-2');

test.for([
  { what: 'nobody runs', peers: [TOR], running: {}, may: true },
  { what: 'everybody stays', peers: [TOR, OTHER], running: { 'tor-1': 'default' }, may: true },
  { what: 'a peer was removed and still runs', peers: [TOR], running: { 'tor-2': 'default' }, may: false },
  {
    what: 'a peer moves into a view and still runs in the shared instance',
    peers: [TOR, inView('tor-2', 'plain-7')],
    running: { 'tor-1': 'default', 'tor-2': 'default' },
    may: false,
  },
  {
    what: 'it has moved',
    peers: [TOR, inView('tor-2', 'plain-7')],
    running: { 'tor-1': 'default', 'tor-2': 'plain-7' },
    may: true,
  },
  { what: 'a peer of a view was removed', peers: [TOR], running: { 'tor-2': 'plain-7' }, may: true },
])('$what: the table may be replaced: $may', ({ peers, running, may }) => {
  const hold = new SharedHold();
  expect(hold.mayReplace(plan(...peers), new Map(Object.entries(running)), 0)).toBe(may);
});

describe('a peer that does not get away', () => {
  const leaving = new Map([['tor-2', 'default']]);

  test('keeps the table back for two seconds', () => {
    const hold = new SharedHold();
    const at = (nowMs: number): boolean => hold.mayReplace(plan(TOR), leaving, nowMs);
    expect([at(5000), at(6999), at(7000), at(9000)]).toEqual([false, false, true, true]);
  });

  test('the next one has as long again', () => {
    const hold = new SharedHold();
    hold.mayReplace(plan(TOR), leaving, 0);
    expect(hold.mayReplace(plan(TOR), new Map(), 1000)).toBe(true);
    expect(hold.mayReplace(plan(TOR), leaving, 2500)).toBe(false);
  });
});
