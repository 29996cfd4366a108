// The prefix named `last`: whoever has its newest version has everything that was wanted when it was sent. So it
// comes last in the first table and last in every change of it, whatever arrives while a batch is under way.

import { PersistentMap, type PrefixRoutes, type RouteTable } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../src/feed/outbox.ts';
import { endOfRibFamily } from '../../src/index.ts';
import { aTable } from '../arbitrary.ts';
import { expectedLines, ModelTable } from '../model-table.ts';
import { ADD_PATH, PLAIN } from '../octets.ts';
import { attributes, manyIpv6Routes, manyRoutes, path, routes, tableOf } from '../tables.ts';
import { prefixesOf, saidBy, taken } from './taken.ts';

const EMPTY: RouteTable = PersistentMap.empty<PrefixRoutes>();
const HOP = path(1, '192.0.2.1');
const LAST = '203.0.113.255/32';
const OTHER = '192.0.2.0/24';

/** A version of the last prefix, known by its MED. */
function version(number: number): PrefixRoutes {
  return routes(LAST, path(1, '192.0.2.1', attributes({ med: number })));
}

function versioned(table: RouteTable, number: number): RouteTable {
  return table.set(LAST, version(number));
}

const table = manyRoutes(3000, HOP).with(manyIpv6Routes(1500, path(1, '2001:db8::1')));
const withLast = versioned(table, 0);

function settled(first: RouteTable, session = ADD_PATH): Outbox {
  const outbox = new Outbox(session, first, LAST);
  taken(outbox);
  return outbox;
}

describe('the last prefix in the first table', () => {
  it('comes alone, after everything and right before the End-of-RIBs', () => {
    const messages = taken(new Outbox(ADD_PATH, withLast, LAST));
    expect(messages.slice(-2).map(endOfRibFamily)).toEqual([4, 6]);
    expect(messages.at(-3)?.announced.map(({ prefix }) => prefix.text)).toEqual([LAST]);
    expect(messages.slice(0, -3).flatMap(prefixesOf)).toHaveLength(table.size);
    expect(messages.slice(0, -3).flatMap(prefixesOf)).not.toContain(LAST);
  });

  it('comes after the newest table when the first one is overtaken', () => {
    const outbox = new Outbox(ADD_PATH, withLast, LAST);
    const before = taken(outbox, 2);
    outbox.set(withLast.set(OTHER, routes(OTHER, HOP)));
    const messages = [...before, ...taken(outbox)];
    expect(messages.slice(-2).map(endOfRibFamily)).toEqual([4, 6]);
    expect(messages.at(-3)?.announced.map(({ prefix }) => prefix.text)).toEqual([LAST]);
    expect(messages.flatMap(prefixesOf)).toContain(OTHER);
  });

  it('lets nothing come between itself and the End-of-RIBs', () => {
    const first = tableOf(version(0));
    const outbox = new Outbox(ADD_PATH, first, LAST);
    expect(taken(outbox, 1).flatMap(prefixesOf)).toEqual([LAST]);
    outbox.set(first.set(OTHER, routes(OTHER, HOP)));
    expect(taken(outbox).map((message) => endOfRibFamily(message) ?? prefixesOf(message))).toEqual([
      4,
      6,
      [OTHER],
    ]);
  });

  it('is said in its newest version only', () => {
    const outbox = new Outbox(ADD_PATH, versioned(manyRoutes(5000, HOP), 1), LAST);
    const messages = taken(outbox, 1);
    outbox.set(versioned(manyRoutes(5000, HOP), 2));
    outbox.set(versioned(manyRoutes(5000, HOP), 3));
    messages.push(...taken(outbox));
    const versions = messages
      .filter((message) => prefixesOf(message).includes(LAST))
      .map(({ attributes: { med } }) => med);
    expect(versions).toEqual([3]);
  });

  it('need not be there, nor be named', () => {
    expect(saidBy(new Outbox(ADD_PATH, EMPTY, LAST))).toEqual(['end-of-rib 4', 'end-of-rib 6']);
    expect(saidBy(new Outbox(ADD_PATH, tableOf(version(0)), undefined))).toEqual([
      `+${LAST}`,
      'end-of-rib 4',
      'end-of-rib 6',
    ]);
  });

  it('is left out, and nothing waits for it, when its family is not carried', () => {
    const outbox = new Outbox({ ...ADD_PATH, families: [6] }, withLast, LAST);
    const messages = taken(outbox);
    expect(messages.flatMap(prefixesOf)).toHaveLength(1500);
    expect(messages.map(endOfRibFamily).filter((family) => family !== undefined)).toEqual([6]);
    expect(outbox.isDone).toBe(true);
  });
});

