// A replica that starts without anything to decide from: when it announces the table that was kept in its pod, to whom,
// what it says about it, and when that ends.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { address, PersistentMap, type RouteTable } from '@herald/net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { KeptTable, type KeptDecision } from '../../src/kept/kept-table.ts';
import { collectedLog } from '../collected-log.ts';
import { routesTo } from '../../../decision/test/routes/small-world.ts';
import { decided, heldTables } from './kept-scene.ts';

const AFTER_MS = 10_000;
const IDENTITY = { name: 'herald-0', namespace: 'herald', uid: 'pod-1', node: 'cp-1', address: '' };
const NOBODY: PersistentMap<string> = PersistentMap.empty();
const NONE: ReadonlyMap<string, string> = new Map();
const DECIDED = decided();
const TOR = '198.51.100.1';

let stateDir = '';
let log: ReturnType<typeof collectedLog>;
let nowMs = 0;

interface Started {
  readonly table: KeptTable;
  readonly raised: () => number;
  readonly look: (covered?: PersistentMap<string>) => KeptDecision | undefined;
}

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'herald-kept-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  log = collectedLog();
  nowMs = Date.now();
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(stateDir, { recursive: true, force: true });
});

function made(uid = IDENTITY.uid): Started {
  let raised = 0;
  const guard = { keptTableMs: AFTER_MS } as never;
  const settings = { asn: 64_500, routerId: address('192.0.2.1'), stateDir, guard };
  const onChange = (): void => void raised++;
  const parts = {
    settings,
    identity: { ...IDENTITY, uid },
    place: { ordinal: 42 },
    logger: log.logger,
    onChange,
  };
  const table = new KeptTable(parts);
  return {
    table,
    raised: () => raised,
    look: (covered = NOBODY) => table.look({ covered, retained: new Map(), running: NONE, nowMs }),
  };
}

async function earlier(): Promise<void> {
  const { table } = made();
  const { decision, memory } = DECIDED;
  table.keep({ decision, memory, others: ['http://192.0.2.7:8443'], stale: false });
  await table.close();
}

async function started(uid?: string): Promise<Started> {
  const of = made(uid);
  await of.table.start();
  return of;
}

function prefixesTo(told: KeptDecision | undefined) {
  const count = (name: string): number =>
    told === undefined ? -1 : routesTo({ ...DECIDED.decision, ...told }, name).length;
  return { tor: count('tor'), spine: count('spine'), plain: count('plain') };
}

function pass(ms: number): void {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
}

function said(event: string): readonly Readonly<Record<string, unknown>>[] {
  return log.lines.filter((line) => line['event'] === event);
}

test('announces nothing before its time, then the whole table, once and the same', async () => {
  await earlier();
  const { look, table, raised } = await started();
  expect(table.others).toEqual(['http://192.0.2.7:8443']);
  pass(AFTER_MS - 1);
  expect([look(), table.view, raised()]).toEqual([undefined, undefined, 0]);
  pass(1);
  expect(raised()).toBe(1);
  const first = look();
  expect(prefixesTo(first)).toEqual({ tor: 4, spine: 4, plain: 4 });
  expect(first?.peers.get('tor')).toMatchObject({ accepted: true, reason: 'Accepted' });
  expect(look()).toBe(first);
  expect(table.view?.from).toBe('file');
  expect(said('kept-table-announced')).toMatchObject([{ from: 'file', ageSeconds: 10, silent: [] }]);
});

test('a table of another pod, or none, is never announced', async () => {
  pass(AFTER_MS);
  const nothing = await started();
  pass(AFTER_MS);
  expect(nothing.look()).toBeUndefined();
  await earlier();
  const foreign = await started('pod-2');
  pass(AFTER_MS);
  expect([foreign.look(), foreign.table.view]).toEqual([undefined, undefined]);
  expect(said('kept-table-refused')).toMatchObject([
    { msg: expect.stringContaining('another pod') as string },
  ]);
});

