import { expect, test } from 'vitest';

import { Redial } from '../src/redial.ts';
import { inView, peer, plan } from './session-plan.ts';

const PLAIN = inView('plain-1', 'plain-12');
const OTHER = inView('plain-2', 'plain-13');
const PLAN = plan(PLAIN, OTHER, peer('tor-1'));

function feed(state: 'established' | 'waiting' | 'on the way', connectionsDropped: number) {
  const [established, waiting] = [state === 'established', state === 'waiting'];
  return { established, waiting, connectionsDropped, paths: { 4: 0, 6: 0 } };
}

test.for([
  { what: 'a feed that runs', feeds: { 'plain-12': feed('established', 3) }, due: [] },
  {
    what: 'a feed that was lost',
    feeds: { 'plain-12': feed('waiting', 1), 'plain-13': feed('established', 0) },
    due: ['plain-1'],
  },
  { what: 'a feed that is coming back', feeds: { 'plain-12': feed('on the way', 1) }, due: [] },
  { what: 'a feed that was never there', feeds: { 'plain-12': feed('waiting', 0) }, due: [] },
  { what: 'a view that bgpd does not run', feeds: {}, due: [] },
  { what: 'the shared feed, which we dial', feeds: { default: feed('waiting', 1) }, due: [] },
])('$what: $due', ({ feeds, due }) => {
  const found = new Redial().due(PLAN, new Map(Object.entries(feeds)), 0);
  expect(found.map(({ name }) => name)).toEqual(due);
});

test('each is dialled once a second', () => {
  const redial = new Redial();
  const lost = new Map([['plain-12', feed('waiting', 1)]]);
  const at = (nowMs: number): number => redial.due(PLAN, lost, nowMs).length;
  expect([at(5000), at(5999), at(6000), at(6001), at(7000)]).toEqual([1, 0, 1, 0, 1]);
});