describe('a later change of the last prefix', () => {
  it('comes alone, after every other change', () => {
    const outbox = settled(withLast);
    outbox.set(versioned(manyRoutes(3000, path(1, '192.0.2.2')).set(OTHER, routes(OTHER, HOP)), 1));
    const messages = taken(outbox);
    expect(messages.at(-1)?.announced.map(({ prefix }) => prefix.text)).toEqual([LAST]);
    const before = messages.slice(0, -1);
    expect(before.flatMap(prefixesOf)).toHaveLength(3001);
    expect(before.flatMap(prefixesOf)).not.toContain(LAST);
    expect(before.flatMap(({ unreach }) => unreach?.nlri ?? [])).toHaveLength(1500);
  });

  it('comes after the withdrawals too', () => {
    const outbox = settled(versioned(tableOf(routes(OTHER, HOP), routes('2001:db8::1/128', HOP)), 0));
    outbox.set(versioned(EMPTY, 1));
    expect(saidBy(outbox)).toEqual([`-${OTHER}`, '-2001:db8::1/128', `+${LAST}`]);
  });

  it('comes last when it is new, and when it goes', () => {
    const outbox = settled(EMPTY);
    outbox.set(tableOf(version(0), routes(OTHER, HOP)));
    expect(saidBy(outbox)).toEqual([`+${OTHER}`, `+${LAST}`]);
    outbox.set(EMPTY);
    expect(saidBy(outbox)).toEqual([`-${OTHER}`, `-${LAST}`]);
  });

  it('does not come when only others change', () => {
    const outbox = settled(withLast);
    outbox.set(withLast.set(OTHER, routes(OTHER, HOP)));
    expect(saidBy(outbox)).toEqual([`+${OTHER}`]);
    expect(outbox.isDone).toBe(true);
  });

  it('comes when only it changes, once', () => {
    const outbox = settled(withLast);
    outbox.set(versioned(table, 1));
    expect(saidBy(outbox)).toEqual([`+${LAST}`]);
    expect(saidBy(outbox)).toEqual([]);
    expect(outbox.isDone).toBe(true);
  });

  it('waits for what was set while a batch was under way', () => {
    const outbox = settled(withLast);
    outbox.set(versioned(manyRoutes(3000, path(1, '192.0.2.2')), 1));
    const messages = taken(outbox, 2);
    outbox.set(versioned(manyRoutes(3000, path(1, '192.0.2.3')).set(OTHER, routes(OTHER, HOP)), 1));
    messages.push(...taken(outbox));
    const said = messages.flatMap(prefixesOf);
    expect(said.at(-1)).toBe(LAST);
    expect(said.filter((prefix) => prefix === LAST)).toHaveLength(1);
    expect(said).toContain(OTHER);
  });

  it('waits for what was set when nothing but it was left to say', () => {
    const outbox = settled(tableOf(version(0)));
    outbox.set(tableOf(version(1), routes(OTHER, HOP)));
    expect(taken(outbox, 1).flatMap(prefixesOf)).toEqual([OTHER]);
    outbox.set(tableOf(version(1), routes(OTHER, HOP), routes('10.0.0.1/32', HOP)));
    expect(saidBy(outbox)).toEqual(['+10.0.0.1/32', `+${LAST}`]);
  });

  it('is taken back when it is overtaken by its old version', () => {
    const first = tableOf(version(0));
    const outbox = settled(first);
    outbox.set(tableOf(version(1), routes(OTHER, HOP)));
    outbox.set(first);
    expect(saidBy(outbox)).toEqual([]);
  });

  it('comes last of what is sent again', () => {
    const outbox = settled(versioned(manyRoutes(2000, HOP), 0));
    outbox.refresh(4);
    const said = taken(outbox).flatMap(prefixesOf);
    expect(said).toHaveLength(2001);
    expect(said.indexOf(LAST)).toBe(2000);
  });

  it('is not sent again with the other family', () => {
    const outbox = settled(withLast);
    outbox.refresh(6);
    expect(taken(outbox).flatMap(prefixesOf)).not.toContain(LAST);
  });
});

describe('whenever tables come', () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), count: fc.nat(3) }),
    fc.record({ kind: fc.constant('set' as const), table: aTable }),
  );

  it.each([ADD_PATH, PLAIN])('who has the newest last prefix has its whole table', (session) => {
    fc.assert(
      fc.property(aTable, fc.array(action, { maxLength: 12 }), (first, run) => {
        const tables = [versioned(first, 0)];
        const outbox = new Outbox(session, versioned(first, 0), LAST);
        const model = new ModelTable();
        const read = (count?: number): void => {
          for (const message of taken(outbox, count)) {
            model.apply(message);
            if (prefixesOf(message).includes(LAST)) {
              const newest = tables.at(-1) ?? EMPTY;
              expect(message.attributes.med).toBe(tables.length - 1);
              expect(model.lines).toEqual(expectedLines(newest, session.addPathSend));
            }
          }
        };
        for (const each of run) {
          if (each.kind === 'take') {
            read(each.count);
          } else {
            tables.push(versioned(each.table, tables.length));
            outbox.set(tables.at(-1) ?? EMPTY);
          }
        }
        read();
        expect(model.lines).toEqual(expectedLines(tables.at(-1) ?? EMPTY, session.addPathSend));
        expect(outbox.isDone).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