test('a torn file is refused, said, and replaced by the next one', async () => {
  await earlier();
  const path = join(stateDir, 'kept-table');
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.slice(0, -20));
  const { look } = await started();
  pass(AFTER_MS);
  expect(look()).toBeUndefined();
  expect(said('kept-table-refused')).toHaveLength(1);
  await earlier();
  const again = await started();
  pass(AFTER_MS);
  expect(again.look()).toBeDefined();
});

test('a router that a fresh replica serves is told nothing from the beginning, the others everything', async () => {
  await earlier();
  const covered = PersistentMap.from([[TOR, 'herald-1']]);
  const { look } = await started();
  look(covered);
  pass(AFTER_MS);
  const decision = look(covered);
  expect(decision?.peers.get('tor')).toMatchObject({ reason: 'StaleReplica' });
  expect(decision?.peers.get('tor')?.message).toContain('herald-1');
  expect(said('kept-table-announced')).toMatchObject([{ silent: ['tor'] }]);
  expect(prefixesTo(decision)).toEqual({ tor: 0, spine: 4, plain: 4 });
  // Nobody serves it any more.
  expect(prefixesTo(look())).toEqual({ tor: 4, spine: 4, plain: 4 });
  expect(look()?.peers.get('tor')).toMatchObject({ reason: 'Accepted' });
});

test('a fresh replica that comes later takes over when it has served for a while', async () => {
  await earlier();
  const { look, raised } = await started();
  pass(AFTER_MS);
  look();
  const covered = PersistentMap.from([[TOR, 'herald-1']]);
  expect(prefixesTo(look(covered)).tor).toBe(4);
  const before = raised();
  pass(10_000);
  expect(raised()).toBeGreaterThan(before);
  expect(prefixesTo(look(covered)).tor).toBe(0);
});

test('what bgpd holds is waited for while it is being read', async () => {
  await earlier();
  const { table } = await started();
  pass(AFTER_MS);
  expect(table.look({ covered: NOBODY, retained: undefined, running: NONE, nowMs })).toBeUndefined();
  expect(table.look({ covered: NOBODY, retained: new Map(), running: NONE, nowMs })).toBeDefined();
});

test.each([
  ['its routers have it: just that is announced', new Map([['tor', 'default']]), 'bgpd'],
  ['no router has it: its ranks are not used again', NONE, 'file'],
])('bgpd holds the table, and %s', async (_name, running, from) => {
  await earlier();
  const { table } = await started();
  pass(AFTER_MS);
  const retained = heldTables(DECIDED.decision.tables);
  const told = table.look({ covered: NOBODY, retained, running, nowMs });
  expect(table.view?.from).toBe(from);
  const [held, found] = [DECIDED.decision, told].map((each) => medsOf(each?.tables.shared));
  expect(JSON.stringify(found) === JSON.stringify(held)).toBe(from === 'bgpd');
});

function medsOf(table: RouteTable | undefined): number[] {
  const routes = [...(table?.values() ?? [])];
  return routes.flatMap(({ paths }) => paths.map(({ attributes }) => attributes.med)).sort((a, b) => a - b);
}

test('ends with the first decision from live data, for good', async () => {
  await earlier();
  const { look, table } = await started();
  pass(AFTER_MS);
  look();
  const { decision, memory } = DECIDED;
  table.keep({ decision, memory, others: [], stale: false });
  expect([look(), table.view, table.others]).toEqual([undefined, undefined, []]);
  expect(said('kept-table-ended')).toHaveLength(1);
  await table.close();
});

test('is as old as its last confirmation', async () => {
  await earlier();
  const keptAtMs = nowMs;
  pass(60_000);
  const { look, table } = await started();
  pass(AFTER_MS);
  look();
  expect(table.view?.confirmedAtMs).toBeGreaterThanOrEqual(keptAtMs);
});
