import { PersistentMap, type PrefixRoutes, type RouteTable } from '@herald/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfRibFamily } from '../../src/index.ts';
import { Outbox } from '../../src/feed/outbox.ts';
import { aTable } from '../arbitrary.ts';
import { expectedLines, ModelTable } from '../model-table.ts';
import { ADD_PATH, PLAIN } from '../octets.ts';
import { manyRoutes, path, routes, tableOf } from '../tables.ts';
import { prefixesOf, taken } from './taken.ts';

const EMPTY: RouteTable = PersistentMap.empty<PrefixRoutes>();
const HOP = path(1, '192.0.2.1');

describe('an outbox', () => {
  it('says the first table, then an End-of-RIB for each family, then nothing', () => {
    const outbox = new Outbox(ADD_PATH, manyRoutes(3, HOP), undefined);
    expect(outbox.endOfRibSaid).toBe(false);
    const messages = taken(outbox);
    expect(messages.map(endOfRibFamily)).toEqual([undefined, 4, 6]);
    expect(outbox.endOfRibSaid).toBe(true);
    expect(outbox.isDone).toBe(true);
    expect(taken(outbox)).toEqual([]);
  });

  it.each([
    ['an empty table', EMPTY, ADD_PATH, [4, 6]],
    ['one family', EMPTY, { ...ADD_PATH, families: [4] as const }, [4]],
    ['no family', EMPTY, { ...ADD_PATH, families: [] }, []],
  ])('says End-of-RIB once: %s', (_, table, session, families) => {
    const outbox = new Outbox(session, table, undefined);
    expect(taken(outbox).map(endOfRibFamily)).toEqual(families);
    outbox.set(manyRoutes(2, HOP));
    outbox.refresh(4);
    expect(taken(outbox).map(endOfRibFamily).filter(Boolean)).toEqual([]);
    expect(outbox.endOfRibSaid).toBe(true);
  });

  it('says only what changed', () => {
    const table = manyRoutes(3000, HOP);
    const outbox = new Outbox(ADD_PATH, table, undefined);
    taken(outbox);
    outbox.set(table.set('192.0.2.0/24', routes('192.0.2.0/24', HOP)).delete('10.0.0.7/32'));
    expect(outbox.isDone).toBe(false);
    const messages = taken(outbox);
    expect(messages.flatMap(prefixesOf)).toEqual(['192.0.2.0/24']);
    expect(messages.flatMap(({ withdrawn }) => withdrawn).map(({ prefix }) => prefix.text)).toEqual([
      '10.0.0.7/32',
    ]);
    expect(outbox.isDone).toBe(true);
  });

  it('forgets what was overtaken before it was said', () => {
    const outbox = new Outbox(ADD_PATH, EMPTY, undefined);
    taken(outbox);
    outbox.set(manyRoutes(5000, HOP));
    outbox.set(manyRoutes(5000, path(1, '192.0.2.2')));
    outbox.set(tableOf(routes('192.0.2.0/24', HOP)));
    expect(taken(outbox).flatMap(prefixesOf)).toEqual(['192.0.2.0/24']);
  });

  it('finishes no more than a batch of an overtaken table', () => {
    const outbox = new Outbox(ADD_PATH, manyRoutes(20_000, HOP), undefined);
    const begun = taken(outbox, 1).flatMap(prefixesOf);
    outbox.set(EMPTY);
    const rest = taken(outbox);
    const announced = [...begun, ...rest.flatMap(prefixesOf)];
    expect(announced.length).toBeLessThanOrEqual(1024);
    const withdrawn = rest.flatMap((message) => message.withdrawn).map(({ prefix }) => prefix.text);
    expect(withdrawn.toSorted()).toEqual(announced.toSorted());
  });

  it('is right whenever tables and requests for a refresh come', () => {
    const action = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), count: fc.nat(4) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('set' as const), table: aTable }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('refresh' as const),
          family: fc.constantFrom(4 as const, 6 as const),
        }),
      },
    );
    fc.assert(
      fc.property(
        aTable,
        fc.array(action, { maxLength: 12 }),
        fc.constantFrom(ADD_PATH, PLAIN),
        (first, run, session) => {
          const outbox = new Outbox(session, first, undefined);
          const model = new ModelTable();
          const ends: (number | undefined)[] = [];
          let wanted = first;
          const read = (count?: number): void => {
            for (const message of taken(outbox, count)) {
              model.apply(message);
              ends.push(endOfRibFamily(message));
            }
          };
          for (const each of run) {
            if (each.kind === 'take') {
              read(each.count);
            } else if (each.kind === 'set') {
              wanted = each.table;
              outbox.set(wanted);
            } else {
              outbox.refresh(each.family);
            }
          }
          read();
          expect(model.lines).toEqual(expectedLines(wanted, session.addPathSend));
          expect(ends.filter((family) => family !== undefined)).toEqual([4, 6]);
          expect(outbox.isDone).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
