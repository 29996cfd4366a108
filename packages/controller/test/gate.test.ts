import type { PeerSession } from '@herald/decision';
import { expect, test } from 'vitest';

import { openPeers } from '../src/gate.ts';
import { nextGeneration, peerIdentity } from '../src/generation.ts';
import { inView, peer, plan } from './session-plan.ts';

// tor-1 is known since generation 1; tor-2, and plain-1 in a view of its own, since generation 2.
const TOR_1 = peer('tor-1', { number: 11 });
const TOR_2 = peer('tor-2', { number: 12 });
const PLAIN_1 = inView('plain-1', 'plain-13', { number: 13 });
const PLAN = plan(PLAIN_1, TOR_1, TOR_2);
const ONE = nextGeneration({ number: 0, since: new Map() }, plan(TOR_1));
const TWO = nextGeneration(ONE, PLAN);

interface Case {
  readonly what: string;
  readonly seen?: Readonly<Record<string, number>>;
  readonly running?: Readonly<Record<string, string>>;
  readonly opened?: readonly PeerSession[];
  readonly open: readonly string[];
}

const CASES: readonly Case[] = [
  { what: 'nothing seen in bgpd: nobody', open: [] },
  { what: 'a table of an earlier process: nobody', seen: { default: 0 }, open: [] },
  { what: 'a table that knows the first peer: only that one', seen: { default: 1 }, open: ['tor-1'] },
  {
    what: 'the newest shared table: its peers, not the view',
    seen: { default: 2 },
    open: ['tor-1', 'tor-2'],
  },
  { what: "the view's table only: only its peer", seen: { 'plain-13': 2 }, open: ['plain-1'] },
  { what: "an older table of the view's name: not its peer", seen: { 'plain-13': 1 }, open: [] },
  {
    what: 'every table: everybody',
    seen: { default: 2, 'plain-13': 2 },
    open: ['plain-1', 'tor-1', 'tor-2'],
  },
  { what: 'a newer table than needed does as well', seen: { default: 9 }, open: ['tor-1', 'tor-2'] },
  { what: 'a peer that runs stays, whatever was seen', running: { 'tor-2': 'default' }, open: ['tor-2'] },
  {
    what: 'a peer that runs in another instance has to wait for the new one',
    seen: { default: 2 },
    running: { 'plain-1': 'default' },
    open: ['tor-1', 'tor-2'],
  },
  {
    what: 'a peer that this process had open stays',
    running: { 'tor-2': 'default' },
    opened: [TOR_1, TOR_2],
    open: ['tor-2'],
  },
  {
    what: 'another peer of the same name waits for its own tags, although the old one runs',
    running: { 'tor-2': 'default' },
    opened: [TOR_1, peer('tor-2', { number: 99 })],
    open: [],
  },
  { what: 'a peer that runs but is not planned is not opened', running: { gone: 'default' }, open: [] },
];

test.for(CASES)('$what', ({ seen = {}, running = {}, opened, open }) => {
  const tables = {
    seen: new Map(Object.entries(seen)),
    running: new Map(Object.entries(running)),
    opened: opened && new Set(opened.map(peerIdentity)),
  };
  expect([...openPeers(PLAN, TWO, tables)].sort()).toEqual(open);
});
